// The layer search against simulating everything.
#include "explore/layer/layer_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "explore/layer/bound.h"
#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "models/nn/import.h"
#include "sim/platform.h"
#include "tests/support/random_cases.h"

namespace dse::explore::layer_search_test {
namespace {

const plan::ChoiceRegistry& registry() {
  static const auto r = plan::ChoiceRegistry::standard();
  return r;
}

struct Everything {
  LayerEntry entry;
  std::int64_t ticks, bound;
};

/// Every candidate of a task that fits, simulated.
std::vector<Everything> simulate_all(const LayerTask& task, const hw::DevicePtr& device, std::int64_t& left_out) {
  auto& platform = sim::Platform::instance();
  platform.configure(device);
  const hw::DeviceTiming timing(device);
  std::vector<Everything> out;
  for (const auto& choice : enumerate(task, registry(), {})) {
    const auto geometry = plan::layer_geometry(task.context, choice);
    bool fits = geometry.feasible && std::int64_t{geometry.tiles} * geometry.sets * geometry.steps <= task.max_calls;
    Everything e;
    for (std::size_t m = 0; fits && m < device->memories.size(); ++m) {
      e.entry.local.push_back(geometry.local_bytes(static_cast<int>(m), device->memories[m].alignment));
      fits &= e.entry.local.back() <= device->memories[m].free();
    }
    if (!fits) {
      ++left_out;
      continue;
    }
    e.entry.choice = choice;
    e.entry.weight_bytes = geometry.weight_bytes;
    const auto program = layer_program(task, geometry);
    const auto job = sim::program_part(program, *device);
    e.bound = cost_bound(program, job.binding, timing)[kTicks];
    e.ticks = e.entry.costs[kTicks] = platform.run({job}, {.data = false, .accounts = false}).ticks;
    out.push_back(std::move(e));
  }
  return out;
}

bool covers(const LayerEntry& a, const LayerEntry& b, const hw::Device& device) {
  if (a.costs[kTicks] > b.costs[kTicks]) return false;
  if (a.choice.weights_memory != plan::kStreamed &&  // they stay for good
      (a.choice.weights_memory != b.choice.weights_memory || a.weight_bytes > b.weight_bytes))
    return false;
  for (std::size_t m = 0; m < a.local.size(); ++m)
    if (device.memories[m].on_chip && a.local[m] > b.local[m]) return false;
  return true;
}

TEST(LayerSearch, WhatItDiscardsIsDominatedAndWhatItKeepsIsNot) {
  int layers = 0;
  std::int64_t discarded = 0, simulated = 0, candidates = 0;
  for (std::uint64_t seed = 0; layers < 60; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random, seed % 2);
    const Space space(*network, *device, SweepSpec());
    const auto& task = space.tasks[random() % space.tasks.size()];
    const auto front = search_layer(task, registry(), {}, default_goal(*task.context.device));
    std::int64_t left_out = 0;
    const auto all = simulate_all(task, device, left_out);
    ASSERT_EQ(front.simulated + front.discarded, static_cast<std::int64_t>(all.size())) << "seed " << seed;
    ASSERT_EQ(front.infeasible + front.outside, left_out);
    ASSERT_EQ(front.skipped, 0);
    for (const auto& e : all) {
      ASSERT_LE(e.bound, e.ticks) << "seed " << seed;
      ASSERT_TRUE(std::any_of(front.entries.begin(), front.entries.end(),
                              [&](const LayerEntry& f) { return covers(f, e.entry, *device); }))
          << "seed " << seed << ": a schedule of " << e.ticks << " ticks is lost";
    }
    for (const auto& f : front.entries) {
      const auto truth =
          std::find_if(all.begin(), all.end(), [&](const Everything& e) { return e.entry.choice == f.choice; });
      ASSERT_NE(truth, all.end());
      ASSERT_EQ(truth->ticks, f.costs[kTicks]);
      ASSERT_EQ(truth->entry.local, f.local);
      for (const auto& g : front.entries) ASSERT_TRUE(&f == &g || !covers(g, f, *device)) << "seed " << seed;
    }
    ASSERT_TRUE(std::is_sorted(front.entries.begin(), front.entries.end(),
                               [](const auto& a, const auto& b) { return a.costs[kTicks] < b.costs[kTicks]; }));
    ++layers, discarded += front.discarded, simulated += front.simulated,
        candidates += static_cast<std::int64_t>(all.size());
  }
  std::printf("%d layers, %lld candidates: %lld simulated, %lld discarded by bounds, none of them missed\n", layers,
              static_cast<long long>(candidates), static_cast<long long>(simulated), static_cast<long long>(discarded));
  EXPECT_GT(discarded, candidates / 10) << "the bounds do nothing";
}

/// @returns all schedules of the layer, none of which takes less than its bound.
std::vector<Everything> expect_bounds_hold(const LayerTask& task, const hw::DevicePtr& device, std::uint64_t seed) {
  search_layer(task, registry(), {}, default_goal(*device));  // throws where a bound lies above a simulation
  std::int64_t left_out = 0;
  auto all = simulate_all(task, device, left_out);
  for (const auto& e : all) EXPECT_LE(e.bound, e.ticks) << "seed " << seed;
  return all;
}

TEST(LayerSearch, BoundsHoldWhereControlRunsFasterThanTheDevice) {
  int shared = 0;
  for (std::uint64_t seed = 0; shared < 20; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    if (device->control.engine < 0) continue;
    ++shared;
    device->engines[static_cast<std::size_t>(device->control.engine)].clock_hz = 4 * device->clock_hz;
    device->control.issue = 300;
    const Space space(*network, *device, SweepSpec());
    expect_bounds_hold(space.tasks[random() % space.tasks.size()], device, seed);
  }
}

/// Cycles of a DMA that are no whole ticks, and descriptors that it fetches by itself.
TEST(LayerSearch, BoundsHoldWhereDmaClocksDivideNothingAndDescriptorsAreChained) {
  int chained = 0;
  for (std::uint64_t seed = 0; chained < 40; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    int moving = 0;
    for (auto& e : device->engines) {
      if (e.kind != hw::EngineKind::dma) continue;
      ++moving;
      e.clock_hz = device->clock_hz * test::pick(random, 2, 6) / 7;
      e.setup = test::pick(random, 1, 9), e.per_row = test::pick(random, 0, 3);
      if (test::pick(random, 0, 1)) e.chained = test::pick(random, 0, 4);
    }
    if (moving == 0) continue;
    ++chained;
    const Space space(*network, *device, SweepSpec());
    expect_bounds_hold(space.tasks[random() % space.tasks.size()], device, seed);
  }
}

/// Cores whose caches fetch whole lines of memories with clocks of their own.
TEST(LayerSearch, BoundsHoldWhereCachesFetchLines) {
  int cores = 0, slower = 0;
  for (std::uint64_t seed = 0; cores < 120; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    if (device->engines.size() != 1) continue;
    ++cores;
    auto& core = device->engines[0];
    device->kernel_library = std::array{"cmsis-nn", "cmsis-nn-mve", "tflm-reference"}[cores % 3];
    for (const auto& count : hw::counts_of(device->kernel_library)) core.cycles_per_count[count] = {1, 2};
    core.cache = 64 << test::pick(random, 0, 8);
    if (test::pick(random, 0, 1)) device->memories[2].clock_hz = device->clock_hz * 3 / 7;
    const auto in_lines = std::make_shared<hw::Device>(*device);
    in_lines->engines[0].cache_line = 8 << test::pick(random, 0, 2);
    const Space space(*network, *device, SweepSpec()), same(*network, *in_lines, SweepSpec());
    const auto layer = random() % space.tasks.size();
    std::int64_t left_out = 0;
    const auto without = simulate_all(space.tasks[layer], device, left_out);
    const auto all = expect_bounds_hold(same.tasks[layer], in_lines, seed);
    ASSERT_EQ(all.size(), without.size());
    for (std::size_t i = 0; i < all.size(); ++i) slower += all[i].ticks > without[i].ticks;
  }
  EXPECT_GT(slower, 100);
}

TEST(LayerSearch, AnAcceleratorAndTheClusterInItsPlaceAreBothTried) {
  Diagnostics d;
  const auto device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap9-ne16.yaml", {}, d);
  ASSERT_TRUE(device) << d.text();
  const auto network = nn::import_yaml(
      "format: 1\nname: n\nseed: 1\ninput: {shape: [1, 7, 5, 8], scale: 0.0078, zero_point: 0}\nlayers:\n"
      "  - conv: {filters: 8, kernel: 3}\n  - depthwise: {kernel: 3, stride: 2}\n  - conv: {filters: 6, kernel: 1}\n",
      "n.yaml", d);
  ASSERT_TRUE(network) << d.text();
  const Space space(*network, *device, SweepSpec());
  const int cluster = device->engine("cluster");
  for (const auto& task : space.tasks) {
    std::map<int, std::int64_t> least;
    for (const auto& e : expect_bounds_hold(task, device, 0)) {
      const auto [it, first] = least.try_emplace(e.entry.choice.engine, e.ticks);
      if (!first) it->second = std::min(it->second, e.ticks);
    }
    ASSERT_EQ(least.size(), 2u);
    EXPECT_LT(least.at(-1), least.at(cluster));
  }
}

LayerTask some_task(const nn::Network& network, const hw::Device& device) {
  const Space space(network, device, SweepSpec());
  const LayerTask* best = &space.tasks[0];
  std::size_t most = 0;
  for (const auto& t : space.tasks)
    if (const auto n = enumerate(t, registry(), {}).size(); n > most) most = n, best = &t;
  return *best;
}

TEST(LayerSearch, ABudgetSkipsAndSaysHowMuch) {
  test::Random random(3);
  const auto network = test::random_network(random);
  const auto device = test::random_device(random);
  const auto task = some_task(*network, *device);
  const auto full = search_layer(task, registry(), {}, default_goal(*task.context.device));
  ASSERT_GT(full.simulated, 6);
  const auto part = search_layer(task, registry(), {}, default_goal(*task.context.device), LayerBudget{2, {}});
  EXPECT_GE(part.simulated, 2);
  EXPECT_LE(part.simulated, 4) << "the fastest-looking and the smallest are simulated all the same";
  EXPECT_GT(part.skipped, 0);
  EXPECT_EQ(part.simulated + part.discarded + part.skipped, full.simulated + full.discarded);
}

/// All are counted; of what is ruled out without a simulation the first of each kind are told of.
TEST(LayerSearch, TellsOfAFewOfThoseThatItRulesOut) {
  int full = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random, seed % 2 == 1);
    const SweepSpec spec;
    const Space space(*network, *device, spec);
    for (const auto& task : space.tasks) {
      std::map<CandidateStatus, std::int64_t> told;
      std::int64_t bound = 0, simulated = 0;
      LayerWatch watch;
      watch.simulated = [&](const Candidate&) { ++simulated; };
      watch.settled_otherwise = [&](const Candidate& c) {
        ++told[c.status];
        if (c.status != CandidateStatus::dominated) return;
        EXPECT_GE(c.bound, bound) << "not by their bounds";
        bound = c.bound;
      };
      const auto front = search_layer(task, registry(), {}, default_goal(*device), {}, {}, watch);
      EXPECT_EQ(simulated, front.simulated);
      EXPECT_EQ(told[CandidateStatus::dominated], std::min<std::int64_t>(kTold, front.discarded));
      EXPECT_EQ(told[CandidateStatus::infeasible], std::min<std::int64_t>(kTold, front.infeasible));
      EXPECT_EQ(told[CandidateStatus::outside], std::min<std::int64_t>(kTold, front.outside));
      full += front.discarded > kTold;
    }
  }
  EXPECT_GE(full, 20);
}

TEST(Enumerate, GivesEveryCombinationOnceAndOnlyWhatIsAllowed) {
  int restricted = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const auto task = some_task(*network, *device);
    const auto all = enumerate(task, registry(), {});
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].output_memory, task.output.memory);
      EXPECT_EQ(all[i].output_layout, task.output.layout);
      for (std::size_t k = 0; k < i; ++k) ASSERT_FALSE(all[i] == all[k]) << "twice";
    }
    // A restriction keeps exactly those that have an allowed value or no other possibility.
    const auto some = enumerate(task, registry(), {{"scheme", {"planar"}}, {"buffering", {"single"}}});
    std::vector<plan::LayerChoice> expected;
    const auto* scheme = registry().find("scheme");
    const auto* buffering = registry().find("buffering");
    for (const auto& c : all) {
      const bool planar = c.scheme == plan::Scheme::planar || scheme->domain(task.context, c).size() < 2;
      const bool single = c.buffering == plan::Buffering::once || buffering->domain(task.context, c).size() < 2;
      if (planar && single) expected.push_back(c);
    }
    EXPECT_EQ(some, expected);
    restricted += some.size() < all.size();
  }
  EXPECT_GT(restricted, 10);
}

}  // namespace
}  // namespace dse::explore::layer_search_test
