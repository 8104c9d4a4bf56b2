// Energies that can be worked out by hand, cause by cause.
#include <random>

#include "tests/sim/support.h"

namespace dse::sim::testing::energy_test {
namespace {

constexpr std::int64_t kTicks = 5 + 10 + 25;  // of a copy of 100 bytes: setup, latency, 4 B/cycle

Program one_load() {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  return p;
}

std::int64_t sum_of(const RunResult& r) { return r.energy.total(); }

TEST(Energy, OneFigurePerBlockIsNotTakenApart) {
  const auto r = run(one_load(), small_device());
  EXPECT_TRUE(r.energy.empty());
  EXPECT_EQ(r.energy_fj, 1000 * (100 * 10 + 100 * 1));
}

TEST(Energy, ReadsAndWritesApart) {
  auto d = small_device();
  d.memories[0].energy_pj_per_byte_written = 2.5;
  d.memories[1].energy_pj_per_byte_read = 0.125;
  const auto r = run(one_load(), d);
  EXPECT_EQ(r.energy.memories[0], (Energy::OfMemory{0, 100 * 2500, 0}));
  EXPECT_EQ(r.energy.memories[1], (Energy::OfMemory{100 * 125, 0, 0}));
  EXPECT_EQ(r.energy_fj, 250'000 + 12'500);
  EXPECT_EQ(r.energy_fj, sum_of(r));
}

TEST(Energy, AccessesAreOfTheWidthOfThePort) {
  auto d = small_device();
  d.memories[0].energy_pj_per_access = 7;  // 16 bytes each
  d.memories[1].energy_pj_per_access = 3;  // 4 bytes each
  const auto r = run(one_load(), d);
  EXPECT_EQ(r.energy.memories[0].written, 100 * 1000 + 7 * 7000);
  EXPECT_EQ(r.energy.memories[1].read, 100 * 10'000 + 25 * 3000);
  EXPECT_EQ(r.energy_fj, sum_of(r));
}

/// Five rows of 20 bytes that lie apart in far memory are 5 x 5 accesses there, and 5 x 2 of 16 bytes in near memory,
/// where they lie side by side but are written row by row.
TEST(Energy, EachRunOfACopyHasItsOwnAccesses) {
  Program p = small_program();
  auto c = std::make_shared<program::CopyPayload>();
  auto rows = bytes(), packed = bytes();
  rows.stride_h = 64, packed.stride_h = 20;
  rows.stride_w = packed.stride_w = 20;
  c->from = {1, 0, rows}, c->to = {0, 0, packed};
  c->y = Range::whole(5), c->x = Range::whole(1), c->c = Range::whole(20);
  p.task({&program::copy_kind(), 0, 0, {}, c});
  auto d = small_device();
  d.engines[0].dimensions = 2;
  d.memories[0].energy_pj_per_byte = d.memories[1].energy_pj_per_byte = 0;
  d.memories[0].energy_pj_per_access = 1, d.memories[1].energy_pj_per_access = 1;
  const auto r = run(p, d);
  ASSERT_FALSE(r.failure) << r.failure->what;
  EXPECT_EQ(r.memories[1].read, 100);
  EXPECT_EQ(r.energy.memories[1].read, 25 * 1000);
  EXPECT_EQ(r.energy.memories[0].written, 10 * 1000);
}

/// A fully connected call of 33 inputs and 10 outputs, in 8 or 16 bits.
Program products(bool wide) {
  dse_op op{};
  op.kind = DSE_FULLY_CONNECTED;
  op.in_h = op.in_w = op.out_h = op.out_w = op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = 1;
  op.dilation_h = op.dilation_w = op.multiplier = op.groups = 1;
  op.in_c = 33, op.out_c = 10;
  if (wide) op.in_type = op.out_type = DSE_I16;
  return one_call(op);
}

hw::Device computing() {
  auto d = small_device();
  d.memories[0].size = d.memories[1].size = 1 << 20;
  d.memories[0].energy_pj_per_byte = 0;
  auto& cpu = d.engines[1];
  cpu.energy_pj_per_mac = 0.25, cpu.energy_pj_per_mac_int16 = 0.875;
  return d;
}

TEST(Energy, ProductsArePricedByWidth) {
  const auto narrow = run(products(false), computing()), wide = run(products(true), computing());
  ASSERT_FALSE(narrow.failure || wide.failure);
  EXPECT_EQ(narrow.macs, 330);
  EXPECT_EQ(narrow.energy.engines[1], (Energy::OfEngine{330 * 250, 0, 0, 0, 0}));
  EXPECT_EQ(wide.energy.engines[1], (Energy::OfEngine{0, 330 * 875, 0, 0, 0}));
  EXPECT_EQ(narrow.energy_fj, 330 * 250);
  EXPECT_EQ(wide.energy_fj, 330 * 875);
}

TEST(Energy, ElementsAndCyclesOfItsOwn) {
  auto d = computing();
  d.engines[1].energy_pj_per_element = 0.5, d.engines[1].energy_pj_per_cycle = 2;
  d.engines[1].kernel_switch = 100;  // no cycles of the task's own
  const auto r = run(products(false), d);
  EXPECT_EQ(r.ticks, 7 + 100 + 330 + 10);
  EXPECT_EQ(r.energy.engines[1], (Energy::OfEngine{330 * 250, 0, 10 * 500, (7 + 330 + 10) * 2000, 0}));
  // On half the clock the same cycles take twice the ticks.
  d.engines[1].clock_hz = 500'000;
  const auto slow = run(products(false), d);
  EXPECT_EQ(slow.ticks, 2 * (7 + 100 + 330 + 10));
  EXPECT_EQ(slow.energy_fj, r.energy_fj);
}

TEST(Energy, ACpuThatCopiesTakesCyclesToo) {
  Program p = small_program();
  load(p, 2, 0, {}, 0, 0, 100);
  auto d = small_device();
  d.engines[1].energy_pj_per_cycle = 1;
  const auto r = run(p, d);
  EXPECT_EQ(r.energy.engines[1].cycles, (7 + 100) * 1000);
}

TEST(Energy, LeakageIsThatOfTheTicks) {
  auto d = small_device();  // 1 MHz: 1 uW is 1000 fJ per tick
  d.memories[0].leakage_uw = 0.002, d.memories[0].leakage_uw_per_kib = 0.005;
  d.memories[1].leakage_uw = 0.011;
  d.engines[0].leakage_uw = 0.013, d.engines[1].leakage_uw = 0.017;
  d.leakage_uw = 0.019;
  d.control.start = 60;
  const auto r = run(one_load(), d);
  ASSERT_EQ(r.ticks, 60 + kTicks);
  EXPECT_EQ(r.energy.memories[0].leaked, 100 * 7);
  EXPECT_EQ(r.energy.memories[1].leaked, 100 * 11);
  EXPECT_EQ(r.energy.engines[0].leaked, 100 * 13);
  EXPECT_EQ(r.energy.engines[1].leaked, 100 * 17) << "though it does nothing";
  EXPECT_EQ(r.energy.leaked, 100 * 19);
  EXPECT_EQ(r.energy_fj, 1'100'000 + 100 * (7 + 11 + 13 + 17 + 19));
  EXPECT_EQ(r.energy.all_leaked(), 100 * (7 + 11 + 13 + 17 + 19));
}

/// A layer whose engine only waits for a transfer leaks as long as that takes.
TEST(Energy, LayersThatSleepLeak) {
  Program p = small_program();
  p.section({"copies", 0, 0});
  load(p, 0, 0, {}, 0, 0, 100);
  wait(p);
  p.section({"adds", 1, 1});
  add(p, 1, {}, 0, 0, 512, 20);
  wait(p);
  auto d = small_device();
  d.leakage_uw = 0.01;
  d.memories[0].energy_pj_per_byte = d.memories[1].energy_pj_per_byte = 0;
  const auto r = run(p, d);
  ASSERT_EQ(r.layers.size(), 2u);
  EXPECT_EQ(r.layers[0].total() + r.layers[1].total(), r.ticks);
  EXPECT_EQ(r.ticks, kTicks + 7 + 20);
  EXPECT_EQ(r.energy_fj, 10 * r.ticks);
}

TEST(Energy, MoreLeakageNeverMakesLess) {
  std::mt19937 rng(3);
  auto d = small_device();
  std::int64_t before = run(one_load(), d, {}).energy_fj;
  for (int round = 0; round < 60; ++round) {
    const double more = std::uniform_int_distribution<int>(0, 40)(rng) / 16000.0;
    switch (round % 4) {
      case 0:
        d.memories[0].leakage_uw += more;
        break;
      case 1:
        d.memories[1].leakage_uw_per_kib += more;
        break;
      case 2:
        d.engines[1].leakage_uw += more;
        break;
      default:
        d.leakage_uw += more;
    }
    const auto r = run(one_load(), d, {});
    EXPECT_GE(r.energy_fj, before);
    EXPECT_EQ(r.ticks, kTicks) << "it changes no time";
    before = r.energy_fj;
  }
  EXPECT_GT(before, run(one_load(), small_device(), {}).energy_fj);
}

}  // namespace
}  // namespace dse::sim::testing::energy_test
