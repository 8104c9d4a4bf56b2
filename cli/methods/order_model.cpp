#include "cli/methods/order_model.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common/output.h"
#include "methods/branch/candidates.h"
#include "reports/methods/branch_text.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using namespace plan::branch;

constexpr std::size_t most_nodes = 10000;  // what surrounds the search takes time and room by the square of it

Rules rules_of(const OrderModelOptions& o) {
  Rules rules;
  rules.model = *model_named(o.model);
  rules.objective = o.objective == name_of(Objective::operational) ? Objective::operational : Objective::with_scratch;
  rules.interrupt = !o.whole_branches;
  rules.share_scratch = !o.own_scratch;
  return rules;
}

}  // namespace

void add_order_model_options(CLI::App& command, OrderModelOptions& options) {
  std::vector<std::string> names;
  for (const auto model : models) names.emplace_back(name_of(model));
  auto* model =
      command.add_option("--model", options.model, "what is stored where: two operational buffers and scratch buffers")
          ->check(CLI::IsMember(names));
  command
      .add_option("--objective", options.objective, "what is to be small: with-scratch (all buffers) or operational")
      ->check(CLI::IsMember({name_of(Objective::with_scratch), name_of(Objective::operational)}))
      ->capture_default_str()
      ->needs(model);
  command.add_flag("--whole-branches", options.whole_branches, "never interrupt a branch")->needs(model);
  command.add_flag("--own-scratch", options.own_scratch, "a scratch buffer of its own for every value that waits")
      ->needs(model);
  command.add_option("--candidates", options.candidates, "orders to list beside the best and those by rule")
      ->check(CLI::Range(0, 2000))
      ->capture_default_str()
      ->needs(model);
  command.add_option("--labels", options.labels, "states that the exact search may keep")
      ->check(CLI::Range(1, 20000000))
      ->capture_default_str()
      ->needs(model);
}

std::string fault_of_options(const CLI::App& command, const OrderModelOptions& options) {
  if (options.model.empty()) return {};
  const auto rules = rules_of(options);
  if (command.count("--rule") != 0)
    return rules.model == Model::liveness ? "--rule: without --model, orders are counted out of place or in place"
                                          : "--rule: with named buffers no value takes the place of another's bytes";
  if (rules.model == Model::liveness)
    for (const char* option : {"--objective", "--own-scratch"})
      if (command.count(option) != 0) return fmt::format("{}: the model liveness has no such buffers", option);
  if (rules.model == Model::direct_to_scratch && rules.objective == Objective::operational)
    return "--objective operational: with direct-to-scratch everything could be written to scratch buffers";
  return {};
}

int tell_limit(std::int64_t limit, std::int64_t best, std::int64_t lower_bound) {
  const bool proven = lower_bound > limit;
  fmt::print(stderr, "no order {} {} bytes: the best {} {} bytes{}\n", proven ? "needs at most" : "was found for",
             reports::grouped(limit), best == lower_bound ? "needs" : "found needs", reports::grouped(best),
             best == lower_bound ? std::string() : fmt::format(", none less than {}", reports::grouped(lower_bound)));
  return Exit::no_feasible_plan;
}

int order_by_model(const plan::OrderProblem& problem, const std::string& file, const OrderModelOptions& o,
                   std::int64_t limit, bool json) {
  const auto graph = graph_of(problem);
  if (graph.nodes.size() > most_nodes) {
    Diagnostics diagnostics;
    diagnostics.error({file}, fmt::format("more than {} inputs and operators", reports::grouped(most_nodes)),
                      "without --model there may be 20,000");
    return report(diagnostics);
  }
  const auto rules = rules_of(o);
  plan::branch::Effort effort;
  effort.labels = o.labels;
  ListOptions list;
  list.limit = limit;
  list.candidates = static_cast<std::size_t>(o.candidates);
  const auto listing = list_candidates(graph, rules, effort, list);
  const auto fault = fault_of(graph, listing.best.best, rules);
  ensure(fault.empty(), "a branch order that breaks its rules: " + fault);
  if (json)
    print_json(reports::branch_json(graph, rules, listing));
  else
    fmt::print("{}", reports::branch_text(graph, rules, listing));
  const auto cost = listing.best.best.cost(rules);
  return limit < 0 || cost <= limit ? Exit::ok : tell_limit(limit, cost, listing.best.lower_bound);
}

}  // namespace dse::cli
