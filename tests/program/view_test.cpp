#include "program/view.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace dse::program::view_test {
namespace {

dse_view hwc(int w, int c, int elem = 1) {
  return dse_view{nullptr, w * c * elem, c * elem, elem, 0, 0, 0, 0, 0, 0, elem};
}
dse_box box(dse_span h, dse_span w, dse_span c) { return {h, w, c, 1}; }

TEST(Range, TilesAdvanceWithTheirLoopAndAreClamped) {
  const Range r = Range::tiles(1, 4, 10);
  EXPECT_EQ(r.at({9, 0}).lo, 0);
  EXPECT_EQ(r.at({9, 0}).hi, 4);
  EXPECT_EQ(r.at({9, 2}).lo, 8);
  EXPECT_EQ(r.at({9, 2}).hi, 10);
  const dse_span beyond = r.at({9, 3});
  EXPECT_EQ(beyond.lo, beyond.hi);
  EXPECT_EQ(Range::tiles(0, 4, 10, 1).at({0}).lo, 4);
  EXPECT_EQ(Range::whole(7).at({3, 3}).hi, 7);
  const Range halo{-1, 5, 10, 4, 0};  // clamped at both ends
  EXPECT_EQ(halo.at({0}).lo, 0);
  EXPECT_EQ(halo.at({2}).hi, 10);
}

TEST(AppendRuns, MergesWhatIsContiguous) {
  std::vector<Access> out;
  append_runs({0, 100, hwc(8, 16)}, box({2, 5}, {0, 8}, {0, 16}), false, out);
  ASSERT_EQ(out.size(), 1u);  // whole rows: one run
  EXPECT_EQ(out[0].begin, 100 + 2 * 128);
  EXPECT_EQ(out[0].end, 100 + 5 * 128);
  out.clear();
  append_runs({0, 0, hwc(8, 16)}, box({0, 2}, {1, 3}, {0, 16}), true, out);
  EXPECT_EQ(out.size(), 2u);  // part of each row
  out.clear();
  append_runs({0, 0, hwc(8, 16)}, box({0, 1}, {0, 8}, {0, 4}), true, out);
  EXPECT_EQ(out.size(), 8u);  // part of each pixel
  out.clear();
  const dse_view chw{nullptr, 8, 1, 64, 0, 0, 0, 0, 0, 0, 1};
  append_runs({0, 0, chw}, box({0, 8}, {0, 8}, {3, 5}), true, out);
  ASSERT_EQ(out.size(), 1u);  // two whole planes
  EXPECT_EQ(out[0].begin, 3 * 64);
}

TEST(AppendRuns, RingsWrap) {
  dse_view v = hwc(4, 2);
  v.ring_h = 3;
  std::vector<Access> out;
  append_runs({0, 0, v}, box({2, 4}, {0, 4}, {0, 2}), false, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].begin, 16);
  EXPECT_EQ(out[1].begin, 0);
}

