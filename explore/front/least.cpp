#include "explore/front/least.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/front/front.h"
#include "explore/question/metric.h"
#include "plan/choices/homes.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "plan/rules/phased_front.h"

namespace dse::explore {
namespace {

std::string found_text(const Least& l, const Least::Found& found) {
  const auto how = found.outside.empty()      ? ""
                   : found.outside == "given" ? " (a given plan)"
                                              : " (" + found.outside + ")";
  return enough_text(l.metric, found.value) + how;
}

std::string limit_text(const Least& l) { return l.metric + " <= " + value_text(l.metric, l.limit); }

const char* least_text(const Least::Found& found) { return found.complete ? "the least" : "the least found"; }

bool missed(const Least& l) { return l.alone.value > l.limit; }

/// Some of the limits cannot be kept even alone.
std::string each_by_itself(const std::vector<Least>& least) {
  std::string text;
  for (const auto& l : least)
    if (missed(l))
      text += fmt::format("{} {}: {} is {}", text.empty() ? "no plan meets" : ", nor", limit_text(l),
                          least_text(l.alone), found_text(l, l.alone));
  for (const auto& l : least)
    if (!missed(l)) text += fmt::format("; {} can be met by itself", limit_text(l));
  return text;
}

std::string all_together(const std::vector<Least>& least) {
  std::string text = "no plan meets all limits together, though each can be met by itself";
  for (const auto& l : least)
    text += l.beside.value < 0 ? fmt::format("; without {} the others still exclude each other", limit_text(l))
                               : fmt::format("; {} {} that leaves the others met is {}, not {}", least_text(l.beside),
                                             l.metric, found_text(l, l.beside), value_text(l.metric, l.limit));
  return text;
}

}  // namespace

std::string why_infeasible(const std::vector<Least>& least, const std::string& layerwise) {
  const bool any = std::all_of(least.begin(), least.end(), [](const Least& l) { return l.alone.value >= 0; });
  if (least.empty() || !any) return layerwise;
  if (std::none_of(least.begin(), least.end(), missed)) return least.size() > 1 ? all_together(least) : layerwise;
  const bool layer = layerwise.find("layer ") != std::string::npos;
  return each_by_itself(least) + (layer ? "; layer by layer: " + layerwise : "");
}

std::vector<Least> least_among(const std::vector<Point>& points, const std::vector<Constraint>& limits, bool complete) {
  std::vector<Least> out;
  const auto better = [&](Least::Found& found, const Point& p, const std::string& metric) {
    const double value = value_of(p, metric);
    if (found.value < 0 || value < found.value) found = {value, p.id, p.outside, complete};
  };
  for (const auto& k : limits) {
    Least l{k.metric, k.limit, {}, {}};
    for (const auto& p : points) {
      if (p.run.failure) continue;
      better(l.alone, p, k.metric);
      const bool others = std::all_of(limits.begin(), limits.end(), [&](const Constraint& o) {
        return o.metric == k.metric || value_of(p, o.metric) <= o.limit;
      });
      if (limits.size() > 1 && others) better(l.beside, p, k.metric);
    }
    out.push_back(l);
  }
  return out;
}

std::string lacks_constants(const Case& c) try {
  auto ample = *c.device;
  for (auto& m : ample.memories) m.make_room(std::int64_t{1} << 50);
  std::int64_t need = -1;
  for (const int home : plan::home_memories(*c.device)) {
    const auto made =
        plan::make_plan(*c.network, ample, plan::plain_choices(*c.network, ample, home), c.whole, plan::Offsets::none);
    if (const auto* plan = std::get_if<plan::Plan>(&made))
      need = need < 0 ? plan->constants_size : std::min(need, plan->constants_size);
  }
  const auto& memory = c.device->memories[static_cast<std::size_t>(c.device->constants)];
  if (need <= memory.free()) return {};
  return fmt::format("{} is {} bytes short: the weights need {} bytes of {} free", memory.name, need - memory.free(),
                     need, memory.free());
} catch (const InvariantError&) {  // a defect that only this network shows: the search meets it, and leaves it out
  return {};
}

}  // namespace dse::explore
