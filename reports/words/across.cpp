#include "reports/words/across.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "reports/words/answers.h"
#include "reports/words/format.h"

namespace dse::reports {

std::string area_text(double mm2) { return fmt::format("{:.4g} mm2", mm2); }

namespace {

std::string share_text(double share) { return fmt::format("{:.2f} %", 100 * share); }

}  // namespace

std::string accuracy_text(const explore::NetworkFacts& facts) {
  if (!facts.accuracy) return "-";
  return share_text(*facts.accuracy) + (facts.accuracy_of.starts_with("proxy") ? " (proxy)" : "");
}

std::string variant_text(const explore::Front& front) {
  std::string out;
  for (const auto& [path, value] : front.facts.axes) out += (out.empty() ? "" : " ") + path + "=" + value;
  if (out.empty()) out = front.network;
  return front.axes.empty() ? out : out + " on " + front.device;
}

std::string across_headline(const explore::Across& across) {
  const auto n = across.points.size();
  return fmt::format("{} over {} {} {}: {} point{} in {} {} left", across.network, across.fronts.size(),
                     across.variants ? "variants and points on" : "points of", across.base,
                     grouped(static_cast<std::int64_t>(n)), n == 1 ? "" : "s", objectives_text(across.objectives),
                     n == 1 ? "is" : "are");
}

Table across_table(const explore::Sweep& sweep, const explore::Across& across) {
  const bool areas = std::any_of(across.fronts.begin(), across.fronts.end(),
                                 [&](std::size_t f) { return sweep.fronts[f].area_mm2.has_value(); });
  Table table{{{across.variants ? "variant" : "device", false}}};
  if (areas) table.columns.push_back({"area"});
  if (across.variants)
    for (const char* title : {"weights", "accuracy", "equal dense"}) table.columns.push_back({title});
  for (const char* title : {"points left", "smallest", "fastest"}) table.columns.push_back({title});
  for (const auto f : across.fronts) {
    const auto& front = sweep.fronts[f];
    std::vector<const explore::Point*> left;
    for (const auto& place : across.points)
      if (place.front == f) left.push_back(&front.points[place.point]);
    auto& row = table.rows.emplace_back(1, across.variants ? variant_text(front) : front.device);
    if (areas) row.push_back(front.area_mm2 ? area_text(*front.area_mm2) : "-");
    if (across.variants) {
      row.push_back(memory_text(front.weight_bytes));
      row.push_back(accuracy_text(front.facts));
      row.push_back(front.facts.equal_dense ? share_text(*front.facts.equal_dense) : "-");
    }
    row.push_back(front.points.empty() ? "no plan" : fmt::format("{} of {}", left.size(), front.points.size()));
    const auto entry = [&](auto less) {
      const auto it = std::min_element(left.begin(), left.end(), less);
      row.push_back(it == left.end() ? "-" : memory_text((*it)->memory_bytes) + ", " + latency_text((*it)->latency_us));
    };
    entry([](const auto* a, const auto* b) { return a->memory_bytes < b->memory_bytes; });
    entry([](const auto* a, const auto* b) { return a->latency_us < b->latency_us; });
  }
  return table;
}

std::vector<std::string> across_summary(const explore::Sweep& sweep, const explore::Across& across) {
  std::vector<std::string> lines = {across_headline(across)};
  std::istringstream text(as_text(across_table(sweep, across)));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string across_word(const explore::Sweep& sweep, std::size_t front, const explore::Point& point) {
  const auto& points = sweep.fronts[front].points;
  const auto same = [&](const explore::Point& p) { return p.id == point.id; };
  if (std::none_of(points.begin(), points.end(), same)) return {};
  for (const auto& a : sweep.across)
    if (std::count(a.fronts.begin(), a.fronts.end(), front) > 0)
      return a.holds(front, point.id, sweep.fronts) ? "yes" : "no";
  return {};
}

}  // namespace dse::reports
