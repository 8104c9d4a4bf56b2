#include "explore/front.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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

bool meets(const Point& p, const SweepSpec& spec) {
  for (const auto& k : spec.constraints) {
    double value = 0;
    if (k.metric == "memory") value = static_cast<double>(p.memory_bytes);
    else if (k.metric == "latency") value = p.latency_us;
    else if (k.metric == "energy") value = p.energy_uj;
    else if (const auto it = p.metrics.find(k.metric); it != p.metrics.end()) value = it->second;
    if (value > k.limit) return false;
  }
  return true;
}

/// The point farthest below the line from the smallest to the fastest, on logarithmic axes (Satopaa et al., "Finding a kneedle in a
/// haystack", 2011, applied to the normalised front).
std::size_t knee_of(const std::vector<Point>& front) {
  const auto x = [&](const Point& p) { return std::log(static_cast<double>(std::max<std::int64_t>(1, p.memory_bytes))); };
  const auto y = [&](const Point& p) { return std::log(static_cast<double>(std::max<std::int64_t>(1, p.latency_ticks))); };
  const double x0 = x(front.front()), x1 = x(front.back()), y0 = y(front.front()), y1 = y(front.back());
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double u = x1 > x0 ? (x(front[i]) - x0) / (x1 - x0) : 0, v = y0 > y1 ? (y0 - y(front[i])) / (y0 - y1) : 0;
    if (v - u > most + 1e-12) most = v - u, best = i;
  }
  return best;
}

/// Keeps at most `limit` points: those with marks, then repeatedly the one that lies farthest from those kept (along the front).
void thin(std::vector<Point>& front, std::size_t limit) {
  if (limit == 0 || front.size() <= limit) return;
  const auto place = [&](std::size_t i) {
    return std::pair(std::log(static_cast<double>(front[i].memory_bytes + 1)), std::log(static_cast<double>(front[i].latency_ticks + 1)));
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
  bool found = false;  // by the search or the user: what was only made by rule is shown, but is no answer to the question asked
  for (const auto& p : points) {
    if (p.origin != "explored") front.marked.push_back(p);
    if (!meets(p, spec) || p.run.failure) continue;
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
    if (std::any_of(points.begin(), points.end(), [](const Point& p) { return p.origin == "explored"; }))
      front.infeasible_reason = "no plan meets the constraints";
    return;
  }
  front.points.front().marks.push_back("smallest");
  front.points[knee_of(front.points)].marks.push_back("knee");
  front.points.back().marks.push_back("fastest");
  const auto all = front.points.size();
  thin(front.points, static_cast<std::size_t>(std::max(0, spec.front_points)));
  if (front.points.size() < all) front.notes.push_back(fmt::format("{} of {} points of the front are shown (front_points)", front.points.size(), all));
}

void judge_accuracy(const Case& c, Front& front) {
  if (c.device->validated.empty()) return;
  const Point* whole = nullptr;
  for (const auto& p : front.marked)
    if (p.origin == "TFLM today") whole = &p;
  std::string elsewhere;
  for (const auto& row : c.device->validated) {
    if (row.network != c.network->name) {
      elsewhere += (elsewhere.empty() ? "" : ", ") + row.network + " (" + row.role + ")";
      continue;
    }
    if (!whole || row.cycles <= 0) continue;
    const double error = 100.0 * (static_cast<double>(whole->latency_ticks) - static_cast<double>(row.cycles)) / static_cast<double>(row.cycles);
    front.accuracy = fmt::format("{:+.1f} % against {} cycles measured on silicon, layer by layer ({}; {})", error, row.cycles, row.role, row.source);
    return;
  }
  front.accuracy = "not validated on this network; silicon rows: " + elsewhere;
}

bool works_only_elsewhere(const Diagnostics& diags) {
  return std::all_of(diags.list().begin(), diags.list().end(), [](const Diagnostic& d) { return d.what.find("belongs to") != std::string::npos; });
}

}  // namespace dse::explore
