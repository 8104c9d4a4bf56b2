#include "tests/explore/front/brute_force.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>

#include "explore/layer/layer_search.h"
#include "explore/space/space.h"

namespace dse::explore::test_support {
namespace {

/// In the unit of the limits of a sweep.
bool meets(const Case& c, const SweepSpec& spec, std::int64_t memory, std::int64_t ticks,
           const std::vector<std::int64_t>& heights) {
  for (const auto& k : spec.constraints) {
    double value = 0;
    if (k.metric == "memory") value = static_cast<double>(memory);
    if (k.metric == "latency")
      value = static_cast<double>(ticks) * 1e6 / static_cast<double>(c.device->tick_hz());  // microseconds
    for (std::size_t m = 0; m < heights.size(); ++m)
      if (k.metric == "memories." + c.device->memories[m].name + ".peak") value = static_cast<double>(heights[m]);
    if (value > k.limit) return false;
  }
  return true;
}

}  // namespace

void enter(Staircase& front, std::int64_t memory, std::int64_t ticks) {
  const auto it = front.upper_bound(memory);
  if (it != front.begin() && std::prev(it)->second <= ticks) return;
  auto worse = front.lower_bound(memory);
  while (worse != front.end() && worse->second >= ticks) worse = front.erase(worse);
  front[memory] = ticks;
}

BruteForce brute_force(const Case& c, const SweepSpec& spec) {
  BruteForce out;
  Candidates candidates(c, spec);
  plan::Decisions decided;
  while (candidates.next(decided)) {
    ++out.candidates;
    const auto m = evaluate(c, decided);
    if (m.invalid) out.invalid.push_back(m.reason);
    out.infeasible += !m.feasible();
    if (!m.feasible()) continue;
    out.loose += m.memory > m.load;
    if (meets(c, spec, m.memory, m.costs[kTicks], m.heights))
      enter(out.front, m.memory, m.costs[kTicks]);
    else
      ++out.beyond;
  }
  return out;
}

Explored explored(const Case& c, const SweepSpec& spec) {
  ExploreOptions options;
  options.verify = false;
  Diagnostics diags;
  auto layerwise = spec;
  layerwise.by_phases = false;  // the space that can be enumerated
  auto sweep = explore(layerwise, {c}, options, diags);
  ensure(!diags.has_errors() && sweep.fronts.size() == 1, "the search failed: " + diags.text());
  Explored out;
  out.whole = std::move(sweep.fronts[0]);
  out.complete = out.whole.complete;
  for (const auto& p : out.whole.points) out.front[p.memory_bytes] = p.latency_ticks;
  return out;
}

Staircase with_marked(Staircase front, const Case& c, const SweepSpec& spec, const Front& explored) {
  bool asked = !front.empty();
  for (const auto& p : explored.marked) asked |= p.origin == "user";
  if (!asked) return front;
  for (const auto& p : explored.marked) {
    if (p.run.failure) continue;
    std::vector<std::int64_t> heights;
    for (const auto& m : c.device->memories) {
      const auto it = p.metrics.find("memories." + m.name + ".peak");
      heights.push_back(it == p.metrics.end() ? 0 : static_cast<std::int64_t>(it->second));
    }
    if (meets(c, spec, p.memory_bytes, p.latency_ticks, heights)) enter(front, p.memory_bytes, p.latency_ticks);
  }
  return front;
}

std::string account_of_layers(const Case& c, const SweepSpec& spec, const Front& front) {
  const auto registry = plan::ChoiceRegistry::standard();
  const Space space(*c.network, *c.device, spec);
  const auto goal = goal_of(spec, *c.device);
  std::int64_t simulated = 0, dominated = 0, infeasible = 0, outside = 0;
  for (const auto& task : space.tasks) {
    auto here = static_cast<std::int64_t>(enumerate(task, registry).size());
    const auto layer = search_layer(task, registry, {}, goal);
    if (task.next.bytes > 0) here += layer.own + layer.fetched;  // once more, with the copy for the next layer
    if (layer.simulated + layer.discarded + layer.infeasible + layer.outside != here)
      return fmt::format("{} candidates, but {} simulated + {} proven dominated + {} infeasible + {} outside", here,
                         layer.simulated, layer.discarded, layer.infeasible, layer.outside);
    simulated += layer.simulated, dominated += layer.discarded;
    infeasible += layer.infeasible, outside += layer.outside;
  }
  if (front.simulated < simulated || front.proven_dominated != dominated || front.infeasible != infeasible ||
      front.outside != outside || front.skipped != 0 || front.lost != 0)
    return fmt::format(
        "of the layer candidates {} were simulated, {} dominated, {} infeasible, {} outside; the front says {}, {}, "
        "{}, {} and {} skipped, {} lost",
        simulated, dominated, infeasible, outside, front.simulated, front.proven_dominated, front.infeasible,
        front.outside, front.skipped, front.lost);
  return {};
}

std::string to_string(const Staircase& front) {
  std::string out;
  for (const auto& [memory, ticks] : front) out += fmt::format(" {}:{}", memory, ticks);
  return out;
}

Compared expect_brute_force(const Case& c, const SweepSpec& spec, const std::string& name) {
  Compared out{brute_force(c, spec), explored(c, spec), {}};
  out.expected = with_marked(out.brute.front, c, spec, out.found.whole);
  EXPECT_EQ(out.brute.invalid, std::vector<std::string>()) << name;
  EXPECT_EQ(to_string(out.found.front), to_string(out.expected)) << name;
  EXPECT_TRUE(out.found.complete) << name;
  return out;
}

}  // namespace dse::explore::test_support
