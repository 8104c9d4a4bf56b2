// Pages of memories, priorities at their ports, and a processor that waits for its copies, worked out by hand.
#include "tests/sim/support.h"

namespace dse::sim::testing::closed_form_memories_test {
namespace {

/// Bytes of far memory at 4 B/cycle, after 5 cycles of setup and 10 of latency; opening another page takes 6.
hw::Device with_pages(std::int64_t page) {
  hw::Device d = small_device();
  d.memories[1].page = page, d.memories[1].page_miss = 6;
  return d;
}

TEST(ClosedFormPages, ATransferOpensThoseItLiesOn) {
  const auto ticks = [](int bytes, std::int64_t page) {
    Program p = small_program();
    load(p, 0, 0, {}, 0, 0, bytes);
    return run(p, with_pages(page)).ticks;
  };
  EXPECT_EQ(ticks(100, 0), 5 + 10 + 25);
  EXPECT_EQ(ticks(100, 128), 5 + 10 + 25) << "latency opens the first";
  EXPECT_EQ(ticks(100, 32), 5 + 10 + 25 + 3 * 6);
  EXPECT_EQ(ticks(96, 32), 5 + 10 + 24 + 2 * 6);
  EXPECT_EQ(ticks(1, 32), 5 + 10 + 1);
}

TEST(ClosedFormPages, WhatIsWrittenOpensThemToo) {
  Program p = small_program();
  store(p, 0, 0, {}, 0, 0, 100);
  EXPECT_EQ(run(p, with_pages(32)).ticks, 5 + 25 + 3 * 6) << "near memory has no latency";
}

TEST(ClosedFormPages, RunsBeginPagesButShareThoseTheyLieOn) {
  const auto ticks = [](int apart, std::int64_t page) {
    Program p = small_program();
    load(p, 0, 0, {}, 0, 0, 20);
    auto& c = const_cast<program::CopyPayload&>(static_cast<const program::CopyPayload&>(*p.templates[0].payload));
    c.y = Range::whole(10);  // ten rows of twenty bytes
    c.from.shape.stride_h = apart, c.to.shape.stride_h = 20;
    hw::Device d = with_pages(page);
    d.engines[0].dimensions = 2;
    return run(p, d).ticks;
  };
  const std::int64_t bytes = 5 + 10 + 50;
  EXPECT_EQ(ticks(20, 64), bytes + 3 * 6) << "200 bytes on end: 4 pages";
  EXPECT_EQ(ticks(24, 64), bytes + 3 * 6) << "9 * 24 + 20 = 236 bytes from first to last: 4 pages";
  EXPECT_EQ(ticks(100, 64), bytes + 9 * 6) << "each row on a page of its own, of the 15 they lie between";
  EXPECT_EQ(ticks(100, 16), bytes + 19 * 6) << "each row on two";
}

/// Ten rows of four bytes out of far memory at 4 B/cycle, its banks' words a byte wide.
TEST(ClosedFormBanks, RowsOfOneBankTakeTurns) {
  const auto ticks = [](int apart, int banks, std::int64_t word) {
    Program p = small_program();
    load(p, 0, 0, {}, 0, 0, 1);
    auto& c = const_cast<program::CopyPayload&>(static_cast<const program::CopyPayload&>(*p.templates[0].payload));
    c.y = Range::whole(40);  // forty rows of a byte
    c.from.shape.stride_h = apart, c.to.shape.stride_h = 1;
    hw::Device d = small_device();
    d.engines[0].dimensions = 2;
    d.memories[1].banks = banks, d.memories[1].bank_word = word;
    return run(p, d).ticks;
  };
  EXPECT_EQ(ticks(8, 8, 0), 5 + 10 + 10) << "four bytes per cycle";
  EXPECT_EQ(ticks(8, 8, 1), 5 + 10 + 40) << "all in one bank: one byte per cycle";
  EXPECT_EQ(ticks(4, 8, 1), 5 + 10 + 20) << "in two banks";
  EXPECT_EQ(ticks(9, 8, 1), 5 + 10 + 10) << "in a bank each";
}

TEST(ClosedFormPages, HaveTheClockOfTheirMemory) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  hw::Device d = with_pages(32);
  d.memories[1].clock_hz = d.clock_hz / 2;
  EXPECT_EQ(run(p, d).ticks, 5 + 20 + 50 + 3 * 12);
}

/// An addition whose first operand lies in far memory.
TEST(ClosedFormPages, ACallOpensThoseOfItsOperands) {
  Program p = small_program();
  add(p, 0, {}, 0, 0, 512, 100);
  auto& c = const_cast<program::CallPayload&>(static_cast<const program::CallPayload&>(*p.templates[0].payload));
  c.views[DSE_IN0].arena = 1;
  EXPECT_EQ(run(p, with_pages(0)).ticks, 7 + 10 + 100);
  EXPECT_EQ(run(p, with_pages(32)).ticks, 7 + 10 + 100 + 3 * 6);
}

/// A DMA and a CPU that copies as fast as far memory lets it, 100 bytes each, both from tick 15 on.
Program two_engines() {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  load(p, 2, 1, {}, 100, 100, 100);
  return p;
}
hw::Device by_priority(int dma, int cpu) {
  hw::Device d = small_device();
  d.engines[1].dispatch = 5, d.engines[1].copy_bytes_per_cycle = {100, 1};
  d.arbitration = "priority";
  d.engines[0].priority = dma, d.engines[1].priority = cpu;
  return d;
}

TEST(ClosedFormPriority, TheHigherOneGoesFirstAndEqualsShare) {
  const auto ends = [](const hw::Device& d) {
    const auto r = run(two_engines(), d);
    return std::pair{r.trace[0].end, r.trace[1].end};
  };
  EXPECT_EQ(ends(by_priority(1, 1)), (std::pair<hw::Tick, hw::Tick>{15 + 50, 15 + 50}));
  EXPECT_EQ(ends(by_priority(2, 1)), (std::pair<hw::Tick, hw::Tick>{15 + 25, 15 + 50}));
  EXPECT_EQ(ends(by_priority(1, 2)), (std::pair<hw::Tick, hw::Tick>{15 + 50, 15 + 25}));
  auto fair = by_priority(1, 2);
  fair.arbitration = "round-robin";
  EXPECT_EQ(ends(fair), (std::pair<hw::Tick, hw::Tick>{15 + 50, 15 + 50}));
  auto banks = by_priority(2, 1);
  banks.memories[1].banks = 2;
  EXPECT_EQ(ends(banks), (std::pair<hw::Tick, hw::Tick>{15 + 25, 15 + 50})) << "one that stands still meets no bank";
}

/// A program may name its queues in any order.
TEST(ClosedFormPriority, BelongsToTheEngineWhateverTheQueueIsNumbered) {
  Program p = small_program();
  p.queues = {{"cpu", 1, 0}, {"dma", 0, 0}};
  load(p, 1, 0, {}, 0, 0, 100);
  load(p, 0, 1, {}, 100, 100, 100);
  const auto r = run(p, by_priority(2, 1));
  EXPECT_EQ(r.trace[0].end, 15 + 25);
  EXPECT_EQ(r.trace[1].end, 15 + 50);
}

TEST(ClosedFormPriority, AFlowThatComesLaterStopsTheOthers) {
  auto d = by_priority(1, 2);
  d.engines[1].dispatch = 20;  // flows from tick 30 on, when the DMA has moved 60 bytes
  const auto r = run(two_engines(), d);
  EXPECT_EQ(r.trace[1].end, 30 + 25);
  EXPECT_EQ(r.trace[0].end, 30 + 25 + 10);
}

TEST(ClosedFormBlocking, NothingIsLoadedAhead) {
  const auto build = [] {
    Program p = small_program();
    p.loop(10);
    load(p, 0, 0, {{1, 1}}, 0, 0, 40);   // 5 + 10 + 10 ticks
    add(p, 1, {{0, 0}}, 0, 0, 512, 40);  // 7 + 40 ticks
    p.end();
    return p;
  };
  hw::Device d = small_device();
  EXPECT_EQ(run(build(), d).ticks, 25 + 10 * 47) << "loads hide behind calls";
  d.engines[0].blocking = true;
  // Control waits for each load; a call goes on while the next load is waited for, so only issuing is serial.
  EXPECT_EQ(run(build(), d).ticks, 25 + 10 * 47);
  d.control.engine = 1;
  EXPECT_EQ(run(build(), d).ticks, 10 * (25 + 47)) << "a processor that computes and polls does one thing at a time";
}

TEST(ClosedFormBlocking, WhatIsWaitedForHasItsCause) {
  // Queues as they are, and with the channels behind another engine that nothing runs on.
  for (const bool behind : {false, true}) {
    Program p = small_program();
    p.constants_arena = -1;
    load(p, 0, 0, {}, 0, 0, 40);           // 25 ticks
    add(p, 1, {{0, 0}}, 0, 0, 512, 40);    // 47
    store(p, 0, 2, {{1, 0}}, 512, 0, 40);  // 5 + 10
    load(p, 0, 0, {}, 0, 0, 40);
    add(p, 1, {{0, 0}}, 0, 0, 512, 40);
    hw::Device d = small_device();
    d.engines[0].blocking = true;
    d.control.issue = 3;
    if (behind) {
      d.engines.insert(d.engines.begin(), d.engines[1]);
      for (auto& q : p.queues) ++q.engine;
    }
    const auto r = run(p, d);
    ASSERT_EQ(r.layers.size(), 1u);
    const auto ticks = [&](Cause c) { return r.layers[0].ticks[static_cast<std::size_t>(c)]; };
    // The store is issued while the call runs and ends 15 ticks after it; issuing the second load and call takes 3
    // each.
    EXPECT_EQ(ticks(Cause::dma_input), 2 * 25);
    EXPECT_EQ(ticks(Cause::dma_output), 15);
    EXPECT_EQ(ticks(Cause::issue), 4 * 3);
    EXPECT_EQ(r.ticks, 2 * 47 + 50 + 15 + 12);
  }
}

TEST(ClosedFormBlocking, ChannelsWorkOneAfterTheOther) {
  Program p = small_program();
  load(p, 0, 0, {}, 0, 0, 100);
  load(p, 1, 1, {}, 100, 100, 100);
  hw::Device d = small_device();
  EXPECT_EQ(run(p, d).ticks, 5 + 10 + 50);
  d.engines[0].blocking = true;
  EXPECT_EQ(run(p, d).ticks, 2 * (5 + 10 + 25));
}

}  // namespace
}  // namespace dse::sim::testing::closed_form_memories_test
