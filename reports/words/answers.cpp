#include "reports/words/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/front/front.h"
#include "explore/question/metric.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

using explore::Constraint;
using explore::Front;
using explore::is_memory;
using explore::Point;

std::string superlative(const std::string& objective) {
  if (objective == "memory") return "smallest";
  return objective == "latency" ? "fastest" : "least " + objective;
}

std::string limits_text(const std::vector<Constraint>& limits) {
  if (limits.empty()) return "";
  const bool room = std::all_of(limits.begin(), limits.end(), [](const Constraint& k) { return is_memory(k.metric); });
  std::string text = room ? " within " : " with ";
  for (std::size_t i = 0; i < limits.size(); ++i)
    text += fmt::format("{}{} <= {}", i == 0 ? "" : " and ", limits[i].metric,
                        metric_text(limits[i].metric, limits[i].limit, 7));
  return text;
}

/// Memory and latency of the point, as far as `objective` does not say them.
std::string beside(const Point& p, const std::string& objective) {
  std::string text;
  if (objective != "memory") text += memory_text(p.memory_bytes) + (is_memory(objective) ? " in all" : "");
  if (objective != "latency") text += (text.empty() ? "" : ", ") + latency_text(p.latency_us);
  return text;
}

/// "smallest within 1 % of the best latency: 24.0 KiB (6.30 ms)".
std::vector<std::string> near_best(const Front& front) {
  for (const auto* list : {&front.points, &front.marked})
    for (const auto& p : *list)
      if (is_near_best(p))
        return {fmt::format("smallest within {:.3g} % of the best {}{}: {} ({})", 100 * front.within,
                            front.within_objective, limits_text(front.constraints), memory_text(p.memory_bytes),
                            latency_text(p.latency_us))};
  return {};
}

}  // namespace

bool is_near_best(const Point& p) { return std::find(p.marks.begin(), p.marks.end(), "within") != p.marks.end(); }

std::string metric_text(const std::string& metric, double value, int digits) {
  auto steps = explore::metric_steps(metric);
  if (explore::metric_unit(metric) == "bytes") steps = {{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}};
  const auto step = explore::step_of(steps, value);
  return fmt::format("{:.{}g} {}", value / step.size, digits, step.unit);
}

std::string objectives_text(const std::vector<std::string>& objectives) {
  std::string text;
  for (std::size_t i = 0; i < objectives.size(); ++i)
    text += (i == 0 ? "" : i + 1 == objectives.size() ? " and " : ", ") + objectives[i];
  return text;
}

bool in_memory_and_latency(const Front& front) {
  return front.objectives == std::vector<std::string>{"memory", "latency"};
}

std::vector<std::string> mark_names(const Front& front) {
  std::vector<std::string> names;
  for (const auto& o : front.objectives) names.push_back(explore::end_mark(o));
  if (names.size() > 1) names.insert(names.end() - 1, "knee");
  return names;
}

std::vector<std::string> answers(const Front& front) {
  std::vector<std::string> out;
  if (front.constraints.empty() && in_memory_and_latency(front)) return near_best(front);
  for (const auto& o : front.objectives) {
    const auto* p = point_with_mark(front, explore::end_mark(o));
    if (!p) continue;
    const double value = explore::value_of(*p, o);
    const auto reached = o == "latency"  ? latency_text(value)
                         : o == "energy" ? metric_text(o, value, 3)
                                         : memory_text(static_cast<std::int64_t>(value));
    out.push_back(fmt::format("{}{}: {} ({})", superlative(o), limits_text(front.constraints), reached, beside(*p, o)));
  }
  for (auto& line : near_best(front)) out.push_back(std::move(line));
  return out;
}

std::vector<std::vector<std::string>> without_rows(const explore::Front& front) {
  std::vector<std::vector<std::string>> out;
  if (front.points.empty()) return out;
  auto bytes = front.points.front().memory_bytes;
  double us = front.points.front().latency_us;
  for (const auto& p : front.points) bytes = std::min(bytes, p.memory_bytes), us = std::min(us, p.latency_us);
  for (const auto& w : front.without) {
    if (w.smallest_bytes < 0) {
      out.push_back({w.axis, "no plan", "no plan", "-100 %", w.reason});
      continue;
    }
    const auto change = [](double now, double then) { return " (" + change_text(now, then) + ")"; };
    out.push_back(
        {w.axis,
         memory_text(w.smallest_bytes) + change(static_cast<double>(w.smallest_bytes), static_cast<double>(bytes)),
         latency_text(w.fastest_us) + change(w.fastest_us, us), fmt::format("{:.2g} % lost", 100 * w.lost),
         w.complete ? "complete" : "not complete"});
  }
  return out;
}

}  // namespace dse::reports
