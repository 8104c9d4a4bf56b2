// Points whose layers run by phases: every sum of their accounts, what their buffers take by tick, and what reports
// make of both.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "explore/explore.h"
#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/plan.h"
#include "plan/segment/phased.h"
#include "program/section_layers.h"
#include "reports/diff/point_diff.h"
#include "reports/page/memory_map.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "tests/explore/roofs.h"
#include "tests/support/random_cases.h"

namespace dse::explore::phased_points_test {
namespace {

using testing::HasSubstr;

/// Runs of layers that can run by rows become segments, of a few rows per phase, their rows near the engine.
int by_phases(test::Random& random, const nn::Network& n, std::vector<plan::LayerChoice>& choices) {
  const auto layers = plan::layers_of(n, true);
  int several = 0;
  for (auto& c : choices) c.output_layout = plan::TensorLayout::hwc;
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t end = i;
    while (end < layers.size() && plan::by_rows(n, n.operators[static_cast<std::size_t>(layers[end])])) ++end;
    if (end < i + 2) {
      ++i;
      continue;
    }
    for (; i < end; ++i) {
      auto& c = choices[static_cast<std::size_t>(layers[i])];
      const int weights = c.weights_memory, output = c.output_memory;
      c = {};
      c.weights_memory = weights, c.output_memory = i + 1 == end ? output : 0;
      c.phases = i + 1 == end ? plan::Phases::yes : plan::Phases::with_next;
      c.tile = test::pick(random, 1, 2);
    }
    ++several;
  }
  return several;
}

struct Measurement {
  Sweep sweep;
  nlohmann::json front;
  reports::RecordedPoint recorded;
};

Measurement document(const Case& c, const Point& p) {
  Measurement out;
  Front f;
  f.network = "n", f.device = "d", f.tick_hz = c.device->tick_hz();
  for (const auto& m : c.device->memories) f.memories.push_back({m.name, m.size, m.reserved, m.on_chip});
  f.points.push_back(p);
  out.sweep.fronts.push_back(f);
  out.front = reports::results_json(out.sweep)["fronts"][0];
  out.recorded = reports::read_point("x", out.front, out.front["points"][0]);
  return out;
}

void expect_exact_account(const Point& p, const program::Program& program) {
  const program::SectionLayers layers(program);
  ASSERT_EQ(p.run.layers.size(), layers.rows().size());
  ASSERT_EQ(p.layers.size(), layers.rows().size());
  ASSERT_EQ(p.uses.size(), layers.rows().size());
  EXPECT_EQ(p.sections.size(), program.sections.size());
  std::int64_t ticks = 0, macs = 0;
  for (const auto& l : p.run.layers) ticks += l.total();
  for (const auto& u : p.uses) macs += u.macs;
  EXPECT_EQ(ticks, p.latency_ticks);
  EXPECT_EQ(macs, p.run.macs);
}

/// Windows lie in their buffers' lives, in order, and no two buffers take a byte at the same tick unless one becomes
/// the other in place.
void expect_sound_windows(const Point& p) {
  for (const auto& b : p.buffers) {
    for (std::size_t i = 0; i < b.windows.size(); ++i) {
      const auto& w = b.windows[i];
      EXPECT_TRUE(b.from_tick <= w.from_tick && w.from_tick < w.to_tick && w.to_tick <= b.to_tick) << b.name;
      EXPECT_TRUE(0 <= w.begin && w.begin < w.end && w.end <= b.size) << b.name;
      EXPECT_TRUE(i == 0 || b.windows[i - 1].from_tick <= w.from_tick) << b.name;
    }
    EXPECT_LE(b.first, b.last);
    EXPECT_LT(b.last, static_cast<int>(p.layers.size()));
  }
}

TEST(PhasedPoints, AddUpInEveryReport) {
  int several = 0, windowed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    auto choices = test::random_choices(random, *network, *device);
    const int drawn = by_phases(random, *network, choices);
    auto made = plan::make_plan(*network, *device, std::move(choices));
    if (drawn == 0 || std::holds_alternative<plan::Infeasible>(made)) continue;
    several += drawn;
    const auto& plan = std::get<plan::Plan>(made);
    const auto program = plan::lower(*network, *device, plan);
    const Case c{network, device, "d"};
    const auto p = simulate_point(c, plan, true, true);
    ASSERT_FALSE(p.run.failure) << p.run.failure->what;
    EXPECT_TRUE(p.verified);
    expect_exact_account(p, program);
    expect_sound_windows(p);
    expect_under_the_roof(p);
    for (const auto& b : p.buffers) windowed += !b.windows.empty();

    for (std::size_t m = 0; m < device->memories.size(); ++m) {
      std::int64_t load = 0;
      for (const auto& step : reports::load_curve(p, device->memories[m].name, p.images[m]))
        load = std::max(load, step.end);
      if (device->memories[m].on_chip && load > 0) {
        EXPECT_EQ(load, p.loads[m]) << device->memories[m].name;
      }
    }

    // The trace is needed for windows only: without it the same windows, and nothing of it stays.
    const auto untraced = simulate_point(c, plan, true, false);
    EXPECT_TRUE(untraced.run.trace.empty());
    for (std::size_t i = 0; i < p.buffers.size(); ++i)
      EXPECT_EQ(untraced.buffers[i].windows.size(), p.buffers[i].windows.size());

    const auto d = document(c, p);
    EXPECT_TRUE(reports::diff_points(d.recorded, d.recorded).equal());  // checks every sum
    EXPECT_THAT(d.front["points"][0].dump(), HasSubstr("segment 1: "));
    EXPECT_THAT(reports::front_csv(d.sweep), HasSubstr("..."));
  }
  EXPECT_GT(several, 20);
  EXPECT_GT(windowed, 20);
}

/// Without offsets a plan takes the time that it takes with them, and no layout is below its loads.
TEST(PhasedPoints, WhatIsDiscardedWithoutOffsetsCouldNotHaveBeenBetter) {
  int compared = 0, above = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random);
    auto choices = test::random_choices(random, *c.network, *c.device);
    if (by_phases(random, *c.network, choices) == 0) continue;
    const plan::Decisions decided{c.whole, choices};
    const auto least = least_of(c, decided), measured = evaluate(c, decided);
    if (!measured.feasible()) continue;
    ASSERT_TRUE(least.feasible()) << seed << ": " << least.reason;
    ++compared;
    EXPECT_EQ(least.costs[kTicks], measured.costs[kTicks]) << seed;
    EXPECT_EQ(least.costs[kEnergy], measured.costs[kEnergy]) << seed;
    EXPECT_EQ(least.costs[kTraffic], measured.costs[kTraffic]) << seed;
    for (std::size_t m = 0; m < least.heights.size(); ++m) EXPECT_LE(least.heights[m], measured.heights[m]) << seed;
    EXPECT_EQ(least.memory, least.load);
    above += measured.memory > least.memory;
    // What an earlier run found dominated is judged without simulating it again.
    auto beaten = least;
    beaten.beaten = true;
    const auto known = candidate_of(beaten, "x");
    EXPECT_EQ(known.status, CandidateStatus::dominated);
    const auto again = least_of(c, decided, &known);
    EXPECT_EQ(again.costs[kTicks], least.costs[kTicks]);
    EXPECT_EQ(again.heights, least.heights);
    EXPECT_EQ(again.costs[kEnergy], least.costs[kEnergy]);
    EXPECT_EQ(again.costs[kTraffic], least.costs[kTraffic]);
  }
  EXPECT_GT(compared, 20);
  EXPECT_GT(above, 0);
}

}  // namespace
}  // namespace dse::explore::phased_points_test
