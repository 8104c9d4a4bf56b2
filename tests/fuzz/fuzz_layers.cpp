// Files of layers: refused with a diagnostic, or planned by every method, where they are small.
#include <cstdlib>
#include <string_view>

#include "methods/dataflow/csdf.h"
#include "methods/dataflow/layer_file.h"
#include "methods/memory/memory_table.h"
#include "plan/network/in_place.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dse::plan::phases;
  dse::Diagnostics diags;
  const auto file = read_layer_file({reinterpret_cast<const char*>(data), size}, "fuzz", true, diags);
  if (file.has_value() == diags.has_errors()) std::abort();
  if (!file) return 0;
  std::int64_t rows = 0;
  for (const auto& l : file->graph->layers) rows += l.rows;
  if (rows > 2'000) return 0;
  for (const auto& g : {*file->graph, fuse_elementwise(*file->graph)}) {
    std::string why;
    auto parts = file->phases ? parts_of(g, *file->phases, why) : minimum_parts(g);
    if (!parts) parts = minimum_parts(g);
    const auto graph = to_csdf(g, *parts, 1);
    const auto repetition = repetition_vector(graph);
    if (repetition.cycles.empty() && repetition.why.find("more than") == std::string::npos) std::abort();
    if (!deadlock(window_flow(g, *parts, 1)).empty()) std::abort();
    const auto t = memory_table(g, *parts, 1);
    if (t.thesis.bytes < t.thesis_lower_bound || t.thesis.bytes > t.lazy.buffers.bytes(t.flow)) std::abort();
    if (t.buffer_reuse.bytes() > t.naive || t.order.firings.size() != t.lazy.firings.size()) std::abort();
  }
  return 0;
}
