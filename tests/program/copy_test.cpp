#include <gtest/gtest.h>

#include <random>

#include "program/kinds.h"

namespace dse::program::copy_test {
namespace {

/// Keeps what a kind says of its work.
struct Recorder : CostModel {
  mutable CopyWork work;
  TaskCost copy(int, const CopyWork& w) const override { return work = w, TaskCost{}; }
  TaskCost call(int, const CallWork&) const override { return {}; }
};
struct Bytes : ByteSpace {
  std::vector<std::vector<std::uint8_t>> arenas;
  std::uint8_t* base(int arena) const override {
    return const_cast<std::uint8_t*>(arenas[static_cast<std::size_t>(arena)].data());
  }
};
struct One {
  std::shared_ptr<CopyPayload> payload = std::make_shared<CopyPayload>();
  TaskTemplate task{&copy_kind(), 0, kNoSlot, {}, payload};
  TaskInstance instance{};
  One() { instance.task = &task; }
  CopyWork work() const {
    Recorder r;
    copy_kind().time(instance, r);
    return r.work;
  }
};
dse_view hwc(int w, int c) { return dse_view{nullptr, w * c, c, 1, 0, 0, 0, 0, 0, 0, 1}; }
dse_view chw(int h, int w) { return dse_view{nullptr, w, 1, h * w, 0, 0, 0, 0, 0, 0, 1}; }
Range span(int lo, int hi) { return {lo, hi, hi, 0, -1}; }

One make(dse_view from, dse_view to, Range y, Range x, Range c) {
  One o;
  o.payload->from = {0, 0, from};
  o.payload->to = {1, 0, to};
  o.payload->y = y, o.payload->x = x, o.payload->c = c;
  return o;
}

TEST(CopyWork, WholeRowsAreOneRun) {
  const CopyWork w = make(hwc(8, 16), hwc(8, 16), span(2, 6), span(0, 8), span(0, 16)).work();
  EXPECT_EQ(w.bytes, 4 * 128);
  EXPECT_EQ(w.run, 512);
  EXPECT_EQ(w.rows, 1);
  EXPECT_EQ(w.planes, 1);
  EXPECT_EQ(w.pieces, 1);
}

TEST(CopyWork, PartialRowsAndPixels) {
  CopyWork w = make(hwc(8, 16), hwc(4, 16), span(0, 4), span(2, 6), span(0, 16)).work();
  EXPECT_EQ(w.run, 64);
  EXPECT_EQ(w.rows, 4);
  EXPECT_EQ(w.planes, 1);
  w = make(hwc(8, 16), hwc(8, 4), span(0, 4), span(0, 8), span(4, 8)).work();
  EXPECT_EQ(w.run, 4);
  EXPECT_EQ(w.rows, 32);  // rows and columns are one evenly spaced series on both sides
  EXPECT_EQ(w.planes, 1);
  w = make(hwc(8, 16), hwc(4, 4), span(0, 5), span(0, 4), span(4, 8)).work();
  EXPECT_EQ(w.rows, 5);
  EXPECT_EQ(w.planes, 4);
}

TEST(CopyWork, PermutationMovesElements) {
  const CopyWork w = make(hwc(8, 16), chw(4, 8), span(0, 4), span(0, 8), span(0, 16)).work();
  EXPECT_EQ(w.run, 1);
  EXPECT_EQ(w.rows, 32);
  EXPECT_EQ(w.planes, 16);
}

TEST(CopyWork, RingWrapsMakePieces) {
  dse_view ring = hwc(8, 16);
  ring.ring_h = 4;
  const CopyWork w = make(hwc(8, 16), ring, span(3, 6), span(0, 8), span(0, 16)).work();
  EXPECT_EQ(w.pieces, 2);
  EXPECT_EQ(w.planes, 2);
  EXPECT_EQ(w.rows, 1);
  EXPECT_EQ(w.run, 256);
  EXPECT_EQ(w.bytes, 384);
}

TEST(CopyWork, BricksAreStepsNotPieces) {
  dse_view bricks{nullptr, 8 * 32, 16, 1, 0, 0, 0, 0, 16, 8 * 16, 1};
  const CopyWork w = make(hwc(8, 32), bricks, span(0, 4), span(0, 8), span(0, 32)).work();
  EXPECT_EQ(w.pieces, 1);
  EXPECT_EQ(w.run, 16);
  EXPECT_EQ(w.rows * w.planes, 4 * 8 * 2);
}

/// Property: the copy moves exactly the elements of the box, for any two layouts; and its runs account for all its
/// bytes.
TEST(Copy, ExecutesElementByElement) {
  std::mt19937 rng(11);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  for (int round = 0; round < 3000; ++round) {
    const int h = pick(1, 6), w = pick(1, 5), c = pick(1, 12);
    const auto layout = [&] {
      switch (pick(0, 4)) {
        case 0:
          return chw(h, w);
        case 1: {
          const int b = pick(1, 5), bricks = (c + b - 1) / b;
          return dse_view{nullptr, w * b * bricks, b, 1, 0, 0, 0, 0, b, w * b, 1};
        }
        case 2: {
          dse_view v = hwc(w, c);
          v.stride_h += pick(0, 3);
          return v;
        }
        default:
          return hwc(w, c);
      }
    };
    const int ylo = pick(0, h - 1), xlo = pick(0, w - 1), clo = pick(0, c - 1);
    const int yhi = pick(ylo + 1, h), xhi = pick(xlo + 1, w), chi = pick(clo + 1, c);
    dse_view to = layout();
    if (to.block_c == 0 && pick(0, 1)) to.first_h = ylo, to.ring_h = yhi - ylo + pick(0, 2);
    dse_view from = layout();
    if (from.block_c == 0 && pick(0, 1)) from.ring_h = yhi - ylo + pick(0, 1);
    const One one = make(from, to, span(ylo, yhi), span(xlo, xhi), span(clo, chi));
    Bytes bytes;
    bytes.arenas.assign(2, std::vector<std::uint8_t>(4096, 0xAA));
    for (auto& b : bytes.arenas[0]) b = static_cast<std::uint8_t>(pick(0, 255));
    auto want = bytes.arenas[1];
    from.base = bytes.base(0), to.base = want.data();
    for (int y = ylo; y < yhi; ++y)
      for (int x = xlo; x < xhi; ++x)
        for (int k = clo; k < chi; ++k) *dse_at(&to, y, x, k) = *dse_at(&from, y, x, k);
    ASSERT_TRUE(copy_kind().execute(one.instance, bytes));
    ASSERT_EQ(bytes.arenas[1], want) << "round " << round;
    const CopyWork work = one.work();
    EXPECT_LE(work.bytes, work.run * work.rows * work.planes);
    EXPECT_GE(work.planes, work.pieces);
    EXPECT_LE(work.rows * work.planes - work.planes, work.bytes);
  }
}

/// Property: without rings and bricks, rows x planes is the number of runs that are contiguous on both sides.
TEST(CopyWork, CountsTheContiguousRuns) {
  std::mt19937 rng(17);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  for (int round = 0; round < 3000; ++round) {
    const int h = pick(1, 5), w = pick(1, 5), c = pick(1, 5);
    const auto layout = [&] { return hwc(w + (pick(0, 3) == 0), c + (pick(0, 3) == 0)); };
    dse_view from = layout(), to = layout();
    const int ylo = pick(0, h - 1), xlo = pick(0, w - 1), clo = pick(0, c - 1);
    const int yhi = pick(ylo + 1, h), xhi = pick(xlo + 1, w), chi = pick(clo + 1, c);
    if (pick(0, 2) == 0) to.ring_h = h;  // a ring that does not wrap
    const CopyWork work = make(from, to, span(ylo, yhi), span(xlo, xhi), span(clo, chi)).work();
    std::uint8_t room[4096];
    from.base = to.base = room;
    std::int64_t runs = 0, last_from = -2, last_to = -2;
    for (int y = ylo; y < yhi; ++y)
      for (int x = xlo; x < xhi; ++x)
        for (int k = clo; k < chi; ++k) {
          const std::int64_t f = dse_at(&from, y, x, k) - room, t = dse_at(&to, y, x, k) - room;
          if (f != last_from + 1 || t != last_to + 1) ++runs;
          last_from = f, last_to = t;
        }
    ASSERT_EQ(work.rows * work.planes, runs) << "round " << round;
    ASSERT_EQ(work.run * runs, work.bytes);
    ASSERT_EQ(work.pieces, 1);
  }
}

TEST(Copy, FillsWithoutASource) {
  One one = make(hwc(1, 1), hwc(4, 4), span(1, 2), span(0, 4), span(0, 4));
  one.payload->fill = true;
  one.payload->value = 7;
  one.payload->from = View{};
  Bytes bytes;
  bytes.arenas.assign(2, std::vector<std::uint8_t>(64, 0));
  ASSERT_TRUE(copy_kind().execute(one.instance, bytes));
  EXPECT_EQ(std::count(bytes.arenas[1].begin(), bytes.arenas[1].end(), 7), 16);
  EXPECT_EQ(bytes.arenas[1][16], 7);
  EXPECT_EQ(one.work().from_arena, -1);
  std::vector<Access> foot;
  copy_kind().footprint(one.instance, foot);
  ASSERT_EQ(foot.size(), 1u);
  EXPECT_TRUE(foot[0].write);
  one.payload->to = View{};
  EXPECT_FALSE(copy_kind().execute(one.instance, bytes));
}

}  // namespace
}  // namespace dse::program::copy_test
