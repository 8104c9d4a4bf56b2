// dse export: a point of a run as a package for the target.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/point_options.h"
#include "cli/package/package_folder.h"
#include "cli/run/run_folder.h"
#include "deploy/package.h"
#include "explore/measure/point.h"
#include "models/nn/graph/price.h"
#include "plan/document/document.h"
#include "plan/lower/lower.h"
#include "plan/plan.h"

namespace dse::cli {
namespace {

struct ExportOptions : PointOptions {
  std::string out;
};

/// Writes the package of a plan that is sound. @returns an exit code.
int write(const ExportOptions& o, const explore::Case& c, const plan::Plan& plan, const Chosen& chosen,
          const std::string& command, Diagnostics& d) {
  // The run's own figure goes into the package only if this program, today, gets the same.
  const auto point = explore::simulate_point(c, plan, true, false);
  auto other = differs_from_run(chosen, point);
  if (!point.run.failure && !point.verified) other = "computes other bytes than the interpreter";
  if (!other.empty()) {
    fmt::print(stderr, "dse: error: point {} of {} {}\n", plan.id(), o.folder, other);
    return Exit::mismatch;
  }
  const auto& network = *c.network;
  const auto& front = chosen.recorded.front;
  const auto program = plan::lower(network, *c.device, plan);
  const auto constants = plan::constants_image(network, *c.device, plan);
  const deploy::ByteVectors inputs = nn::seeded_inputs(network, 0);
  deploy::ByteVectors outputs;
  const auto values = nn::interpret(network, inputs);
  for (int t : network.outputs) outputs.push_back(values[static_cast<std::size_t>(t)]);
  deploy::Facts facts;
  facts.latency_ticks = point.latency_ticks;
  facts.startup_bytes = point.startup_bytes;
  facts.accuracy = front.accuracy;
  facts.point = plan.id();
  facts.command = command;
  facts.documents = {{"plan.yaml", plan::write_plan(plan, network, *c.device)},
                     {kAccountFile, account_document(chosen.front, chosen.document)}};
  const bool written = deploy::write_package(network, *c.device, program, constants, inputs, outputs, facts, o.out, d);
  if (const int code = report(d); code != Exit::ok || !written) return Exit::mismatch;
  fmt::print("{}: point {} of {} on {}\n", o.out, plan.id(), front.network, front.device);
  return Exit::ok;
}

int run(const ExportOptions& o, const std::string& command) {
  Diagnostics d;
  const auto asked = open_point(o, d);
  std::optional<plan::Plan> plan;
  if (const auto priced = asked ? nn::priced_text(*asked->c.network) : ""; !priced.empty()) {
    d.error({o.folder, 0, 0}, "cannot be exported: " + priced, "--cut in place of --cost leaves them to the host");
  } else if (asked) {
    plan = plan_of(o.folder, asked->chosen, asked->c, d);
    if (plan && plan->npu)
      d.error({o.folder, 0, 0}, "cannot be exported: packages have no emulation of an NPU yet",
              "`dse npu --check` runs its streams on real bytes; Arm's compiler makes those for the hardware");
  }
  if (const int code = report(d)) return code;
  Diagnostics package;
  return write(o, asked->c, *plan, asked->chosen, command, package);
}

}  // namespace

void add_export(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<ExportOptions>();
  auto* command =
      app.add_subcommand("export", "Write a point of a run as a package: plan, generated C, kernels, self-test");
  o->add_to(*command);
  command->add_option("--out,-o", o->out, "folder of the package")->required();
  command->callback([o, &invocation] { invocation.exit = run(*o, invocation.command_line); });
}

}  // namespace dse::cli
