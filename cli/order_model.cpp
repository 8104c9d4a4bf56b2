#include "cli/order_model.h"

#include <fmt/format.h>

#include <memory>

#include "cli/files.h"
#include "cli/lookup.h"
#include "cli/network_options.h"
#include "plan/branch/candidates.h"
#include "reports/branch_text.h"
#include "reports/format.h"

namespace dse::cli {
namespace {

using namespace plan::branch;

std::optional<Graph> read_graph(const OrderModelOptions& o, Diagnostics& diagnostics) {
  const std::string suffix = ".dag";
  if (o.input.size() > suffix.size() && o.input.compare(o.input.size() - suffix.size(), suffix.size(), suffix) == 0) {
    const auto text = read_file(o.input, diagnostics);
    if (!text) return std::nullopt;
    return read_dag(*text, o.input, diagnostics);
  }
  const auto network = cli::load_network(o.input, diagnostics, o.load);
  if (!network) return std::nullopt;
  return graph_of(*network);
}

}  // namespace

void add_order_model_options(CLI::App& command, OrderModelOptions& options) {
  command.add_option("--model", options.model, "named-buffers, named-buffers-free, direct-to-scratch or liveness")
      ->check(CLI::IsMember({"named-buffers", "named-buffers-free", "direct-to-scratch", "liveness"}))
      ->capture_default_str();
  command
      .add_option("--objective", options.objective, "what is to be small: with-scratch (all buffers) or operational")
      ->check(CLI::IsMember({"with-scratch", "operational"}))
      ->capture_default_str();
  command.add_flag("--whole-branches", options.whole_branches, "never interrupt a branch");
  command.add_flag("--own-scratch", options.own_scratch, "a scratch buffer of its own for every value that waits");
  command.add_option("--limit", options.limit, "stop at the first order that needs at most so many bytes")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--candidates", options.candidates, "orders to list beside the best and those by rule")
      ->check(CLI::Range(0, 2000))
      ->capture_default_str();
  command.add_option("--labels", options.labels, "states that the exact search may keep")
      ->check(CLI::Range(1, 20000000))
      ->capture_default_str();
}

int order_by_model(const OrderModelOptions& o) {
  Rules rules;
  rules.model = *model_named(o.model);
  rules.objective = o.objective == "operational" ? Objective::operational : Objective::with_scratch;
  rules.interrupt = !o.whole_branches;
  rules.share_scratch = !o.own_scratch;
  if (rules.objective == Objective::operational &&
      (rules.model == Model::liveness || rules.model == Model::direct_to_scratch)) {
    fmt::print(stderr, "--objective operational: {}\n",
               rules.model == Model::liveness
                   ? "the model liveness has no operational buffers"
                   : "with direct-to-scratch everything could be written to scratch buffers");
    return Exit::usage;
  }
  Diagnostics diagnostics;
  const auto graph = read_graph(o, diagnostics);
  const int exit = report(diagnostics);
  if (!graph) return exit == Exit::ok ? Exit::bad_input : exit;
  Effort effort;
  effort.labels = o.labels;
  ListOptions list;
  list.limit = o.limit;
  list.candidates = static_cast<std::size_t>(o.candidates);
  const auto listing = list_candidates(*graph, rules, effort, list);
  const auto fault = fault_of(*graph, listing.best.best, rules);
  ensure(fault.empty(), "a branch order that breaks its rules: " + fault);
  if (o.json)
    fmt::print(
        "{}\n",
        reports::branch_json(*graph, rules, listing).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}", reports::branch_text(*graph, rules, listing));
  const auto cost = listing.best.best.cost(rules);
  if (o.limit < 0 || cost <= o.limit) return exit;
  fmt::print(stderr, "no order {} {} bytes: the best needs {} bytes{}\n",
             listing.best.optimal ? "needs at most" : "was found for", reports::grouped(o.limit),
             reports::grouped(cost),
             listing.best.optimal ? std::string()
                                  : fmt::format(", none less than {}", reports::grouped(listing.best.lower_bound)));
  return Exit::no_feasible_plan;
}

void add_branches(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<OrderModelOptions>();
  options->load.allow_float = true;
  options->load.keep_unsupported = true;
  auto* command = app.add_subcommand("branches", "Choose the order of parallel branches for two operational buffers");
  command->add_option("input", options->input, "graph (.dag), network file or name of a shipped network")->required();
  add_order_model_options(*command, *options);
  command->add_flag("--json", options->json, "print JSON");
  add_shape_option(*command, options->load);
  command->callback([options, &invocation] { invocation.exit = order_by_model(*options); });
}

}  // namespace dse::cli
