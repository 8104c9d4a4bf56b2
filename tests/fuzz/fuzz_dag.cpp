// Any text is a graph or a list of diagnostics, never anything else; and what is accepted can be ordered.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "methods/branch/search.h"
#include "methods/order/dag.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dse::plan;
  const std::string text(reinterpret_cast<const char*>(data), size);
  dse::Diagnostics diagnostics;
  const auto problem = parse_dag(text, "fuzz.dag", diagnostics);
  if (problem.has_value() == diagnostics.has_errors()) std::abort();
  (void)diagnostics.text();
  if (!problem || problem->operators.size() > 200) return 0;
  OrderEffort effort;
  effort.bytes = 1 << 16, effort.steps = 2000, effort.beam = 2;
  std::int64_t peaks[2] = {};
  for (const auto rule : {OrderRule::out_of_place, OrderRule::inplace_ew}) {
    const auto found = find_order(*problem, rule, effort);
    if (peak_of(*problem, rule, found.order) != found.peak_bytes) std::abort();
    if (found.lower_bound_bytes > found.peak_bytes) std::abort();
    if (found.optimal != (found.lower_bound_bytes == found.peak_bytes)) std::abort();
    peaks[rule == OrderRule::inplace_ew] = found.optimal ? found.peak_bytes : -1;
  }
  if (peaks[0] >= 0 && peaks[1] > peaks[0]) std::abort();  // overwriting never costs anything
  const auto graph = branch::graph_of(*problem);
  if (graph.nodes.size() > 60) return 0;
  branch::Effort little;
  little.labels = 200, little.beam = 2;
  for (const auto model : branch::models)
    for (const bool interrupt : {false, true}) {
      const branch::Rules rules{model, branch::Objective::with_scratch, interrupt, true};
      const auto found = branch::best_order(graph, rules, little);
      if (!branch::fault_of(graph, found.best, rules).empty()) std::abort();
      if (found.lower_bound > found.best.total) std::abort();
    }
  return 0;
}
