// Cases whose times can be worked out by hand.
#include "base/diagnostics.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::closed_form_test {
namespace {

/// 100 bytes through each channel, at once.
Program two_loads() {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  load(p, 1, 1, {}, 100, 100, 100);
  return p;
}

TEST(ClosedForm, OneTransfer) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  hw::Device d = small_device();
  d.control.issue = 3;
  const RunResult r = run(p, d);
  ASSERT_FALSE(r.failure) << r.failure->what;
  EXPECT_EQ(r.ticks, 3 + 5 + 10 + 25);  // issue, setup, latency, 100 bytes at 4 B/cycle
  EXPECT_EQ(r.tasks, 1);
  EXPECT_EQ(r.memories[1].read, 100);
  EXPECT_EQ(r.memories[0].written, 100);
  EXPECT_EQ(r.energy_fj, 1000 * (100 * 10 + 100 * 1));
  EXPECT_EQ(r.trace[0].issued, 3);
  EXPECT_EQ(r.trace[0].start, 3);
}

TEST(ClosedForm, OutstandingBurstsLimitTheRate) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 640);
  hw::Device d = small_device();
  d.engines[0].outstanding = 1;  // 64 bytes per 10 cycles of latency: more than the port moves
  EXPECT_EQ(run(p, d).ticks, 5 + 10 + 160);
  d.engines[0].burst = 16;  // 40 bursts: 39 more round trips
  EXPECT_EQ(run(p, d).ticks, 5 + 10 + 390);
}

TEST(ClosedForm, FlowsShareAPort) {
  const Program p = two_loads();
  EXPECT_EQ(run(p, small_device()).ticks, 5 + 10 + 50);  // both channels at half of 4 B/cycle
  hw::Device d = small_device();
  d.memories[1].ports = 2;
  EXPECT_EQ(run(p, d).ticks, 5 + 10 + 25);
}

TEST(ClosedForm, BanksAreLostToConflictsOfTwoFlows) {
  const Program p = two_loads();
  hw::Device d = small_device();
  for (const int banks : {2, 4}) {
    d.memories[1].banks = banks;  // (banks - 1) / banks of 4 B/cycle, halved
    EXPECT_EQ(run(p, d).ticks, 5 + 10 + (100 * 2 * banks + 4 * (banks - 1) - 1) / (4 * (banks - 1)));
  }
  Program alone = small_program();
  load(alone, 0, 0, {}, 0, 0, 100);
  EXPECT_EQ(run(alone, d).ticks, 5 + 10 + 25);
}

TEST(ClosedForm, AFlowThatComesLaterSharesUntilOneEnds) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 200);
  load(p, 1, 1, {}, 200, 200, 100);
  hw::Device d = small_device();
  d.control.issue = 20;
  // The first flows from 20 + 5 + 10 on, the second from 40 + 5 + 10; from 55 on each has half of the port, until the
  // second has its 100 bytes at 105. By then the first has 80 + 100, and 20 are left.
  const RunResult r = run(p, d);
  EXPECT_EQ(r.trace[1].end, 105);
  EXPECT_EQ(r.ticks, 105 + 5);
}

TEST(ClosedForm, RowsCostDescriptorsOrSteps) {
  const auto build = [] {
    Program p = small_program();
    load(p, 0, 0, {}, 0, 0, 10);
    auto& c = const_cast<program::CopyPayload&>(static_cast<const program::CopyPayload&>(*p.templates[0].payload));
    c.y = Range::whole(10);  // ten rows of ten bytes, 16 apart
    c.from.shape.stride_h = 16, c.to.shape.stride_h = 10;
    return p;
  };
  hw::Device d = small_device();
  d.engines[0].per_row = 3;
  EXPECT_EQ(run(build(), d).ticks, 10 * 5 + 10 + 25) << "one descriptor a row";
  d.engines[0].chained = 2;
  EXPECT_EQ(run(build(), d).ticks, 5 + 9 * 2 + 10 + 25) << "the engine fetches nine of them by itself";
  d.engines[0].chained = 0;
  EXPECT_EQ(run(build(), d).ticks, 5 + 10 + 25) << "for nothing";
  d.engines[0].dimensions = 2;
  EXPECT_EQ(run(build(), d).ticks, 5 + 10 + 9 * 3) << "stepping takes longer than the bytes";
  d.engines[0].per_row = 2;
  EXPECT_EQ(run(build(), d).ticks, 5 + 10 + 25) << "now the bytes do";
}

