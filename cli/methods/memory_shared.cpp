#include "cli/methods/memory_shared.h"

#include <fmt/format.h>

namespace dse::cli {
namespace {

using nlohmann::ordered_json;
using namespace plan::shared;

ordered_json blocks(const SharedPlan& p) {
  ordered_json out = ordered_json::array();
  for (std::size_t b = 0; b < p.placed.blocks.size(); ++b) {
    const Block& block = p.placed.blocks[b];
    if (block.buffer.lower == block.buffer.upper) continue;  // never held
    const TensorUse& t = p.schedule.tensors[static_cast<std::size_t>(block.tensor)];
    ordered_json j{{"of", p.graph.layers[static_cast<std::size_t>(t.layer)].name}};
    if (block.row >= 0)
      j["row"] = block.row;
    else
      j["ring_rows"] = t.ring;
    j["offset"] = p.placed.layout.offsets[b], j["bytes"] = block.buffer.size;
    j["from_step"] = block.buffer.lower, j["to_step"] = block.buffer.upper;
    out.push_back(std::move(j));
  }
  return out;
}

}  // namespace

std::string placement_note(const SharedPlan& p) {
  const auto& l = p.placed.layout;
  const std::string proof =
      l.height == l.load ? "equal to the load"
      : l.optimal()
          ? "proven least for these rings and rows"
          : fmt::format("{:.1f} % above what is proven",
                        100.0 * static_cast<double>(l.height - l.lower_bound) / static_cast<double>(l.lower_bound));
  return fmt::format("{}, {}",
                     p.placed.placement == Placement::rings ? "rows in rings" : "each row where there is room", proof);
}

std::vector<std::string> plan_in_words(const SharedPlan& p) {
  std::vector<std::string> out;
  int whole = 0;
  for (const RowSegment& s : p.segments)
    if (s.first == s.last && s.rows == 0)
      ++whole;
    else
      out.push_back(describe(p.graph, s));
  if (whole > 0)
    out.push_back(fmt::format("{}{} layer{} whole", out.empty() ? "all " : "other ", whole, whole == 1 ? "" : "s"));
  return out;
}

ordered_json plan_as_json(const SharedPlan& p) {
  ordered_json segments = ordered_json::array();
  std::vector<std::string> names;
  for (const auto& l : p.graph.layers)
    if (!l.source) names.push_back(l.name);
  for (const RowSegment& s : p.segments) {
    ordered_json layers = ordered_json::array();
    for (int i = s.first; i <= s.last; ++i) layers.push_back(names[static_cast<std::size_t>(i)]);
    segments.push_back({{"words", describe(p.graph, s)},
                        {"layers", layers},
                        {"rows", s.rows},
                        {"row_by_row", !s.grain.empty()},
                        {"halo", s.halo == Halo::cached ? "cached" : "recomputed"}});
  }
  std::int64_t calls = 0;
  for (const auto n : p.schedule.calls) calls += n;
  const auto& l = p.placed.layout;
  return {{"load", p.load},
          {"load_proven_least", p.proven_least},
          {"arena", l.height},
          {"arena_lower_bound", l.lower_bound},
          {"arena_optimal", l.optimal()},
          {"placement", p.placed.placement == Placement::rings ? "rings" : "rows"},
          {"calls", calls},
          {"segments", segments},
          {"blocks", blocks(p)}};
}

}  // namespace dse::cli
