#include "reports/run/console.h"

#include <fmt/format.h>

#include "reports/words/answers.h"
#include "reports/words/certificate.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

using explore::Front;
using explore::Point;

std::string headline(const Front& front) {
  std::string line = fmt::format("{} on {}: ", front.network, front.device);
  if (front.points.empty())
    return line + none_text(front) + ": " +
           (front.infeasible_reason.empty() ? "no reason is known" : front.infeasible_reason);
  line += fmt::format("{} point{}{}, {} ({}: {} simulated", grouped(static_cast<std::int64_t>(front.points.size())),
                      front.points.size() == 1 ? "" : "s",
                      in_memory_and_latency(front) ? "" : " in " + objectives_text(front.objectives),
                      completeness_text(front), certified_text(front), grouped(front.simulated));
  if (front.proven_dominated > 0) line += fmt::format(" + {} proven dominated", grouped(front.proven_dominated));
  if (front.infeasible > 0) line += fmt::format(" + {} infeasible", grouped(front.infeasible));
  line += ")";
  if (const auto runs = runs_text(front); !runs.empty()) line += ", " + runs;
  if (const auto outside = outside_text(front); !outside.empty()) line += ", " + outside;
  if (!front.kernel_library.empty()) line += ", timed as " + front.kernel_library;
  if (!front.accuracy.empty()) line += ", " + front.accuracy;
  return line;
}

std::string entry(const std::string& name, const Point& p) {
  return fmt::format("  {}  {}  {}  ", name, memory_text(p.memory_bytes), latency_text(p.latency_us));
}

/// The front point with the least `cost` that has no more of `kept` than `than`.
const Point* least(std::int64_t Point::*cost, std::int64_t Point::*kept, const Front& front, const Point& than) {
  const Point* best = nullptr;
  for (const auto& p : front.points)
    if (p.*kept <= than.*kept && (best == nullptr || p.*cost < best->*cost)) best = &p;
  return best;
}

std::string margin(const Front& front, const Point& reference) {
  const bool timed = reference.latency_ticks > 0;
  const auto change = [](std::int64_t now, std::int64_t then) {
    return change_text(static_cast<double>(now), static_cast<double>(then));
  };
  std::string found;
  if (const auto* p = timed ? least(&Point::memory_bytes, &Point::latency_ticks, front, reference) : nullptr)
    found = fmt::format("  no slower in {} ({} memory)", memory_text(p->memory_bytes),
                        change(p->memory_bytes, reference.memory_bytes));
  if (const auto* p = least(&Point::latency_ticks, &Point::memory_bytes, front, reference)) {
    found += fmt::format("{}  no larger in {}", found.empty() ? "" : "  ", latency_text(p->latency_us));
    if (timed) found += fmt::format(" ({} latency)", change(p->latency_ticks, reference.latency_ticks));
  }
  return fmt::format("  against {}:{}", reference.origin,
                     found.empty() ? "  no point of the front is as small or as fast" : found);
}

}  // namespace

std::vector<std::string> console_summary(const Front& front) {
  std::vector<std::string> lines = {headline(front)};
  if (front.points.empty()) {
    for (const auto& note : front.notes) lines.push_back("  note: " + note);
    return lines;
  }
  std::string marks;
  for (const auto& answer : answers(front)) lines.push_back("  " + answer);
  for (const auto& mark : mark_names(front))
    if (const auto* p = point_with_mark(front, mark)) marks += entry(mark, *p);
  for (const auto& p : front.marked) marks += entry(p.origin, p);
  marks.erase(marks.find_last_not_of(' ') + 1);
  if (!marks.empty()) lines.push_back(marks);
  for (const auto& p : front.marked)
    if (!is_near_best(p)) lines.push_back(margin(front, p));
  for (const auto& row : without_rows(front))
    lines.push_back(fmt::format("  without {:<10} {}", row[0] + ":", fmt::join(row.begin() + 1, row.end(), "  ")));
  for (const auto& note : front.notes) lines.push_back("  note: " + note);
  return lines;
}

}  // namespace dse::reports