TEST(ClosedForm, MemoriesAndEnginesHaveClocksOfTheirOwn) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  hw::Device d = small_device();
  d.memories[1].clock_hz = d.clock_hz / 2;
  EXPECT_EQ(run(p, d).ticks, 5 + 20 + 50);
  d.engines[0].clock_hz = d.clock_hz / 4;
  EXPECT_EQ(run(p, d).ticks, 20 + 20 + 50);
}

TEST(ClosedForm, ACpuCopiesAtItsRateOrAtTheMemorys) {
  Program p = small_program();
  load(p, 2, 0, {}, 0, 0, 100);
  hw::Device d = small_device();
  EXPECT_EQ(run(p, d).ticks, 7 + 10 + 100);
  d.engines[1].copy_bytes_per_cycle = {8, 1};
  EXPECT_EQ(run(p, d).ticks, 7 + 10 + 25);
}

TEST(ClosedForm, DoubleBufferingHidesTransfers) {
  const auto build = [](bool prefetch) {
    Program p = small_program();
    p.loop(10);
    load(p, 0, 0, {{1, static_cast<std::uint8_t>(prefetch ? 1 : 0)}}, 0, 0, 40);  // 5 + 10 + 10 ticks
    add(p, 1, {{0, 0}}, 0, 0, 512, 40);                                           // 7 + 40 ticks
    p.end();
    return p;
  };
  const Program a = build(false), b = build(true);
  EXPECT_EQ(run(a, small_device()).ticks, 10 * (25 + 47));
  EXPECT_EQ(run(b, small_device()).ticks, 25 + 10 * 47);
}

TEST(ClosedForm, KernelSwitchesAreCharged) {
  Program p = small_program();
  for (int i = 0; i < 3; ++i) add(p, 0, {}, 0, 0, 512, 10);
  hw::Device d = small_device();
  d.engines[1].kernel_switch = 100;
  EXPECT_EQ(run(p, d).ticks, 100 + 3 * 17);  // once, at the first call
  Program two = small_program();
  for (int i = 0; i < 2; ++i) {
    two.section({"s" + std::to_string(i), i, i});
    for (int k = 0; k < 3; ++k) add(two, 0, {}, 0, 0, 512, 10);
  }
  EXPECT_EQ(run(two, d).ticks, 2 * (100 + 3 * 17));  // once per layer: a layer alone takes as long
}

TEST(ClosedForm, AFullQueueBlocksControl) {
  Program p = small_program();
  for (int i = 0; i < 4; ++i) load(p, 0, 0, {}, 0, 0, 100);  // 40 ticks each
  add(p, 1, {}, 0, 0, 512, 10);
  hw::Device d = small_device();
  d.control.issue = 1;
  d.engines[0].queue = 1;  // one running, one waiting
  const RunResult r = run(p, d);
  ASSERT_EQ(r.trace.size(), 5u);
  EXPECT_EQ(r.trace[0].issued, 1);
  EXPECT_EQ(r.trace[1].issued, 2);
  EXPECT_EQ(r.trace[2].issued, 1 + 40);  // when the second one leaves the queue
  EXPECT_EQ(r.trace[3].issued, 1 + 80);
  EXPECT_EQ(r.trace[4].start, 1 + 80 + 1);  // so the call is late, although its engine was idle
  d.engines[0].queue = 4;
  EXPECT_EQ(run(p, d).trace[4].start, 5);
}

