// The timing classes, without SystemC.
#include <gtest/gtest.h>

#include <random>

#include "base/diagnostics.h"
#include "models/hw/cost_model.h"
#include "models/hw/libraries/rate_table.h"
#include "models/hw/ports/port_timing.h"
#include "models/nn/kernels/dse_kernels.h"

namespace dse::hw::timing_test {
namespace {

TEST(PortTiming, AloneAFlowHasTheWholeWidth) {
  PortTiming p;
  p.configure({8, 1});
  p.join(0, 0, 10, 100);
  EXPECT_EQ(p.finish(0), 10 + 13);  // ceil(100 / 8)
  p.configure({3, 7});
  p.join(0, 5, 5, 2);
  EXPECT_EQ(p.finish(0), 5 + 5);  // ceil(14 / 3)
}

TEST(PortTiming, TwoFlowsShareAndTheRestSpeedsUp) {
  PortTiming p;
  p.configure({4, 1});
  p.join(0, 0, 0, 100);
  p.join(1, 10, 10, 40);  // 40 bytes moved alone, then 2 B per tick each
  EXPECT_EQ(p.finish(1), 30);
  EXPECT_EQ(p.finish(0), 30 + 5);  // 20 bytes are left at full width
}

TEST(PortTiming, FutureFlowsAreForeseen) {
  PortTiming a, b;
  a.configure({4, 1});
  b.configure({4, 1});
  a.join(0, 0, 0, 100);
  a.join(1, 0, 10, 40);  // announced early
  b.join(0, 0, 0, 100);
  b.join(1, 10, 10, 40);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(a.finish(i), b.finish(i));
}

TEST(PortTiming, BanksCostSharedPortsOnly) {
  PortTiming p;
  p.configure({4, 1}, 4);
  p.join(0, 0, 0, 30);
  EXPECT_EQ(p.finish(0), 8);
  p.join(1, 0, 0, 30);  // 3 B per tick for both
  EXPECT_EQ(p.finish(0), 20);
  EXPECT_EQ(p.finish(1), 20);
}

TEST(PortTiming, WithoutWidthNothingEnds) {
  PortTiming p;
  p.configure({0, 1});
  p.join(3, 0, 0, 1);
  EXPECT_EQ(p.finish(3), kNever);
  p.join(4, 2, 2, 1);
  EXPECT_EQ(p.finish(4), kNever);
  EXPECT_THROW(p.join(4, 3, 3, 1), InvariantError);
}

/// Property: a port moves all bytes, never faster than its width, never slower than its width less the rounding of
/// ends.
TEST(PortTiming, ConservesBytes) {
  std::mt19937 rng(3);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  for (int round = 0; round < 500; ++round) {
    PortTiming p;
    const Ratio rate{pick(1, 64), pick(1, 7)};
    p.configure(rate);
    std::int64_t total = 0;
    const int n = pick(1, kMaxFlows);
    for (int i = 0; i < n; ++i) {
      const int bytes = pick(1, 5000);
      total += bytes;
      p.join(i, 0, 0, bytes);
    }
    Tick last = 0;
    for (int i = 0; i < n; ++i) last = std::max(last, p.finish(i));
    EXPECT_GE(last, ceil_div(total, rate));
    EXPECT_LE(last, ceil_div(total, rate) + n);
  }
}

Engine dma(int dimensions) {
  Engine e;
  e.kind = EngineKind::dma, e.dimensions = dimensions, e.setup = 100, e.per_row = 3, e.outstanding = 2, e.burst = 16;
  return e;
}

TEST(DmaTiming, DescriptorsPerDimension) {
  program::CopyWork w;
  w.bytes = 240, w.run = 4, w.rows = 10, w.planes = 6, w.pieces = 2;
  EXPECT_EQ(DmaTiming(dma(1)).descriptors(w), 60);
  EXPECT_EQ(DmaTiming(dma(2)).descriptors(w), 6);
  EXPECT_EQ(DmaTiming(dma(3)).descriptors(w), 2);
  EXPECT_EQ(DmaTiming(dma(1)).row_cycles(w), 0);
  EXPECT_EQ(DmaTiming(dma(2)).row_cycles(w), 54 * 3);
  EXPECT_EQ(DmaTiming(dma(3)).row_cycles(w), 58 * 3);
  EXPECT_EQ(DmaTiming(dma(2)).extra_round_trips(32), 0);  // two bursts are in flight at once
  EXPECT_EQ(DmaTiming(dma(2)).extra_round_trips(33), 1);
  EXPECT_EQ(DmaTiming(dma(2)).extra_round_trips(240), 7);
}

TEST(RateTable, MacArrayAndCpu) {
  Engine array;
  array.kind = EngineKind::mac_array;
  array.macs_per_cycle = {{"int8", {32, 1}}};
  array.efficiency = {{"conv", {1, 2}}, {"default", {1, 4}}};
  array.cycles_per_element = {{"default", {1, 8}}};
  program::Arithmetic a;
  a.macs = 1601, a.elements = 9;
  EXPECT_EQ(RateTable(array).cycles(DSE_CONV_2D, a), 101 + 2);
  EXPECT_EQ(RateTable(array).cycles(DSE_DEPTHWISE_CONV_2D, a), 201 + 2);
  EXPECT_THROW(RateTable(array).cycles(DSE_OP_KINDS, a), InvariantError) << "not the rates of another kind";
  EXPECT_THROW(RateTable(array).cycles(0, a), InvariantError);
  EXPECT_THROW(ComputeTiming(array).copy_cycles(1), InvariantError);
  Engine cpu;
  cpu.kind = EngineKind::cpu;
  cpu.cycles_per_mac = {{"conv", {3, 2}}};
  EXPECT_EQ(RateTable(cpu).cycles(DSE_CONV_2D, a), 2402);
  EXPECT_THROW(RateTable(cpu).cycles(DSE_FULLY_CONNECTED, a), InvariantError);
}

TEST(RateTable, SixteenBitsHaveRatesOfTheirOwnWhereTheyDiffer) {
  Engine cpu;
  cpu.cycles_per_mac = {{"conv", {6, 1}}, {"default", {2, 1}}};
  cpu.cycles_per_element = {{"softmax", {500, 1}}, {"default", {3, 1}}};
  cpu.cycles_per_mac_int16 = {{"conv", {7, 1}}};
  cpu.cycles_per_element_int16 = {{"softmax", {100, 1}}};
  const RateTable table(cpu);
  program::Arithmetic a;
  a.macs = 10, a.elements = 4;
  EXPECT_EQ(table.cycles(DSE_CONV_2D, a), 60 + 12);
  EXPECT_EQ(table.cycles(DSE_SOFTMAX, a), 20 + 2000);
  a.wide = true;
  EXPECT_EQ(table.cycles(DSE_CONV_2D, a), 70 + 12);
  EXPECT_EQ(table.cycles(DSE_FULLY_CONNECTED, a), 20 + 12);
  EXPECT_EQ(table.cycles(DSE_SOFTMAX, a), 20 + 400);
  cpu.cycles_per_element_int16["default"] = {9, 1};
  EXPECT_EQ(RateTable(cpu).cycles(DSE_CONV_2D, a), 70 + 36);
}

TEST(CostModel, ClocksAreConvertedUpwards) {
  auto d = std::make_shared<Device>();
  d->clock_hz = 100;
  Memory near, far;
  near.name = "near", near.size = 100, near.latency = 4;
  far.name = "far", far.size = 100, far.latency = 3, far.clock_hz = 40, far.width = {8, 1};
  d->memories = {near, far};
  Engine cpu;
  cpu.name = "cpu", cpu.clock_hz = 60, cpu.memories = {0, 1}, cpu.dispatch = 5,
  cpu.cycles_per_mac = {{"default", {1, 1}}};
  d->engines = {cpu};
  const DeviceTiming timing(d);
  program::Program p;
  p.arenas = {{"near", 10, 4}, {"far", 10, 4}};
  p.queues = {{"cpu", 0, 0}};
  const DeviceCostModel model(timing, p, {{0, 0}, {1, 0}});
  dse_op op{};
  op.kind = DSE_FULLY_CONNECTED, op.in_c = 7, op.out_h = op.out_w = op.out_c = 1;
  program::CallWork w = program::whole_call(op);
  w.operand_count = 3;
  w.operands = {{{DSE_IN0, 0, 6, false, true}, {DSE_IN1, 1, 5, false, true}, {DSE_WEIGHTS, 1, 4, false, true}}};
  const program::TaskCost c = model.call(0, w);
  EXPECT_EQ(c.fixed, 9 + 8);  // ceil(5 * 100/60), and ceil(3 * 100/40) once for the far memory
  EXPECT_EQ(c.busy, 12);      // ceil(7 * 100/60)
  ASSERT_EQ(c.flow_count, 2);
  EXPECT_EQ(c.flows[1].bytes, 9);
  EXPECT_EQ(timing.rate(1), (Ratio{16, 5}));
}

}  // namespace
}  // namespace dse::hw::timing_test
