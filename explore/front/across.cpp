#include "explore/front/across.h"

#include <algorithm>
#include <tuple>

#include "base/diagnostics.h"
#include "explore/question/metric.h"

namespace dse::explore {
namespace {

struct Candidate {
  std::vector<double> values;
  double area = 0;
  bool hidden = false;
  Across::Place place;
  auto key() const { return std::tie(values, area, hidden, place.front, place.point); }
};

/// What is the same for all points of a front; of accuracy what is lacking, since the least of everything is best.
double fact_of(const Front& front, const std::string& objective) {
  if (objective == "weights") return static_cast<double>(front.weight_bytes);
  const auto fact = objective == "area" ? front.area_mm2 : front.facts.accuracy;
  ensure(fact.has_value(), front.network + " on " + front.device + " has no metric " + objective);
  return objective == "area" ? *fact : 1 - *fact;
}

/// A row of Front::values with the facts of the case between.
std::vector<double> with_facts(const std::vector<double>& values, const Front& front,
                               const std::vector<std::string>& objectives) {
  std::vector<double> out;
  auto next = values.begin();
  for (const auto& o : objectives) {
    ensure(is_of_case(o) || next != values.end(), front.device + " has no metric " + o);
    out.push_back(is_of_case(o) ? fact_of(front, o) : *next++);
  }
  return out;
}

void add_candidates(const std::vector<Front>& fronts, std::size_t f, const std::vector<std::string>& objectives,
                    std::vector<Candidate>& out) {
  const auto& front = fronts[f];
  for (const auto& known : front.values) {
    const auto shown =
        std::find_if(front.points.begin(), front.points.end(), [&](const Point& p) { return p.id == known.first; });
    out.push_back({with_facts(known.second, front, objectives),
                   front.area_mm2.value_or(0),
                   shown == front.points.end(),
                   {f, static_cast<std::size_t>(shown - front.points.begin())}});
  }
}

bool as_good(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

}  // namespace

std::vector<Across> across_of(const std::vector<Front>& fronts, const std::vector<std::string>& objectives) {
  std::vector<Across> out;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const auto& network = fronts[f].facts.base.empty() ? fronts[f].network : fronts[f].facts.base;
    const auto same = [&](const Across& a) { return a.network == network && a.base == fronts[f].base; };
    auto it = std::find_if(out.begin(), out.end(), same);
    if (it == out.end()) it = out.insert(out.end(), {network, fronts[f].base, objectives, {}, {}, false});
    it->fronts.push_back(f);
    it->variants = it->variants || !fronts[f].facts.base.empty();
  }
  std::erase_if(out, [](const Across& a) { return a.fronts.size() < 2; });
  for (auto& a : out) {
    std::vector<Candidate> all;
    for (const auto f : a.fronts) add_candidates(fronts, f, objectives, all);
    std::sort(all.begin(), all.end(), [](const Candidate& x, const Candidate& y) { return x.key() < y.key(); });
    std::vector<const Candidate*> best;  // in ascending order, so that nothing later is better than one of them
    for (const auto& c : all)
      if (std::none_of(best.begin(), best.end(), [&](const auto* b) { return as_good(b->values, c.values); }))
        best.push_back(&c);
    for (const auto* c : best)
      if (!c->hidden) a.points.push_back(c->place);
  }
  return out;
}

}  // namespace dse::explore
