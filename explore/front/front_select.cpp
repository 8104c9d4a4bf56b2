// Which of the simulated points are the front: dominance in the objectives asked for, marks, thinning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "explore/front/front.h"
#include "explore/question/metric.h"

namespace dse::explore {

double value_of(const Point& p, const std::string& metric) {
  if (metric == "memory") return static_cast<double>(p.memory_bytes);
  const int cost = cost_of(metric);
  if (cost == kTicks) return p.latency_us;
  const auto it = p.metrics.find(metric);
  ensure(cost < 0 ? it != p.metrics.end() : p.costs[cost] >= 0, "plan " + p.id + " has no metric " + metric);
  return cost < 0 ? it->second : static_cast<double>(p.costs[cost]) * kCostKinds[cost].scale;
}

std::string end_mark(const std::string& objective) {
  if (objective == "memory" || objective == "ram") return "smallest";
  if (const int cost = cost_of(objective); cost >= 0) return kCostKinds[cost].least;
  const auto name = objective.substr(objective.find('.') + 1);  // memories.l1.peak
  return "smallest-" + name.substr(0, name.rfind('.'));
}

namespace {

/// A point with the values of its objectives, least is best.
struct Ranked {
  const Point* point = nullptr;
  std::vector<double> values;

  /// By objectives, then memory, costs, what was explored before other plans, id.
  bool operator<(const Ranked& o) const { return key() < o.key(); }
  std::tuple<const std::vector<double>&, std::int64_t, const Costs&, bool, const std::string&> key() const {
    return {values, point->memory_bytes, point->costs, point->origin != "explored", point->id};
  }
};

Ranked rank(const Point& p, const std::vector<std::string>& objectives) {
  Ranked r{&p, {}};
  for (const auto& o : objectives) {
    const int cost = cost_of(o);
    r.values.push_back(cost < 0 ? value_of(p, o) : static_cast<double>(p.costs[cost]));
  }
  return r;
}

bool at_most(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (a[j] > b[j]) return false;
  return true;
}

const Constraint* broken(const Point& p, const SweepSpec& spec) {
  for (const auto& k : spec.constraints)
    if (value_of(p, k.metric) > k.limit) return &k;
  return nullptr;
}

/// Names the limit that no plan keeps by itself, if there is one. Empty if the search found none: then what other plans
/// reach says little of what there is.
std::string why_none(const std::vector<Point>& points, const SweepSpec& spec) {
  const auto searched = [](const Point& p) { return p.origin == "explored" && !p.run.failure; };
  if (std::none_of(points.begin(), points.end(), searched)) return {};
  for (const auto& k : spec.constraints) {
    const Point* best = nullptr;
    for (const auto& p : points)
      if (!p.run.failure && (!best || value_of(p, k.metric) < value_of(*best, k.metric))) best = &p;
    if (value_of(*best, k.metric) > k.limit)
      return fmt::format("no plan meets {} <= {}: the least is {}", k.metric, value_text(k.metric, k.limit),
                         enough_text(k.metric, value_of(*best, k.metric)));
  }
  return "no plan meets all constraints together";
}

/// Each objective from 0 (its least on the front) to 1 (its largest), on a logarithmic scale.
std::vector<std::vector<double>> normalised(const std::vector<Ranked>& front) {
  std::vector<std::vector<double>> out(front.size());
  for (std::size_t j = 0; j < front[0].values.size(); ++j) {
    const auto scale = [&](const Ranked& r) { return std::log(std::max(1.0, r.values[j])); };
    double low = scale(front[0]), high = low;
    for (const auto& r : front) low = std::min(low, scale(r)), high = std::max(high, scale(r));
    for (std::size_t i = 0; i < front.size(); ++i)
      out[i].push_back(high > low ? (scale(front[i]) - low) / (high - low) : 0);
  }
  return out;
}

/// The point with the least sum of normalised objectives. With two of them it is the one farthest below the line from
/// end to end (Satopaa et al., "Finding a kneedle in a haystack", 2011, applied to the normalised front).
std::size_t knee_of(const std::vector<Ranked>& front) {
  const auto places = normalised(front);
  std::size_t best = 0;
  double least = 1e300;
  for (std::size_t i = 0; i < front.size(); ++i) {
    double sum = 0;
    for (const double x : places[i]) sum += x;
    if (sum < least - 1e-12) least = sum, best = i;
  }
  return best;
}

/// Per objective the point that is best in it among those that are no worse than `other` in all the others: what a
/// plan beside the front is compared with.
std::vector<std::size_t> against(const std::vector<Ranked>& front, const Ranked& other) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < other.values.size(); ++j) {
    std::size_t best = front.size();
    for (std::size_t i = 0; i < front.size(); ++i) {
      bool no_worse = true;
      for (std::size_t k = 0; k < other.values.size(); ++k) no_worse &= k == j || front[i].values[k] <= other.values[k];
      if (no_worse && (best == front.size() || front[i].values[j] < front[best].values[j])) best = i;
    }
    if (best < front.size()) out.push_back(best);
  }
  return out;
}

