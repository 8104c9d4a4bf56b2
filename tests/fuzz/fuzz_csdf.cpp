// Graphs in SDF3's format: refused with a diagnostic, or balanced, sized and run, where they are small; and what was
// read is written and read back.
#include <cstdlib>
#include <string_view>

#include "methods/dataflow/buffers.h"
#include "methods/dataflow/notation.h"
#include "methods/dataflow/sdf3.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dse::plan::phases;
  dse::Diagnostics diags;
  const auto read = from_sdf3({reinterpret_cast<const char*>(data), size}, "fuzz", diags);
  if (read.has_value() == diags.has_errors()) std::abort();
  if (!read) return 0;
  const auto repetition = repetition_vector(read->graph);
  if (repetition.cycles.empty() == repetition.why.empty()) std::abort();
  if (repetition.cycles.empty()) return 0;
  std::int64_t firings = 0;
  for (std::size_t a = 0; a < repetition.cycles.size(); ++a)
    firings += repetition.cycles[a] * read->graph.actors[a].phases;
  if (firings > 20'000) return 0;
  dse::Diagnostics again;
  const auto back = from_sdf3(to_sdf3(read->graph), "again", again);
  if (!back || back->graph.channels.size() != read->graph.channels.size()) std::abort();
  const auto flow = literal_flow(read->graph, repetition);
  if (!deadlock(flow).empty()) return 0;
  const auto least = least_capacity(flow, {50, 1'000'000, 1 << 20});
  if (least.bytes > lazy_schedule(flow).buffers.bytes(flow) || least.bytes < lower_bound(flow).bytes(flow))
    std::abort();
  const auto run = run_with(flow, least.buffers);
  if (static_cast<std::int64_t>(run.firings.size()) != firings) std::abort();
  in_notation(run.firings);
  return 0;
}
