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
#include "tests/explore/layer/every_schedule.h"
#include "tests/support/random_cases.h"

namespace dse::explore::layer_search_test {
namespace {

using test::Everything;
using test::expect_bounds_hold;
using test::registry;
using test::simulate_all;

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
