#include <random>

#include "bench/reference_loop.h"
#include "bench/synthetic.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::property_test {
namespace {

/// A program of random copies and calls in random loops with random (backward) dependencies.
Program random_program(std::mt19937& rng) {
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  Program p = small_program();
  for (int s = pick(1, 4), section = 0; section < s; ++section) {
    p.section({"s" + std::to_string(section), section, section});
    p.loop(pick(1, 8));
    for (int n = pick(1, 6); n > 0; --n) {
      std::vector<Dependency> deps;
      for (int k = pick(0, 2); k > 0; --k)
        deps.push_back({static_cast<std::uint8_t>(pick(0, 3)), static_cast<std::uint8_t>(pick(0, program::kMaxAge))});
      const int slot = pick(0, 3), bytes = pick(1, 300);
      switch (pick(0, 3)) {
        case 0:
          add(p, slot, deps, 0, 0, 512, bytes);
          break;
        case 1:
          store(p, pick(0, 2), slot, deps, 0, 0, bytes);
          break;
        default:
          load(p, pick(0, 2), slot, deps, 0, 0, bytes);
          break;
      }
    }
    p.end();
    if (pick(0, 1)) wait(p);
  }
  return p;
}
hw::Device random_device(std::mt19937& rng) {
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  hw::Device d = small_device();
  d.memories[0].width = {pick(1, 40), pick(1, 3)};
  d.memories[0].banks = pick(0, 1) ? 1 : 8;
  d.memories[1].width = {pick(1, 20), pick(1, 9)};
  d.memories[1].ports = pick(1, 2);
  d.memories[1].latency = pick(0, 70);
  d.memories[1].clock_hz = pick(0, 1) ? 0 : 400'000;
  d.engines[0].outstanding = pick(1, 4);
  d.engines[0].queue = pick(1, 5);
  d.engines[1].queue = pick(1, 5);
  d.engines[1].kernel_switch = pick(0, 50);
  d.control.issue = pick(0, 25);
  d.control.wait = pick(0, 25);
  d.control.engine = pick(0, 2) ? -1 : 1;
  return d;
}

/// With priorities, copies that are waited for, and pages.
hw::Device with_more(hw::Device d, std::mt19937& rng) {
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  d.arbitration = pick(0, 3) ? "priority" : "round-robin";
  for (auto& e : d.engines) e.priority = pick(0, 2);
  d.engines[0].blocking = pick(0, 2) == 0;
  if (pick(0, 1)) d.memories[1].page = 16 << pick(0, 3), d.memories[1].page_miss = pick(1, 70);
  if (pick(0, 1)) d.memories[1].banks = 8, d.memories[1].bank_word = 1 << pick(0, 3);
  return d;
}

/// Differential: the platform and an event loop without SystemC give the same ticks.
TEST(Property, AgreesWithAnIndependentEventLoop) {
  std::mt19937 rng(1);
  for (int round = 0; round < 300; ++round) {
    const Program p = random_program(rng);
    const hw::Device d = random_device(rng);
    const RunResult r = run(p, d, {});
    ASSERT_FALSE(r.failure) << r.failure->what;
    const auto device = std::make_shared<const hw::Device>(d);
    reference::Loop loop;
    ASSERT_EQ(r.ticks, loop.run(hw::DeviceTiming(device), whole_program(p, d))) << "round " << round;
  }
}

TEST(Property, AgreesOnPrioritiesBlockingCopiesAndPages) {
  std::mt19937 rng(11);
  int levels = 0, blocking = 0, slower = 0;
  for (int round = 0; round < 300; ++round) {
    const Program p = random_program(rng);
    hw::Device d = random_device(rng);
    d.memories[1].ports = 1;
    const hw::Tick plain = run(p, d, {}).ticks;
    d = with_more(d, rng);
    const RunResult r = run(p, d, {});
    ASSERT_FALSE(r.failure) << r.failure->what;
    reference::Loop loop;
    ASSERT_EQ(r.ticks, loop.run(hw::DeviceTiming(std::make_shared<const hw::Device>(d)), whole_program(p, d)))
        << "round " << round;
    levels += d.arbitration == "priority" && d.engines[0].priority != d.engines[1].priority;
    blocking += d.engines[0].blocking;
    slower += r.ticks > plain;
  }
  EXPECT_GT(levels, 50);
  EXPECT_GT(blocking, 50);
  EXPECT_GT(slower, 100);
}

TEST(Property, AgreesOnALayeredProgram) {
  const Program p = synthetic::program({});
  const hw::Device d = synthetic::device();
  const auto device = std::make_shared<const hw::Device>(d);
  reference::Loop loop;
  const RunResult r = run(p, d, {});
  EXPECT_EQ(r.ticks, loop.run(hw::DeviceTiming(device), whole_program(p, d)));
  EXPECT_GT(r.tasks, 900);
}

bool same(const RunResult& a, const RunResult& b) {
  if (a.ticks != b.ticks || a.tasks != b.tasks || a.energy_fj != b.energy_fj || a.trace.size() != b.trace.size())
    return false;
  for (std::size_t i = 0; i < a.trace.size(); ++i)
    if (a.trace[i].issued != b.trace[i].issued || a.trace[i].start != b.trace[i].start ||
        a.trace[i].end != b.trace[i].end)
      return false;
  for (std::size_t s = 0; s < a.layers.size(); ++s)
    if (a.layers[s].ticks != b.layers[s].ticks || a.layers[s].hidden_dma != b.layers[s].hidden_dma) return false;
  return true;
}

TEST(Property, RunsAreDeterministicAndLeaveNothingBehind) {
  std::mt19937 rng(5);
  for (int round = 0; round < 20; ++round) {
    const Program a = random_program(rng), b = random_program(rng);
    const hw::Device da = random_device(rng), db = random_device(rng);
    const RunResult first = run(a, da);
    EXPECT_TRUE(same(first, run(a, da)));
    run(b, db);
    EXPECT_TRUE(same(first, run(a, da)));
  }
}

/// Without contention (one transfer at a time) a wider memory never makes a program slower.
TEST(Property, MoreBandwidthAndLargerPagesAreNeverSlowerWithoutContention) {
  std::mt19937 rng(9);
  for (int round = 0; round < 50; ++round) {
    const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
    Program p = small_program();
    p.loop(pick(1, 6));
    for (int n = pick(1, 5); n > 0; --n) {
      load(p, 0, 0, {{1, 0}}, 0, 0, pick(1, 400));
      add(p, 1, {{0, 0}}, 0, 0, 512, pick(1, 100));
    }
    p.end();
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (int width = 1; width <= 32; ++width) {
      hw::Device d = small_device();
      d.memories[1].width = {width, 3};
      const std::int64_t ticks = run(p, d, {}).ticks;
      EXPECT_LE(ticks, before);
      before = ticks;
    }
    before = std::numeric_limits<std::int64_t>::max();
    for (int page = 8; page <= 512; page += 8) {
      hw::Device d = small_device();
      d.memories[1].page = page, d.memories[1].page_miss = 10;
      const std::int64_t ticks = run(p, d, {}).ticks;
      EXPECT_LE(ticks, before) << "pages of " << page;
      before = ticks;
    }
  }
}

TEST(Property, AccountsAddUpExactly) {
  std::mt19937 rng(13);
  for (int round = 0; round < 300; ++round) {
    const Program p = random_program(rng);
    hw::Device d = random_device(rng);
    if (round % 2) d = with_more(d, rng);
    const RunResult r = run(p, d);
    std::int64_t sum = 0;
    for (const LayerAccount& l : r.layers) {
      for (const std::int64_t t : l.ticks) EXPECT_GE(t, 0);
      EXPECT_GE(l.hidden_dma, 0);
      sum += l.total();
    }
    ASSERT_EQ(sum, r.ticks) << "round " << round;
    ASSERT_EQ(r.section_end.size(), r.layers.size());
    EXPECT_LE(r.section_end.back(), r.ticks);
    for (const EngineUse& e : r.engines) {
      EXPECT_GE(e.stalled, 0);
      EXPECT_LE(e.busy + e.stalled, r.ticks);
    }
  }
}

}  // namespace
}  // namespace dse::sim::testing::property_test