TEST(ClosedForm, WaitsBlockControl) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  wait(p);
  load(p, 1, 0, {}, 0, 100, 100);
  hw::Device d = small_device();
  d.control.issue = 2, d.control.wait = 9;
  const RunResult r = run(p, d);
  EXPECT_EQ(r.trace[0].end, 42);
  EXPECT_EQ(r.trace[1].issued, 42 + 9 + 2);
  EXPECT_EQ(r.ticks, 42 + 9 + 2 + 40);
}

TEST(ClosedForm, ControlOnTheCpuStandsStillWhileItComputes) {
  const auto build = [] {
    Program p = small_program();
    add(p, 0, {}, 0, 0, 512, 93);  // 100 ticks
    load(p, 0, 1, {}, 0, 0, 100);
    return p;
  };
  hw::Device d = small_device();
  d.control.issue = 4;
  const Program p = build();
  EXPECT_EQ(run(p, d).trace[1].start, 8);
  d.control.engine = 1;
  const RunResult r = run(p, d);
  EXPECT_EQ(r.trace[1].start, 4 + 100 + 4);
  EXPECT_EQ(r.ticks, 4 + 100 + 4 + 40);
}

TEST(ClosedForm, ControlWaitsForCallsOfAnArrayThatItNames) {
  Program p = small_program();
  add(p, 0, {}, 0, 0, 512, 93);
  load(p, 0, 1, {}, 0, 0, 100);
  hw::Device d = small_device();
  auto& array = d.engines[1];
  array.kind = hw::EngineKind::mac_array, array.macs_per_cycle = {{"int8", {1, 1}}};
  array.cycles_per_element = {{"default", {1, 1}}};
  d.control.issue = 4;
  EXPECT_EQ(run(p, d).trace[1].start, 8);
  d.control.engine = 1;
  const RunResult r = run(p, d);
  EXPECT_EQ(r.trace[0].end - r.trace[0].start, 7 + 93);
  EXPECT_EQ(r.trace[1].start, 4 + 7 + 93 + 4);
}

TEST(ClosedForm, JobsRunOneAfterTheOther) {
  Program a = small_program(), b = small_program();
  load(a, 0, 0, {}, 0, 0, 100);
  store(b, 1, 0, {}, 0, 0, 100);  // 5 + 0 + 25: the near memory has no latency
  const auto device = std::make_shared<const hw::Device>(small_device());
  Platform::instance().configure(device);
  program::Job first = whole_program(a, *device), second = whole_program(b, *device);
  EXPECT_EQ(Platform::instance().run({first, second}, {}).ticks, 40 + 30);
  second.release = 100;
  EXPECT_EQ(Platform::instance().run({first, second}, {}).ticks, 100 + 30);
}

TEST(ClosedForm, AnInferenceStartsOnceAndItsFirstLayerPaysForIt) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  add(p, 0, {}, 0, 0, 512, 93);
  hw::Device d = small_device();
  const RunResult at_once = run(p, d);
  d.control.start = 700;
  const RunResult later = run(p, d);
  EXPECT_EQ(later.ticks, at_once.ticks + 700);
  const auto issue = static_cast<std::size_t>(Cause::issue);
  EXPECT_EQ(later.layers.at(0).ticks[issue], at_once.layers.at(0).ticks[issue] + 700);
  const auto device = std::make_shared<const hw::Device>(d);
  Platform::instance().configure(device);
  EXPECT_EQ(Platform::instance().run({program_part(p, *device)}, {}).ticks, at_once.ticks);
}

TEST(ClosedForm, ArenasAreMeasuredFromTheReservedBytesOn) {
  Program p = small_program();
  p.arenas[0].size = 300;
  load(p, 0, 0, {}, 0, 0, 100);
  hw::Device d = small_device();
  d.memories[0].reserved = 64;
  EXPECT_EQ(run(p, d).memories[0].arena, 300);
  d.memories[0].name = "other";
  EXPECT_THROW(whole_program(p, d), InvariantError);
}

}  // namespace
}  // namespace dse::sim::testing::closed_form_test