/// Property: whatever the layout, the runs are exactly the bytes that dse_at addresses.
TEST(AppendRuns, CoverExactlyTheBytesOfTheBox) {
  std::mt19937 rng(7);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  for (int round = 0; round < 2000; ++round) {
    const int h = pick(1, 6), w = pick(1, 5), c = pick(1, 9), elem = pick(0, 1) ? 1 : 4, layout = pick(0, 3);
    dse_view v{};
    v.elem = elem;
    if (layout == 1) {  // CHW
      v.stride_c = h * w * elem, v.stride_h = w * elem, v.stride_w = elem;
    } else if (layout == 2) {  // bricks of 4 channels
      v.block_c = 4, v.stride_c = elem, v.stride_w = 4 * elem, v.stride_block = w * 4 * elem;
      v.stride_h = v.stride_block * ((c + 3) / 4);
    } else {
      v = hwc(w, c, elem);
      if (layout == 3) v.ring_h = pick(1, h), v.first_h = pick(0, 1), v.ring_c = pick(1, c);
    }
    const int ylo = pick(v.first_h < h ? v.first_h : h - 1, h - 1), xlo = pick(0, w - 1), clo = pick(0, c - 1);
    if (ylo < v.first_h) continue;
    const dse_box b = box({ylo, pick(ylo + 1, h)}, {xlo, pick(xlo + 1, w)}, {clo, pick(clo + 1, c)});
    std::vector<Access> runs;
    append_runs({2, 50, v}, b, true, runs);
    std::set<std::int64_t> got, want;
    for (const Access& a : runs) {
      EXPECT_EQ(a.arena, 2);
      EXPECT_LT(a.begin, a.end);
      for (std::int64_t i = a.begin; i < a.end; ++i) got.insert(i);
    }
    static std::uint8_t anchor[1];
    v.base = anchor;
    for (int y = b.h.lo; y < b.h.hi; ++y)
      for (int x = b.w.lo; x < b.w.hi; ++x)
        for (int k = b.c.lo; k < b.c.hi; ++k)
          for (int e = 0; e < elem; ++e) want.insert(50 + (dse_at(&v, y, x, k) - anchor) + e);
    ASSERT_EQ(got, want) << "layout " << layout << " round " << round;
    v.base = nullptr;
    const std::int64_t bytes = std::int64_t{b.h.hi - b.h.lo} * (b.w.hi - b.w.lo) * (b.c.hi - b.c.lo) * elem;
    const bool one_run = runs.size() == 1 && runs[0].end - runs[0].begin == bytes;
    if (layout == 2)  // several bricks side by side are one run in neither order of the axes
      EXPECT_TRUE(one_run || !is_dense(v, b, elem)) << "round " << round;
    else
      EXPECT_EQ(is_dense(v, b, elem), one_run) << "layout " << layout << " round " << round;
    const Spread spread = spread_of(v, b, elem);
    const std::int64_t across = *want.rbegin() - *want.begin() + 1;
    ASSERT_GE(spread.span, across) << "layout " << layout << " round " << round;
    if (layout < 2) ASSERT_EQ(spread.span, across) << "layout " << layout << " round " << round;
    ASSERT_EQ(bytes % spread.run, 0);
    ASSERT_LE(static_cast<std::int64_t>(runs.size()), bytes / spread.run) << "layout " << layout << " round " << round;
    if (is_dense(v, b, elem)) ASSERT_EQ(spread.run, bytes);
  }
}

TEST(Spread, TellsRunsAndTheSpanThatTheyLieIn) {
  const auto of = [](const dse_view& v, const dse_box& b) {
    const auto s = spread_of(v, b, 1);
    return std::pair(s.run, s.span);
  };
  EXPECT_EQ(spread_of(hwc(8, 16), box({0, 2}, {0, 8}, {4, 8}), 1).step, 16) << "channels of the next column";
  EXPECT_EQ(spread_of(hwc(8, 16), box({0, 2}, {1, 3}, {0, 16}), 1).step, 128) << "the next row";
  EXPECT_EQ(of(hwc(8, 16), box({0, 2}, {0, 8}, {4, 8})), std::pair(std::int64_t{4}, std::int64_t{15 * 16 + 4}));
  EXPECT_EQ(of(hwc(8, 16), box({0, 2}, {1, 3}, {0, 16})), std::pair(std::int64_t{32}, std::int64_t{128 + 32}));
  const dse_view chw{nullptr, 8, 1, 64, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(of(chw, box({2, 4}, {0, 8}, {0, 3})), std::pair(std::int64_t{16}, std::int64_t{2 * 64 + 16}));
  auto ring = hwc(8, 16);
  ring.ring_h = 3;  // rows 2 and 0 of it
  EXPECT_EQ(of(ring, box({2, 4}, {0, 8}, {0, 16})), std::pair(std::int64_t{128}, std::int64_t{3 * 128}));
}

}  // namespace
}  // namespace dse::program::view_test