/// Keeps at most `limit` points: those with marks, then those of `first`, then repeatedly the one that lies farthest
/// from those kept (along the front).
void thin(std::vector<Ranked>& front, std::vector<std::vector<std::string>>& marks,
          const std::vector<std::size_t>& first, std::size_t limit) {
  if (limit == 0 || front.size() <= limit) return;
  const auto distance = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t j = 0; j < front[a].values.size(); ++j) {
      const double d = std::log(front[a].values[j] + 1) - std::log(front[b].values[j] + 1);
      sum += d * d;
    }
    return std::sqrt(sum);
  };
  std::vector<std::size_t> kept;
  std::vector<double> nearest(front.size(), 1e300);
  const auto keep = [&](std::size_t k) {
    kept.push_back(k);
    for (std::size_t i = 0; i < front.size(); ++i) nearest[i] = std::min(nearest[i], distance(i, k));
  };
  for (std::size_t i = 0; i < front.size(); ++i)
    if (!marks[i].empty()) keep(i);
  for (const auto i : first)
    if (kept.size() < limit && std::find(kept.begin(), kept.end(), i) == kept.end()) keep(i);
  while (kept.size() < limit) {
    const auto best = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    if (nearest[best] <= 0) break;
    keep(best);
  }
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i < kept.size(); ++i) front[i] = front[kept[i]], marks[i] = marks[kept[i]];
  front.resize(kept.size());
}

/// Says which of the user's plans are no candidates, and why.
void note_excluded(const Point& p, const Constraint* limit, Front& front) {
  if (p.run.failure)
    front.notes.push_back(fmt::format("your plan {} fails: {}", p.id, p.run.failure->what));
  else
    front.notes.push_back(fmt::format("your plan {} is shown beside the front: its {} of {} is over the limit", p.id,
                                      limit->metric, enough_text(limit->metric, value_of(p, limit->metric))));
}

}  // namespace

bool only_by_rule(const Front& front) {
  return !front.points.empty() && std::all_of(front.points.begin(), front.points.end(),
                                              [](const Point& p) { return p.origin != "front" && p.origin != "user"; });
}

void note_only_by_rule(Front& front) {
  if (only_by_rule(front))
    front.notes.push_back("no plan of the search stands on the front: all its points were made by rule");
}

void select_front(const std::vector<Point>& points, const SweepSpec& spec, Front& front) {
  front.objectives = spec.objectives;
  front.constraints = spec.constraints;
  std::vector<Ranked> order;
  for (const auto& p : points) {
    if (p.origin != "explored") front.marked.push_back(p);
    const Constraint* limit = p.run.failure ? nullptr : broken(p, spec);
    if (p.run.failure || limit) {
      if (p.origin == "user") note_excluded(p, limit, front);
      continue;
    }
    order.push_back(rank(p, spec.objectives));
  }
  std::sort(order.begin(), order.end());
  std::vector<Ranked> best;
  for (auto& r : order) {
    // In ascending order, so with two objectives the last point so far is the only one to ask.
    const auto first = spec.objectives.size() <= 2 && !best.empty() ? best.end() - 1 : best.begin();
    if (std::none_of(first, best.end(), [&](const Ranked& b) { return at_most(b.values, r.values); }))
      best.push_back(std::move(r));
    else if (r.point->origin == "explored")
      front.dominated.push_back({r.point->memory_bytes, r.point->latency_ticks});
  }
  if (best.empty()) {
    front.infeasible_reason = why_none(points, spec);
    return;
  }
  std::vector<std::vector<std::string>> marks(best.size());
  const auto end = [&](std::size_t j) {
    return std::min_element(best.begin(), best.end(),
                            [j](const Ranked& a, const Ranked& b) { return a.values[j] < b.values[j]; }) -
           best.begin();
  };
  const std::size_t several = spec.objectives.size();
  for (std::size_t j = 0; j < several; ++j) {
    if (j + 1 == several && several > 1) marks[knee_of(best)].push_back("knee");  // before the last end, as people read
    marks[end(j)].push_back(end_mark(spec.objectives[j]));
  }
  const auto all = best.size();
  for (const auto& r : best) {
    auto& values = front.values.emplace_back(r.point->id, std::vector<double>()).second;
    for (const auto& o : spec.objectives) values.push_back(value_of(*r.point, o));
  }
  std::vector<std::size_t> compared;
  for (const auto& p : front.marked)
    if (!p.run.failure)
      for (const auto i : against(best, rank(p, spec.objectives))) compared.push_back(i);
  thin(best, marks, compared, static_cast<std::size_t>(std::max(0, spec.front_points)));
  for (std::size_t i = 0; i < best.size(); ++i) {
    auto& p = front.points.emplace_back(*best[i].point);
    if (p.origin == "explored") p.origin = "front";
    p.marks = marks[i];
  }
  if (best.size() < all)
    front.notes.push_back(fmt::format("{} of {} points of the front are shown (front_points)", best.size(), all));
}

}  // namespace dse::explore
