// The planner against all segmentations and options, each one expanded as a whole.
#include "plan/segment/planner/planner.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/diagnostics.h"
#include "methods/memory/least.h"
#include "plan/segment/planner/strips.h"
#include "tests/methods/dataflow/networks.h"
#include "tests/plan/segment/planner/check_schedule.h"
#include "tests/plan/segment/planner/random_layers.h"

namespace dse::plan::shared::planner_test {
namespace {

using phases::LayerGraph;

std::vector<int> positions(const LayerGraph& g) {
  std::vector<int> out;
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
    if (!g.layers[static_cast<std::size_t>(l)].source) out.push_back(l);
  return out;
}

/// Bytes with rings whole while they hold anything.
std::int64_t ring_peak(const Schedule& s, std::int64_t bytes_per_element) {
  std::int64_t peak = 0;
  for (int step = 0; step < static_cast<int>(s.steps.size()); ++step) {
    std::int64_t sum = 0;
    for (const auto& t : s.tensors)
      for (const Held& h : t.held)
        if (h.from <= step && step < h.to) sum += (t.ring > 0 ? t.ring : h.hi - h.lo) * t.row_elements;
    peak = std::max(peak, sum * bytes_per_element);
  }
  return peak;
}

std::int64_t cost_of(const LayerGraph& g, const Schedule& s, const CostModel& c) {
  std::int64_t sum = 0;
  for (std::size_t l = 0; l < g.layers.size(); ++l)
    if (!g.layers[l].source)
      sum += std::max<std::int64_t>(0, s.computed[l] - g.layers[l].rows * g.layers[l].columns) * c.row[l] /
                 g.layers[l].columns +
             (s.calls[l] - 1) * c.call[l];
  return sum;
}

/// What one segment may be.
std::vector<RowSegment> choices(const LayerGraph& g, int first, int last, const PlannerOptions& o) {
  const auto layers = positions(g);
  std::vector<RowSegment> out;
  if (first == last) out.push_back({first, last, 0, {}, Halo::cached});
  for (int p = first; p <= last; ++p)
    if (!o.phaseable.empty() && !o.phaseable[static_cast<std::size_t>(layers[static_cast<std::size_t>(p)])]) return out;
  if (o.max_layers > 0 && last - first >= o.max_layers) return out;
  const auto all = g.layers[static_cast<std::size_t>(layers[static_cast<std::size_t>(last)])].rows;
  std::vector<std::int64_t> rows{0};
  for (std::int64_t r = 1; r < all; r *= 2) rows.push_back(r);
  for (const auto r : rows) {
    if (r > 0) out.push_back({first, last, r, {}, Halo::cached});
    if (first == last) continue;
    out.push_back({first, last, r, std::vector<std::int64_t>(static_cast<std::size_t>(last - first), 1), Halo::cached});
    if (r > 0 && o.recompute) out.push_back({first, last, r, {}, Halo::recomputed});
    const std::span members(layers.data() + first, static_cast<std::size_t>(last - first + 1));
    for (std::int64_t n = 2; (r == 1 || all == 1) && n <= o.max_strips; ++n)
      if (std::holds_alternative<Strips>(strips_of(g, members, n, o.input == Input::streamed)))
        out.push_back({first, last, r, std::vector<std::int64_t>(members.size() - 1, 1), Halo::cached, n});
  }
  return out;
}

std::map<std::int64_t, std::int64_t> brute_force(const LayerGraph& g, const CostModel& c, const PlannerOptions& o) {
  std::map<std::int64_t, std::int64_t> best;  // least cost by peak
  std::vector<RowSegment> segments;
  const int count = static_cast<int>(g.layer_count());
  const std::function<void(int)> from = [&](int at) {
    if (at == count) {
      const auto s = expand(g, segments, o.input);
      const auto peak = o.rings ? ring_peak(s, o.bytes_per_element) : peak_bytes(s, o.bytes_per_element);
      const auto cost = cost_of(g, s, c);
      const auto [entry, fresh] = best.emplace(peak, cost);
      if (!fresh) entry->second = std::min(entry->second, cost);
      return;
    }
    for (int last = at; last < count; ++last)
      for (auto& s : choices(g, at, last, o)) {
        segments.push_back(s);
        from(last + 1);
        segments.pop_back();
      }
  };
  from(0);
  std::map<std::int64_t, std::int64_t> front;
  for (const auto& [peak, cost] : best)
    if (front.empty() || cost < front.rbegin()->second) front.emplace(peak, cost);
  return front;
}

CostModel random_cost(std::mt19937& random, const LayerGraph& g) {
  std::uniform_int_distribution<std::int64_t> pick(0, 20);
  CostModel c;
  for (std::size_t l = 0; l < g.layers.size(); ++l) c.row.push_back(pick(random)), c.call.push_back(pick(random));
  return c;
}

TEST(SharedPlanner, FrontsAreThoseOfAllSegmentations) {
  std::mt19937 random(7);
  int strips = 0;
  for (int i = 0; i < 240; ++i) {
    const auto g = test::random_layers(random, 4);
    const auto c = random_cost(random, g);
    PlannerOptions o;
    o.input = static_cast<Input>(i % 3);
    o.rings = i % 4 == 0;
    o.max_strips = 1 + i % 3;
    o.recompute = i % 5 != 0;
    o.bytes_per_element = i % 2 == 0 ? 1 : 4;
    if (i % 7 == 0) o.max_layers = 2;
    if (i % 6 == 0)
      for (std::size_t l = 0; l < g.layers.size(); ++l) o.phaseable.push_back(random() % 4 != 0);
    const auto front = plan_front(g, c, o);
    EXPECT_TRUE(front.exact);
    std::map<std::int64_t, std::int64_t> found;
    for (const auto& p : front.points) {
      found.emplace(p.peak, p.cost);
      const auto s = expand(g, p.segments, o.input);
      ASSERT_EQ(test::defect_of(g, s, o.input, p.segments), "") << i;
      for (const auto& x : p.segments) strips += x.strips > 1;
      ASSERT_LE(o.rings ? ring_peak(s, o.bytes_per_element) : peak_bytes(s, o.bytes_per_element), p.peak) << i;
      ASSERT_EQ(cost_of(g, s, c), p.cost) << i;
    }
    ASSERT_EQ(found, brute_force(g, c, o)) << i;
    o.least_only = true;
    const auto least = plan_front(g, c, o);
    ASSERT_EQ(least.points.size(), 1U) << i;
    ASSERT_EQ(least.points[0].peak, front.points[0].peak) << i;
    ASSERT_EQ(least.points[0].cost, front.points[0].cost) << i;
  }
  EXPECT_GT(strips, 10);
}

TEST(SharedPlanner, PlansWithRealOffsets) {
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    const auto g = test::random_layers(random, 8);
    for (const Input input : {Input::released, Input::kept, Input::streamed}) {
      const auto found = least_memory(g, input, 1);
      for (const auto* p : {&found.best, &found.rings}) {
        ASSERT_EQ(test::defect_of(p->graph, p->schedule, input), "") << i;
        ASSERT_LE(p->load, p->arena()) << i;
      }
      ASSERT_EQ(found.rings.placed.placement, Placement::rings);
      ASSERT_LE(found.best.arena(), found.rings.arena()) << i;
    }
  }
}

TEST(SharedPlanner, LargeNetworksEndInTime) {
  auto g = phases::test::googlenet(false);
  PlannerOptions o;
  o.least_only = true, o.max_steps = 200'000;
  const auto early = plan_front(g, {}, o);
  EXPECT_FALSE(early.exact);
  ASSERT_FALSE(early.points.empty());
  EXPECT_EQ(peak_bytes(expand(g, early.points[0].segments, o.input), 1), early.points[0].peak);
}

TEST(SharedPlanner, RefusesWhatDoesNotFit) {
  const auto g = phases::test::example41();
  EXPECT_THROW(plan_front(g, {{1}, {}}, {}), InvariantError);
  EXPECT_THROW(plan_front(g, {{1, 1, 1, 1, -1}, {}}, {}), InvariantError);
}

TEST(SharedPlanner, SegmentsInWords) {
  const auto g = phases::test::example41();
  EXPECT_EQ(describe(g, {0, 1, 1, {1}, Halo::cached}),
            "l2 to l3, 2 layers by phases: a row at a time of the last, of the others row by row");
  EXPECT_EQ(describe(g, {0, 2, 2, {}, Halo::recomputed}),
            "l2 to l4, 3 layers by phases: 2 rows at a time of the last, shared rows computed anew");
  EXPECT_EQ(describe(g, {3, 3, 0, {}, Halo::cached}), "l5: whole");
}

}  // namespace
}  // namespace dse::plan::shared::planner_test
