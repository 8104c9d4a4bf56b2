#include "explore/question/axes.h"

namespace dse::explore {
namespace {

/// Of all layers, also where the sweep says something of single ones.
void fix(SweepSpec& spec, const std::string& choice, const std::string& value) {
  std::erase_if(spec.choices, [&](const auto& c) { return c.first.ends_with("." + choice); });
  spec.choices[choice] = {value};
}

}  // namespace

const std::vector<SpaceAxis>& space_axes() {
  static const std::vector<SpaceAxis> axes = {
      {"order", [](SweepSpec& s) { fix(s, "network.order", "file"); }},
      {"phases", [](SweepSpec& s) { s.by_phases = false; }},
      {"in-place", [](SweepSpec& s) { fix(s, "in_place", "no"); }},
      {"tiles", [](SweepSpec& s) { fix(s, "tile", "all"), fix(s, "filters", "all"); }},
      {"techniques", [](SweepSpec& s) { fix(s, "technique", "direct"); }},
      {"batches", [](SweepSpec& s) { fix(s, "batches", "1"); }},
      {"buffering", [](SweepSpec& s) { fix(s, "buffering", "single"); }},
      {"prefetch", [](SweepSpec& s) { fix(s, "prefetch", "no"); }},
  };
  return axes;
}

std::vector<std::string> axis_names() {
  std::vector<std::string> out;
  for (const auto& axis : space_axes()) out.emplace_back(axis.name);
  return out;
}

}  // namespace dse::explore
