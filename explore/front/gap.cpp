#include "explore/front/gap.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "base/diagnostics.h"

namespace dse::explore {
namespace {

/// The area that a growing set of points dominates.
class Area {
 public:
  void add(double x, double y) {
    if (x >= 1 || y >= 1) return;
    auto it = stairs_.upper_bound(x);
    double height = it == stairs_.begin() ? 1 : std::prev(it)->second, left = x;
    if (height <= y) return;
    while (it != stairs_.end() && it->second >= y) {
      total_ += (it->first - left) * (height - y);
      left = it->first, height = it->second;
      it = stairs_.erase(it);
    }
    total_ += ((it == stairs_.end() ? 1 : it->first) - left) * (height - y);
    stairs_[x] = y;
  }
  double total() const { return total_; }

 private:
  std::map<double, double> stairs_;  // x -> least y with at most that
  double total_ = 0;
};

/// Those that no other is as good as in every value.
Values undominated(Values points) {
  std::sort(points.begin(), points.end());
  Values out;
  for (auto& p : points)
    if (std::none_of(out.begin(), out.end(), [&](const auto& o) {
          return std::equal(o.begin(), o.end(), p.begin(), [](auto a, auto b) { return a <= b; });
        }))
      out.push_back(std::move(p));
  return out;
}

/// In parts of the reference, at most the first three objectives.
std::vector<std::vector<double>> scaled(const Values& points, const std::vector<double>& reference) {
  std::vector<std::vector<double>> out;
  for (const auto& p : points) {
    auto& q = out.emplace_back();
    for (std::size_t j = 0; j < reference.size(); ++j)
      q.push_back(reference[j] > 0 ? static_cast<double>(p[j]) / reference[j] : 0);
  }
  return out;
}

}  // namespace

double hypervolume(const std::vector<std::vector<double>>& points) {
  if (points.empty()) return 0;
  const auto dimensions = points.front().size();
  ensure(dimensions >= 1 && dimensions <= 3, "a hypervolume has one to three dimensions");
  auto sorted = points;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.back() < b.back(); });
  if (dimensions == 1) return std::max(0.0, 1 - sorted.front()[0]);
  Area area;
  double volume = 0;
  for (std::size_t i = 0; i < sorted.size() && sorted[i].back() < 1; ++i) {
    area.add(sorted[i][0], sorted[i][1]);
    const double next = i + 1 < sorted.size() ? std::min(1.0, sorted[i + 1].back()) : 1;
    volume += area.total() * (next - sorted[i].back());
  }
  return dimensions == 2 ? area.total() : volume;
}

double proven_gap(const Values& front, const Values& bound) {
  if (front.empty() || bound.empty()) return 1;
  const auto found = undominated(front), least = undominated(bound);
  const auto dimensions = std::min<std::size_t>(3, found.front().size());
  std::vector<double> reference(dimensions, 0);
  for (const auto* points : {&found, &least})
    for (const auto& p : *points)
      for (std::size_t j = 0; j < dimensions; ++j) reference[j] = std::max(reference[j], 2 * static_cast<double>(p[j]));
  if (dimensions == 1) {
    const auto reached = static_cast<double>(found.front()[0]), possible = static_cast<double>(least.front()[0]);
    return reached > possible ? (reached - possible) / reached : 0;
  }
  auto all = least;
  all.insert(all.end(), found.begin(), found.end());
  const double possible = hypervolume(scaled(all, reference)), reached = hypervolume(scaled(found, reference));
  return possible > reached ? (possible - reached) / possible : 0;
}

double pointwise_gap(const Values& front, const Values& bound) {
  constexpr auto kNowhere = std::numeric_limits<double>::infinity();
  if (front.empty() || bound.empty()) return kNowhere;
  const auto found = undominated(front);
  double worst = 0;
  for (const auto& least : undominated(bound)) {
    double nearest = kNowhere;
    for (const auto& p : found) {
      double behind = 0;
      for (std::size_t j = 0; j < p.size(); ++j)
        if (p[j] > least[j])
          behind =
              std::max(behind, least[j] > 0 ? static_cast<double>(p[j]) / static_cast<double>(least[j]) - 1 : kNowhere);
      nearest = std::min(nearest, behind);
    }
    worst = std::max(worst, nearest);
  }
  return worst;
}

}  // namespace dse::explore
