#include "explore/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explore/sweep_fields.h"

namespace dse::explore {

void describe_front(const Case& c, Front& front) {
  front.network = c.network->name;
  front.device = c.device_label;
  front.network_hash = c.network->structure_hash();
  front.device_hash = c.device->hash();
  front.kernel_library = c.device->kernel_library;
  front.tick_hz = c.device->tick_hz();
  front.accuracy = "not validated against silicon";
  for (const auto& m : c.device->memories) front.memories.push_back({m.name, m.size, m.reserved, m.on_chip});
  for (const auto& q : plan::device_queues(*c.device)) front.queues.push_back(q.name);
}

std::string plan_origin(const Point& point) { return point.origin == "front" ? "explored" : point.origin; }

namespace {

/// In the unit of limits. @throws InvariantError if the point was not measured so: a limit that nobody checks must not
/// pass.
double value_of(const Point& p, const std::string& metric) {
  if (metric == "memory") return static_cast<double>(p.memory_bytes);
  if (metric == "latency") return p.latency_us;
  if (metric == "energy") return p.energy_uj;
  const auto it = p.metrics.find(metric);
  ensure(it != p.metrics.end(), "plan " + p.id + " has no metric " + metric);
  return it->second;
}

bool meets(const Point& p, const SweepSpec& spec) {
  return std::all_of(spec.constraints.begin(), spec.constraints.end(),
                     [&](const Constraint& k) { return value_of(p, k.metric) <= k.limit; });
}

/// Names the limit that no plan found by the search keeps by itself, if there is one. Empty if the search found none.
std::string why_none(const std::vector<Point>& points, const SweepSpec& spec) {
  for (const auto& k : spec.constraints) {
    const Point* best = nullptr;
    for (const auto& p : points)
      if (p.origin == "explored" && !p.run.failure && (!best || value_of(p, k.metric) < value_of(*best, k.metric)))
        best = &p;
    if (!best) return {};
    const auto unit = metric_unit(k.metric);
    if (value_of(*best, k.metric) > k.limit)
      return fmt::format("no plan meets {} <= {:.10g} {}: the least is {:.10g} {}", k.metric, k.limit, unit,
                         value_of(*best, k.metric), unit);
  }
  const bool any = std::any_of(points.begin(), points.end(), [](const Point& p) { return p.origin == "explored"; });
  return any ? "no plan meets all constraints together" : "";
}

/// The point farthest below the line from the smallest to the fastest, on logarithmic axes (Satopaa et al., "Finding a
/// kneedle in a haystack", 2011, applied to the normalised front).
std::size_t knee_of(const std::vector<Point>& front) {
  const auto x = [&](const Point& p) {
    return std::log(static_cast<double>(std::max<std::int64_t>(1, p.memory_bytes)));
  };
  const auto y = [&](const Point& p) {
    return std::log(static_cast<double>(std::max<std::int64_t>(1, p.latency_ticks)));
  };
  const double x0 = x(front.front()), x1 = x(front.back()), y0 = y(front.front()), y1 = y(front.back());
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double u = x1 > x0 ? (x(front[i]) - x0) / (x1 - x0) : 0, v = y0 > y1 ? (y0 - y(front[i])) / (y0 - y1) : 0;
    if (v - u > most + 1e-12) most = v - u, best = i;
  }
  return best;
}

/// Keeps at most `limit` points: those with marks, then repeatedly the one that lies farthest from those kept (along
/// the front).
void thin(std::vector<Point>& front, std::size_t limit) {
  if (limit == 0 || front.size() <= limit) return;
  const auto place = [&](std::size_t i) {
    return std::pair(std::log(static_cast<double>(front[i].memory_bytes + 1)),
                     std::log(static_cast<double>(front[i].latency_ticks + 1)));
  };
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < front.size(); ++i)
    if (!front[i].marks.empty()) kept.push_back(i);
  while (kept.size() < limit) {
    std::size_t best = front.size();
    double farthest = -1;
    for (std::size_t i = 0; i < front.size(); ++i) {
      double nearest = 1e300;
      for (std::size_t k : kept) {
        const auto a = place(i), b = place(k);
        nearest = std::min(nearest, std::hypot(a.first - b.first, a.second - b.second));
      }
      if (nearest > farthest && nearest > 0) farthest = nearest, best = i;
    }
    if (best == front.size()) break;
    kept.push_back(best);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Point> out;
  for (std::size_t k : kept) out.push_back(std::move(front[k]));
  front.swap(out);
}

}  // namespace

void select_front(const std::vector<Point>& points, const SweepSpec& spec, Front& front) {
  std::vector<const Point*> order;
  bool found =
      false;  // by the search or the user: what was only made by rule is shown, but is no answer to the question asked
  for (const auto& p : points) {
    if (p.origin != "explored") front.marked.push_back(p);
    if (p.run.failure || !meets(p, spec)) continue;
    order.push_back(&p);
    found |= p.origin == "explored" || p.origin == "user";
  }
  if (!found) order.clear();
  std::stable_sort(order.begin(), order.end(), [](const Point* a, const Point* b) {
    return std::tuple(a->memory_bytes, a->latency_ticks) < std::tuple(b->memory_bytes, b->latency_ticks);
  });
  for (const auto* p : order) {
    if (!front.points.empty() && p->latency_ticks >= front.points.back().latency_ticks) {
      if (p->origin == "explored") front.dominated.push_back({p->memory_bytes, p->latency_ticks});
      continue;
    }
    front.points.push_back(*p);
    if (p->origin == "explored") front.points.back().origin = "front";
  }
  if (front.points.empty()) {
    front.infeasible_reason = why_none(points, spec);
    return;
  }
  front.points.front().marks.push_back("smallest");
  front.points[knee_of(front.points)].marks.push_back("knee");
  front.points.back().marks.push_back("fastest");
  const auto all = front.points.size();
  thin(front.points, static_cast<std::size_t>(std::max(0, spec.front_points)));
  if (front.points.size() < all)
    front.notes.push_back(
        fmt::format("{} of {} points of the front are shown (front_points)", front.points.size(), all));
}

void judge_accuracy(const Case& c, Front& front) {
  if (c.device->validated.empty()) return;
  const Point* whole = nullptr;
  for (const auto& p : front.marked)
    if (p.origin == "TFLM today") whole = &p;
  for (const auto& row : c.device->validated) {
    if (row.network != c.network->name) continue;
    if (!whole || row.cycles <= 0) continue;
    const double error = 100.0 * (static_cast<double>(whole->latency_ticks) - static_cast<double>(row.cycles)) /
                         static_cast<double>(row.cycles);
    front.accuracy = fmt::format("{:+.1f} % against {} cycles measured on silicon, layer by layer ({}; {})", error,
                                 row.cycles, row.role, row.source);
    return;
  }
  front.accuracy = "not validated on this network";
}

bool works_only_elsewhere(const Diagnostics& diags) {
  return std::all_of(diags.list().begin(), diags.list().end(),
                     [](const Diagnostic& d) { return d.what.find("belongs to") != std::string::npos; });
}

}  // namespace dse::explore
