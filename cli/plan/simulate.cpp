// dse simulate: one plan on the simulated device, with real bytes; or one assignment per line.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common/account.h"
#include "cli/common/device_options.h"
#include "cli/common/interrupt.h"
#include "cli/common/limits.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/output.h"
#include "cli/plan/session.h"
#include "explore/explore.h"
#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "plan/document/document.h"
#include "plan/plan.h"
#include "reports/run/json.h"

namespace dse::cli {
namespace {

struct SimulateOptions {
  std::string network, device, plan;
  std::vector<std::string> set;
  nn::LoadOptions load;
  bool json = false, lines = false, verify = false, lenient = false;
};

int simulate(const SimulateOptions& o) {
  Diagnostics d;
  const auto network = cli::load_network(o.network, d, o.load);
  const auto device = load_device(o.device, d, o.set);
  std::optional<plan::Plan> plan;
  if (network && device) plan = plan::read_plan(o.plan, *network, *device, d);
  if (const int code = report(d)) return code;
  const explore::Case c{network, device, device->name};
  explore::Sweep sweep;
  sweep.fronts.emplace_back();
  explore::describe_front(c, sweep.fronts[0]);
  sweep.fronts[0].points.push_back(explore::simulate_point(c, *plan, true, false));
  const auto& point = sweep.fronts[0].points[0];
  if (o.json)
    print_json(reports::results_json(sweep).at("fronts").at(0).at("points").at(0));
  else
    fmt::print("{}", account_text(sweep.fronts[0], point));
  if (point.verified) return Exit::ok;
  fmt::print(stderr, "{}: error: {}\n", o.plan,
             point.run.failure ? point.run.failure->what : "the simulated outputs differ from the interpreter's");
  return Exit::mismatch;
}

/// Assignments from standard input until it ends.
int simulate_lines(const SimulateOptions& o) {
  Diagnostics d;
  auto network = cli::load_network(o.network, d, o.load);
  auto device = open_device(o.device, d, o.set);
  if (const int code = report(d)) return code;
  explore::Evaluator evaluator(std::move(network), std::move(device->text), device->file,
                               {.lenient = o.lenient, .verify = o.verify, .overrides = overrides_of(o.set, d)});
  return answer_lines(evaluator, STDIN_FILENO, stdout, watch_interrupts());
}

}  // namespace

void add_simulate(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<SimulateOptions>();
  auto* command = app.add_subcommand(
      "simulate", "Run one plan on the simulated device and compare its outputs with the interpreter");
  command->add_option("--network,-n", options->network, "network file or name")->required();
  command->add_option("--device,-d", options->device, "device file or name")->required();
  add_set_option(*command, options->set);
  add_network_options(*command, options->load);
  auto* plan = command->add_option("--plan,-p", options->plan, "plan file");
  auto* lines = command
                    ->add_flag("--stdin", options->lines,
                               "read one assignment per line as JSON, print one measurement per line as JSON")
                    ->excludes(plan);
  command->add_flag("--verify", options->verify, "with --stdin: run with real bytes too; a plan file always is")
      ->needs(lines);
  command
      ->add_flag("--lenient", options->lenient, "with --stdin: choices that do not apply given the others are left out")
      ->needs(lines);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, plan, &invocation] {
    if (!options->lines && plan->count() == 0) throw CLI::RequiredError("--plan or --stdin");
    invocation.exit = options->lines ? simulate_lines(*options) : simulate(*options);
  });
}

}  // namespace dse::cli
