// The blocks of the simulated Ethos-U: times in closed form, identities of the counters, and Arm's hardware model.
#include <gtest/gtest.h>

#include <cstdlib>

#include "explore/npu/front.h"
#include "explore/npu/whole_system.h"
#include "models/hw/library.h"
#include "plan/npu/schedule/least.h"
#include "tests/explore/npu/networks.h"
#include "tests/nn/golden/golden.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::npu::simulation_test {
namespace {

using namespace plan::npu;
using namespace hw::ethos_u;
using test::npu;

/// Active + idle = all; each block's times sum up to active; what kernels moved is part of what the ports moved.
void expect_identities(const Simulated& s, const std::string& where) {
  for (int p = 0; p < kParts; ++p) {
    std::int64_t sum = 0;
    for (int w = 0; w < kWaits; ++w) {
      EXPECT_GE(s.pmu.time[static_cast<std::size_t>(p)][static_cast<std::size_t>(w)], 0);
      sum += s.pmu.time[static_cast<std::size_t>(p)][static_cast<std::size_t>(w)];
    }
    EXPECT_EQ(sum, s.pmu.active) << where << ", " << hw::ethos_u::name_of(static_cast<hw::ethos_u::Part>(p));
  }
  std::int64_t invocations = 0, reads[2] = {}, mac = 0;
  for (const auto t : s.invocations) invocations += t;
  EXPECT_EQ(invocations, s.pmu.active) << where;
  for (const auto& o : s.operations)
    for (int port = 0; port < 2; ++port) reads[port] += o.read_beats[static_cast<std::size_t>(port)];
  for (const auto& o : s.operations) mac += o.mac_busy;
  EXPECT_LE(reads[0], s.pmu.axi[0].read_beats) << where;
  EXPECT_LE(reads[1], s.pmu.axi[1].read_beats) << where;
  EXPECT_EQ(mac, s.pmu.mac_active_8 + s.pmu.mac_active_16) << where;
}

sim::NpuResult run(const Npu& n, const CommandWriter& w) { return sim::run_npu(n, w.words()); }

/// A maximum of one pixel, but for the command.
CommandWriter whole_kernel() {
  CommandWriter w;
  w.set(Register::function, static_cast<std::uint32_t>(Function::max_pool));
  for (const auto r : {Register::ifm_h, Register::ifm_w, Register::ifm_c, Register::ofm_h, Register::ofm_w,
                       Register::ofm_c, Register::kernel_h, Register::kernel_w})
    w.set(r, 1);
  w.set(Register::strides, 0x1111), w.set(Register::ifm_type, 8), w.set(Register::ofm_type, 8);
  w.set(Register::block_h, 2), w.set(Register::block_w, 2), w.set(Register::block_c, 8);
  return w;
}

// Words come 16 at a time after the flash's latency, a byte a cycle, and are taken one a cycle; a copy of 800 bytes
// waits for the slower of two latencies and moves a byte a cycle.
TEST(NpuClosedForm, OneCopy) {
  CommandWriter w;
  w.set(Register::dma_from_region, 0), w.set(Register::dma_to_region, 1);
  w.set(Register::dma_from, 0), w.set(Register::dma_to, 0), w.set(Register::dma_length, 800);
  w.operation(OpCode::dma), w.operation(OpCode::dma_wait), w.operation(OpCode::stop);
  const auto r = run(npu(), w);
  EXPECT_EQ(r.error, "");
  // 11 words: 44 bytes, 6 beats of 8 at a byte a cycle; 8 words before the copy.
  const std::int64_t fetched = 64 + 48, asked = fetched + 8, copied = asked + 64 + 800;
  EXPECT_EQ(r.pmu.active, copied + 1) << "the wait's word; STOP ends it at once";
  EXPECT_EQ(r.pmu.axi[1].read_beats, 6 + 100);
  EXPECT_EQ(r.pmu.axi[0].written_beats, 100);
  EXPECT_EQ(r.pmu.of(hw::ethos_u::Part::dma, Wait::busy), 64 + 800);
}

TEST(NpuClosedForm, StreamsThatAreWrongStopTheNpu) {
  EXPECT_EQ(sim::run_npu(npu(), {}).error, "the command stream ends without STOP");
  const std::vector<std::uint32_t> unknown = {0x0FFF};
  EXPECT_EQ(sim::run_npu(npu(), unknown).error, "no command: 4095");
  CommandWriter kernel;
  kernel.operation(OpCode::kernel), kernel.operation(OpCode::stop);
  EXPECT_EQ(run(npu(), kernel).error, "kernel 0: the input has no size or no type");
  CommandWriter huge = whole_kernel();
  huge.set(Register::ofm_h, 65535), huge.set(Register::ofm_w, 65535), huge.operation(OpCode::kernel);
  EXPECT_EQ(run(npu(), huge).error, "kernel 0: it takes more than 1048576 steps");
  CommandWriter odd = whole_kernel();
  odd.set(Register::function, static_cast<std::uint32_t>(Function::abs));
  odd.set(Register::kernel_w, 3), odd.operation(OpCode::kernel), odd.operation(OpCode::stop);
  EXPECT_EQ(run(npu(), odd).error, "kernel 0: what goes element by element has no window");
  CommandWriter window = whole_kernel();
  window.set(Register::kernel_h, 300), window.operation(OpCode::kernel);
  EXPECT_EQ(run(npu(), window).error, "kernel 0: the kernel has more than 256 rows or 65536 elements");
  CommandWriter copy;
  copy.operation(OpCode::dma), copy.operation(OpCode::stop);
  EXPECT_EQ(run(npu(), copy).error, "a copy of nothing, or from no region");
}

std::uint32_t largest_extent(const std::vector<std::uint32_t>& words) {
  std::uint32_t most = 0;
  for (std::size_t at = 0; at < words.size();) {
    const auto c = command_at(words, at);
    if (!c) break;
    at += static_cast<std::size_t>(c->words);
    if (!c->is_register) continue;
    for (const auto r :
         {Register::ifm_h, Register::ifm_w, Register::ifm_c, Register::ofm_h, Register::ofm_w, Register::ofm_c,
          Register::ifm2_h, Register::ifm2_w, Register::ifm2_c, Register::kernel_h, Register::kernel_w})
      if (c->target == r) most = std::max(most, c->value);
  }
  return most;
}

TEST(NpuClosedForm, DamagedStreamsAlwaysEnd) {
  int run = 0;
  const Npu npus[] = {npu(), npu("ethos-u85-512")};
  const Compiled compiled[] = {compile(test::thesis_network(2, 4), npus[0], Optimise::performance),
                               compile(test::thesis_network(2, 4), npus[1], Optimise::performance)};
  std::mt19937_64 random(1);
  for (int i = 0; i < dse::test::of_cases(6000); ++i) {
    auto words = compiled[i % 3 == 2].streams[0].words;
    for (int n = 1 + static_cast<int>(random() % 6); n > 0; --n) {
      std::uint32_t& w = words[random() % words.size()];
      w = random() % 2 ? static_cast<std::uint32_t>(random()) : (w ^ 1u << random() % 32);
    }
    // Extents of 16 bits make steps by the million; what is looked for is an end, not a long one.
    if (largest_extent(words) > 256) continue;
    ++run;
    EXPECT_GT(sim::run_npu(npus[i % 3 == 2], words).pmu.active, 0);
  }
  EXPECT_GT(run, dse::test::of_cases(3000));
}

// Arm's cycle-approximate model, U55-128, Shared_Sram, High End Embedded (its own uncertainty: 10 %): what the
// concurrency thesis measured of its two networks. Its compiler had all tensors between operations in bricks.
TEST(NpuHardwareModel, ThesisNetworks) {
  const auto of = [](int first, int second) {
    return compile(test::thesis_network(first, second), npu(), Optimise::performance, plan::npu::Formats::bricks);
  };
  const Compiled c = of(2, 4);
  EXPECT_EQ(c.places.fast_bytes, 23456) << "the arena, to the byte";
  const Simulated small = simulate(c);
  EXPECT_NEAR(static_cast<double>(small.pmu.active) / 21372, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(small.pmu.axi[0].read_beats) / 4234, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(small.pmu.axi[0].written_beats) / 3790, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(small.pmu.axi[1].read_beats) / 754, 1, 0.05);
  EXPECT_NEAR(static_cast<double>(simulate(of(256, 512)).pmu.active) / 1604440, 1, 0.05);
}

// Softmax is what differs: its outputs lie in place of its inputs, channels last, and are fewer bytes so.
TEST(NpuFormats, InPlaceMovesLessThanBricks) {
  const auto of = [](plan::npu::Formats formats) {
    return simulate(compile(test::thesis_network(2, 4), npu(), Optimise::performance, formats)).pmu;
  };
  const auto bricks = of(plan::npu::Formats::bricks), in_place = of(plan::npu::Formats::in_place);
  EXPECT_LT(in_place.axi[0].read_beats, bricks.axi[0].read_beats);
  EXPECT_LT(in_place.axi[0].written_beats, bricks.axi[0].written_beats);
  EXPECT_LT(in_place.active, bricks.active);
}

TEST(NpuHardwareModelGolden, AnomalyDetection) {
  const auto file = nn::test::shared() / "golden/cycles/models/arm_mlzoo/ad_medium_int8.tflite";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no golden files";
  Diagnostics d;
  const auto n = nn::load_network(file.string(), d);
  ASSERT_TRUE(n) << d.text();
  const Simulated s = simulate(compile(n, npu(), Optimise::performance));
  EXPECT_NEAR(static_cast<double>(s.pmu.active) / 967731, 1, 0.05);
  EXPECT_NEAR(static_cast<double>(s.pmu.axi[0].read_beats) / 485194, 1, 0.02);
  EXPECT_EQ(s.pmu.axi[0].written_beats, 138111);
  EXPECT_NEAR(static_cast<double>(s.pmu.axi[1].read_beats) / 56245, 1, 0.005);
  expect_identities(s, "ad_medium");
}

TEST(NpuCounters, IdentitiesOnRandomNetworks) {
  dse::test::Random random(3);
  for (int i = 0; i < dse::test::of_cases(60); ++i) {
    const auto n = dse::test::random_network(random);
    const auto& a = accelerators()[random() % accelerators().size()];
    const auto mode = static_cast<MemoryMode>(random() % 3);
    const Compiled c =
        compile(n, npu(std::string(a.name), mode), random() % 2 ? Optimise::size : Optimise::performance);
    if (c.costs->count() == 0) continue;
    const Simulated s = simulate(c);
    EXPECT_EQ(s.error, "");
    expect_identities(s, std::string(a.name));
  }
}

TEST(NpuCounters, IdentitiesOnEveryU85) {
  dse::test::Random random(8);
  for (const Accelerator& a : accelerators()) {
    if (!a.table85) continue;
    for (const auto mode : {MemoryMode::shared_sram, MemoryMode::sram_only, MemoryMode::dedicated_sram})
      for (int i = 0; i < dse::test::of_cases(4); ++i) {
        const auto n = i == 0 ? test::thesis_network(16, 32) : dse::test::random_network(random);
        const Compiled c = compile(n, npu(std::string(a.name), mode), Optimise::performance);
        if (c.costs->count() == 0) continue;
        const Simulated s = simulate(c);
        EXPECT_EQ(s.error, "");
        EXPECT_EQ(s.pmu.beat_bytes, 16);
        expect_identities(s, std::string(a.name));
        EXPECT_LE(plan::npu::least_of(*c.costs).cycles, s.pmu.active) << a.name;
      }
  }
}

TEST(NpuCounters, EqualStreamsTakeEqualTimes) {
  const Compiled c = compile(test::thesis_network(8, 16), npu(), Optimise::performance);
  const Simulated a = simulate(c), b = simulate(c);
  EXPECT_EQ(a.pmu.active, b.pmu.active);
  EXPECT_EQ(a.pmu.time, b.pmu.time);
}

TEST(NpuFront, HasBothRulesAndWhatLiesBetween) {
  const auto n = test::thesis_network(16, 32);
  const auto points = front(n, npu());
  ASSERT_FALSE(points.empty());
  const Compiled small = compile(n, npu(), Optimise::size), fast = compile(n, npu(), Optimise::performance);
  EXPECT_LE(points.front().bytes(), small.places.fast_bytes);
  EXPECT_LE(points.back().cycles(), simulate(fast).pmu.active);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i].bytes(), points[i - 1].bytes());
    EXPECT_LT(points[i].cycles(), points[i - 1].cycles());
  }
}

TEST(NpuSystem, HandOverIsPaidPerInvocation) {
  Diagnostics d;
  const auto file = hw::find_device("apollo510", d);
  ASSERT_TRUE(file) << d.text();
  const Compiled c = compile(test::thesis_network(2, 4), npu(), Optimise::performance);
  const Simulated s = simulate(c);
  const SystemTime t = time_of(c, s, test::cpu(), 700);
  EXPECT_EQ(t.hand_over, 700);
  EXPECT_EQ(t.total, t.active + 700);
}

TEST(NpuSystem, AnArenaThatIsTooSmallNamesWhereAndHowMuch) {
  Npu n = npu();
  n.arena_limit = 1000;
  const auto lack = shortfall(compile(test::thesis_network(2, 4), n, Optimise::performance));
  ASSERT_TRUE(lack);
  EXPECT_EQ(lack->limit, 1000);
  EXPECT_GT(lack->bytes, 1000);
  EXPECT_FALSE(lack->operation.empty());
}

}  // namespace
}  // namespace dse::explore::npu::simulation_test
