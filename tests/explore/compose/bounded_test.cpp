// Composition within bounds: of steps, of time, of labels, of homes. Whatever ends it, there are plans, and the front
// does not say that it is all there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "explore/compose/compose.h"
#include "explore/compose/graph/section_graph.h"
#include "models/hw/device_reader.h"
#include "tests/explore/compose/synthetic_chain.h"
#include "tests/explore/drawn_graphs.h"

namespace dse::explore::bounded_test {
namespace {

/// A drawn network with made-up schedules: what composing takes, and nothing simulated.
struct Drawn {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::unique_ptr<Space> space;
  std::vector<LayerFront> layers;
  Goal goal;
};

Drawn drawn(test::Wiring wiring, int operators, int entries, test::Random& random) {
  Drawn out;
  Diagnostics d;
  out.network = test::drawn_graph(wiring, operators, random);
  out.device = hw::read_device("stm32h743", {}, d);
  out.space = std::make_unique<Space>(*out.network, *out.device, SweepSpec{});
  out.goal = default_goal(*out.device);
  for (std::size_t t = 0; t < out.space->tasks.size(); ++t) {
    auto& front = out.layers.emplace_back();
    for (int e = 0; e < entries; ++e) {  // the faster, the larger
      auto& entry = front.entries.emplace_back();
      entry.costs[kTicks] = 1000 * (entries - e) + test::pick(random, 0, 999);
      for (const auto& m : out.device->memories)
        entry.local.push_back(m.on_chip ? 16 * (e * 8 + test::pick(random, 0, 7)) : 0);
    }
    front.simulated = entries, front.own = entries;
  }
  return out;
}

std::size_t edges_of(const SectionGraph& graph) {
  std::size_t edges = 0;
  for (const auto& section : graph.sections) edges += section.size();
  return edges;
}

bool reaches(const std::vector<std::int64_t>& least, const std::vector<std::int64_t>& values) {
  return std::equal(least.begin(), least.end(), values.begin(), std::less_equal<>());
}

TEST(Bounded, AGraphHasABoundedNumberOfEdgesAndAWayThroughIt) {
  test::Random random(1);
  for (const auto wiring : test::kWirings)
    for (const int operators : {50, 120}) {
      const auto d = drawn(wiring, operators, 2, random);
      for (const auto cuts : {Cuts::file, Cuts::searched, Cuts::bound}) {
        const auto graph = section_graph(*d.space, d.layers, cuts);
        EXPECT_EQ(graph.infeasible_reason, "");
        EXPECT_LE(edges_of(graph), 3 * kMostEdgesOfOrder);
      }
    }
}

TEST(Bounded, ASearchThatIsEndedHasPlansAndABoundOrSaysNothing) {
  test::Random random(2);
  int ended = 0;
  for (const auto wiring : test::kWirings) {
    const auto d = drawn(wiring, 50, 6, random);
    CompositionOptions in_order;
    in_order.file_order = true;
    const auto whole = compose(*d.space, d.layers, d.goal, in_order);
    for (const int how : {0, 1, 2}) {
      auto options = in_order;
      if (how == 0) options.most_steps = 1;
      if (how == 1) options.deadline = std::chrono::steady_clock::now();
      if (how == 2) options.memory = 1 << 16;
      const auto front = compose(*d.space, d.layers, d.goal, options);
      ASSERT_FALSE(front.points.empty()) << "how " << how;
      EXPECT_TRUE(how == 2 || !front.exact);
      ended += !front.exact;
      if (!whole.exact) continue;
      for (const auto& p : front.points)
        EXPECT_TRUE(std::any_of(whole.points.begin(), whole.points.end(),
                                [&](const Composition& w) { return reaches(w.values, p.values); }));
      for (const auto& w : whole.points)
        EXPECT_TRUE(front.bound.empty() || std::any_of(front.bound.begin(), front.bound.end(),
                                                       [&](const auto& b) { return reaches(b, w.values); }))
            << "a plan lies below the bound";
    }
  }
  EXPECT_GE(ended, 8);
}

TEST(Bounded, WhatALabelLimitEndsStillBoundsEveryPlanOfBruteForce) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 200 && compared < 25; ++seed) {
    const auto chain = test::synthetic_chain(seed, 4, 20'000);
    if (!chain) continue;
    test::Random random(seed);
    const auto goal = test::random_goal(random, *chain, 2);
    const auto front = brute_front(*chain, goal);
    CompositionOptions options;
    options.most_steps = test::pick(random, 1, 200), options.memory = 1 << 14;
    const auto found = compose(*chain->space, chain->layers, goal, options);
    if (found.exact || front.empty()) continue;
    ++compared;
    for (const auto& values : front)
      EXPECT_TRUE(found.bound.empty() || std::any_of(found.bound.begin(), found.bound.end(),
                                                     [&](const auto& b) { return reaches(b, values); }));
    for (const auto& p : found.points)
      EXPECT_TRUE(std::any_of(front.begin(), front.end(), [&](const auto& v) { return reaches(v, p.values); }));
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace dse::explore::bounded_test
