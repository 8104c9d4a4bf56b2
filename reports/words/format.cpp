#include "reports/words/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dse::reports {

std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string memory_text(std::int64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  if (bytes < 52) return fmt::format("{} B", bytes);  // 0.0 KiB would be nothing
  return kib < 1024 ? fmt::format("{:.1f} KiB", kib) : fmt::format("{:.2f} MiB", kib / 1024);
}

namespace {

std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string latency_text(double us) {
  if (!(us > 0)) return "-";
  if (us < 999.5) return three_digits(us) + " us";
  if (us < 999500) return three_digits(us / 1e3) + " ms";
  return three_digits(us / 1e6) + " s";
}

std::string change_text(double now, double then) {
  const double percent = 100 * (now - then) / then;
  if (now == then) return "the same";
  if (std::abs(percent) < 0.95) return fmt::format("{:+.1f} %", percent);
  return fmt::format("{:+.0f} %", percent);
}

std::string layer_of(const explore::Point& p, std::size_t row) { return row < p.layers.size() ? p.layers[row] : "?"; }

std::string segment_of(const explore::Point& p, std::size_t row) {
  const auto& rows = p.run.layers;
  const auto section = static_cast<std::size_t>(rows[row].section);
  const bool several = (row > 0 && rows[row - 1].section == rows[row].section) ||
                       (row + 1 < rows.size() && rows[row + 1].section == rows[row].section);
  if (!several) return {};
  return section < p.sections.size() ? p.sections[section] : std::to_string(section);
}

std::vector<const explore::Point*> in_order(const std::vector<explore::Point>& points) {
  std::vector<const explore::Point*> order;
  for (const auto& p : points) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(), [](const explore::Point* a, const explore::Point* b) {
    return std::tie(a->memory_bytes, a->latency_ticks, a->origin, a->id) <
           std::tie(b->memory_bytes, b->latency_ticks, b->origin, b->id);
  });
  return order;
}

std::vector<const explore::Point*> ordered_points(const explore::Front& front) {
  auto order = in_order(front.points);
  for (const auto* p : in_order(front.marked)) {
    const bool listed = std::any_of(front.points.begin(), front.points.end(),
                                    [&](const explore::Point& q) { return q.id == p->id && q.origin == p->origin; });
    if (!listed) order.push_back(p);
  }
  return order;
}

const explore::Point* point_with_mark(const explore::Front& front, const std::string& mark) {
  for (const auto& p : front.points)
    if (std::find(p.marks.begin(), p.marks.end(), mark) != p.marks.end()) return &p;
  return nullptr;
}

}  // namespace dse::reports
