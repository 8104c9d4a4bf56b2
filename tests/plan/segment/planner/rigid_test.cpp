// Shapes that interleave to the byte: what rings take, and that nothing meets; tiny cases against every placement.
#include "plan/place/rigid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/diagnostics.h"
#include "methods/memory/place.h"
#include "tests/plan/segment/planner/random_layers.h"

namespace dse::plan::shared::rigid_test {
namespace {

std::int64_t draw(std::mt19937& random, std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(hi - lo + 1));
}

using Cells = std::set<std::pair<int, std::int64_t>>;  // step, byte

Cells cells(const Shape& s, std::int64_t offset) {
  Cells out;
  for (const Taken& t : s.taken)
    for (int step = t.from; step < t.to; ++step)
      for (auto b = t.begin; b < t.end; ++b)
        EXPECT_TRUE(out.emplace(step, offset + b).second) << "a shape takes a byte twice";
  return out;
}

bool common(const Cells& a, const Cells& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& cell) { return b.count(cell) > 0; });
}

std::int64_t top(const Cells& c) {
  std::int64_t out = 0;
  for (const auto& [step, byte] : c) out = std::max(out, byte + 1);
  return out;
}

/// Up to four steps, in each one or two ranges of up to five bytes.
Shape random_shape(std::mt19937& random) {
  Shape s;
  const auto begin = static_cast<int>(draw(random, 0, 3)), end = static_cast<int>(draw(random, begin + 1, 5));
  for (int step = begin; step < end; ++step) {
    const auto a = draw(random, 0, 3), b = draw(random, a + 1, 5);
    s.taken.push_back({step, step + 1, a, b});
    if (a > 1 && draw(random, 0, 1)) s.taken.push_back({step, step + 1, 0, a - 1});
  }
  return s;
}

/// Height of what is lowest, every piece in every shape at every offset up to `limit`.
std::int64_t lowest(const std::vector<Piece>& pieces, std::size_t at, const Cells& taken, std::int64_t limit) {
  if (at == pieces.size()) return top(taken);
  auto best = std::numeric_limits<std::int64_t>::max();
  for (const Shape& s : pieces[at].shapes)
    for (std::int64_t o = 0; o <= limit; o += pieces[at].alignment) {
      auto mine = cells(s, o);
      if (top(mine) > limit || common(mine, taken)) continue;
      mine.insert(taken.begin(), taken.end());
      best = std::min(best, lowest(pieces, at + 1, mine, limit));
    }
  return best;
}

TEST(Rigid, MeetingsAreTheDistancesAtWhichAByteIsTakenTwice) {
  std::mt19937 random(1);
  int meets = 0;
  for (int round = 0; round < 200; ++round) {
    const auto a = random_shape(random), b = random_shape(random);
    for (std::int64_t d = -8; d <= 8; ++d) {
      const bool truth = common(cells(a, 0), cells(b, d));
      ASSERT_EQ(meet(a, b, d), truth) << round << " at " << d;
      meets += truth;
    }
  }
  EXPECT_GT(meets, 200);
}

TEST(Rigid, TinyCasesReachTheLeastHeightButForFew) {
  std::mt19937 random(2);
  int lower_than_hulls = 0, missed = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<Piece> pieces(static_cast<std::size_t>(draw(random, 1, 3)));
    for (Piece& p : pieces) {
      p.alignment = draw(random, 1, 2);
      for (auto n = draw(random, 1, 2); n > 0; --n) p.shapes.push_back(random_shape(random));
    }
    const auto layout = place_rigid(pieces, {}, 0, {.moves = 300, .starts = 4});
    Cells taken;
    std::int64_t hulls = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_GE(layout.offsets[i], 0);
      ASSERT_EQ(layout.offsets[i] % pieces[i].alignment, 0);
      const auto mine = cells(pieces[i].shapes[static_cast<std::size_t>(layout.shapes[i])], layout.offsets[i]);
      ASSERT_FALSE(common(mine, taken)) << "round " << round;
      hulls += top(mine) - layout.offsets[i];
      taken.insert(mine.begin(), mine.end());
    }
    ASSERT_EQ(top(taken), layout.height);
    // No order places a piece higher than it could lie, so that the least is missed where that would make room.
    const auto least = lowest(pieces, 0, {}, layout.height);
    ASSERT_GE(layout.height, least);
    missed += layout.height > least;
    lower_than_hulls += layout.height < hulls;
  }
  EXPECT_GT(lower_than_hulls, 50);
  EXPECT_LE(missed, 5);
}

TEST(Rigid, RingsOfSchedulesKeepEveryRowAndNeverMeet) {
  int wrapped = 0, shifted = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const auto g = test::random_layers(random, 8);
    const auto s = expand(g, test::random_segments(random, g, false), Input::released);
    std::vector<Piece> pieces;
    std::vector<alloc::Buffer> buffers;
    for (const TensorUse& t : s.tensors) {
      buffers.push_back(buffer_of(t, 2));
      pieces.push_back({t.ring > 0 ? ring_shapes(t, 2, 2) : std::vector{shape_of(buffers.back())}, 1});
    }
    const auto load = load_of(pieces);
    ASSERT_EQ(load, peak_bytes(s, 2));
    const auto allocated = alloc::allocate(buffers, {}, {.moves = 50, .nodes = 0});
    const auto layout = place_rigid(pieces, allocated.offsets, load, {.moves = 200, .starts = 3});
    ASSERT_GE(layout.height, load);
    std::map<std::pair<int, std::int64_t>, std::pair<int, std::int64_t>> holder;  // step and byte -> tensor and row
    for (std::size_t i = 0; i < s.tensors.size(); ++i) {
      const TensorUse& t = s.tensors[i];
      const Shape& shape = pieces[i].shapes[static_cast<std::size_t>(layout.shapes[i])];
      const auto row = t.row_elements * 2;
      shifted += shape.shift > 0;
      for (const Held& h : t.held)
        for (int step = h.from; step < h.to; ++step)
          for (auto y = h.lo; y < h.hi; ++y) {
            const auto slot = t.ring > 0 ? (y + shape.shift) % shape.ring : y;
            for (std::int64_t b = 0; b < row; ++b) {
              const auto at = layout.offsets[i] + slot * row + b;
              ASSERT_LT(at, layout.height);
              ASSERT_TRUE(holder.try_emplace({step, at}, static_cast<int>(i), y).second) << "seed " << seed;
            }
          }
      for (std::size_t k = 1; k < pieces[i].shapes[0].taken.size() && t.ring > 0; ++k)
        wrapped += pieces[i].shapes[0].taken[k].from == pieces[i].shapes[0].taken[k - 1].from;
      if (t.ring > 0) {
        EXPECT_EQ(pieces[i].shapes[0].ring, t.ring);
        EXPECT_EQ(pieces[i].shapes[0].shift, 0);
      }
    }
  }
  EXPECT_GT(wrapped, 10);
  EXPECT_GT(shifted, 10);
}

TEST(Rigid, WhatCannotBe) {
  EXPECT_THROW(ring_shapes({}, 1, 0), InvariantError);
  const std::vector<Piece> none(1);
  EXPECT_THROW(place_rigid(none, {}, 0), InvariantError);
  EXPECT_EQ(place_rigid({}, {}, 0).height, 0);
}

}  // namespace
}  // namespace dse::plan::shared::rigid_test
