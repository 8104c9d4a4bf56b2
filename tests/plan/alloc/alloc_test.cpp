// The arena allocator against brute force, on instances with known optima, within limits, and what it refuses.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/diagnostics.h"
#include "plan/alloc/allocate.h"
#include "plan/alloc/validate.h"
#include "tests/support/packings.h"

namespace dse::plan::alloc::plan_alloc_test {
namespace {

std::vector<std::string> faults(const std::vector<Buffer>& b, const Layout& l) { return validate(b, l.offsets).faults; }

/// Whether any offsets at all give a layout of at most this height: every one is tried.
bool has_layout_of(const std::vector<Buffer>& b, std::int64_t height) {
  const auto needed = [](const Buffer& x, std::int64_t step) -> std::pair<std::int64_t, std::int64_t> {
    if (step < x.lower || step >= x.upper) return {0, 0};
    for (const Gap& g : x.gaps)
      if (g.lower <= step && step < g.upper) return {g.begin, g.end};
    return {0, x.size};
  };
  constexpr std::int64_t kSteps = 8;
  std::vector<std::int64_t> at(b.size(), 0);
  const auto possible = [&](auto&& self, std::size_t i) -> bool {
    if (i == b.size()) return true;
    for (std::int64_t o = b[i].offset.value_or(0);; ++o) {
      bool inside = true, apart = true;
      for (std::int64_t t = 0; t < kSteps; ++t) {
        const auto [begin, end] = needed(b[i], t);
        if (begin < end && o + end > height) inside = false;
        for (std::size_t j = 0; j < i; ++j) {
          if (b[i].offset && b[j].offset) continue;
          const auto [from, to] = needed(b[j], t);
          for (auto byte = o + begin; byte < o + end; ++byte)
            if (at[j] + from <= byte && byte < at[j] + to) apart = false;
        }
      }
      if (!inside || o > height) return false;
      at[i] = o;
      if (apart && o % b[i].alignment == 0 && self(self, i + 1)) return true;
      if (b[i].offset) return false;
    }
  };
  return possible(possible, 0);
}

struct Kind {
  bool alignment = false, gaps = false, fixed = false, windows = false;
};

/// Up to six buffers within eight steps.
std::vector<Buffer> tiny(std::mt19937& rng, const Kind& kind) {
  const auto below = [&](int n) { return static_cast<std::int64_t>(rng() % static_cast<unsigned>(n)); };
  std::vector<Buffer> out;
  const auto n = 3 + below(4);
  for (std::int64_t i = 0; i < n; ++i) {
    Buffer b;
    b.id = std::to_string(i);
    b.lower = below(7);
    b.upper = std::min<std::int64_t>(8, b.lower + 1 + below(5));
    b.size = 1 + below(6);
    if (kind.alignment) b.alignment = std::array{1, 2, 3, 4}[static_cast<std::size_t>(below(4))];
    if (kind.gaps && b.upper - b.lower >= 3 && below(2))
      b.gaps.push_back({b.lower + 1, b.lower + 2, 0, below(2) ? 0 : below(static_cast<int>(b.size) + 1)});
    for (auto t = b.lower; kind.windows && t < b.upper; ++t)
      if (below(3)) {
        const auto begin = below(static_cast<int>(b.size)), end = begin + below(static_cast<int>(b.size - begin) + 1);
        b.gaps.push_back({t, t + 1, begin, end});
      }
    if (kind.fixed && i == 0) b.offset = below(5) * b.alignment;
    out.push_back(b);
  }
  return out;
}

void agrees_with_brute_force(const Kind& kind, unsigned seed, int instances) {
  std::mt19937 rng(seed);
  int above_load = 0;
  for (int k = 0; k < instances; ++k) {
    const auto b = tiny(rng, kind);
    const Layout l = allocate(b);
    ASSERT_THAT(faults(b, l), testing::IsEmpty()) << "instance " << k;
    ASSERT_EQ(validate(b, l.offsets).height, l.height) << "instance " << k;
    ASSERT_TRUE(l.optimal()) << "instance " << k;
    ASSERT_TRUE(has_layout_of(b, l.height)) << "instance " << k;
    ASSERT_FALSE(has_layout_of(b, l.height - 1)) << "instance " << k << " has a layout below " << l.height;
    // The exact search must not owe that to the local search.
    Effort exact;
    exact.moves = 0;
    ASSERT_EQ(allocate(b, {}, exact).height, l.height) << "instance " << k;
    const Layout fits = allocate(b, l.height, exact);
    ASSERT_LE(fits.height, l.height) << "instance " << k;
    if (l.height > 0) {
      const Layout too_small = allocate(b, l.height - 1, exact);
      ASSERT_THAT(faults(b, too_small), testing::IsEmpty());
      ASSERT_GT(too_small.lower_bound, l.height - 1) << "instance " << k;
      ASSERT_LE(too_small.lower_bound, l.height) << "instance " << k;
    }
    above_load += l.height > l.load;
  }
  if (kind.alignment || kind.fixed) {
    EXPECT_GT(above_load, 0) << "the instances are too easy";
  }
}

TEST(Alloc, AgreesWithBruteForce) { agrees_with_brute_force({}, 1, 300); }
TEST(Alloc, AgreesWithBruteForceWithAlignments) { agrees_with_brute_force({true, false, false}, 2, 300); }
TEST(Alloc, AgreesWithBruteForceWithGaps) { agrees_with_brute_force({false, true, false}, 3, 300); }
TEST(Alloc, AgreesWithBruteForceAroundFixedBuffers) { agrees_with_brute_force({false, false, true}, 4, 300); }
TEST(Alloc, AgreesWithBruteForceWithAllOfIt) { agrees_with_brute_force({true, true, true}, 5, 400); }

/// With windows, a proof or a gap: the bound is never above the optimum, the layout never below it.
void bounds_hold(const Kind& kind, unsigned seed, int instances, int least_proven) {
  std::mt19937 rng(seed);
  int proven = 0, optimal = 0;
  for (int k = 0; k < instances; ++k) {
    const auto b = tiny(rng, kind);
    const Layout l = allocate(b);
    ASSERT_THAT(faults(b, l), testing::IsEmpty()) << "instance " << k;
    ASSERT_EQ(validate(b, l.offsets).height, l.height) << "instance " << k;
    ASSERT_EQ(validate(b, l.offsets).load, l.load) << "instance " << k;
    ASSERT_LE(l.lower_bound, l.height) << "instance " << k;
    if (l.lower_bound > 0) {
      ASSERT_FALSE(has_layout_of(b, l.lower_bound - 1)) << "instance " << k;
    }
    proven += l.optimal();
    optimal += l.height == 0 || !has_layout_of(b, l.height - 1);
    const Layout small = allocate(b, l.height > 0 ? l.height - 1 : 0);
    ASSERT_THAT(faults(b, small), testing::IsEmpty()) << "instance " << k;
    ASSERT_LE(small.lower_bound, l.height) << "instance " << k;
  }
  testing::Test::RecordProperty("proven", proven);
  testing::Test::RecordProperty("optimal", optimal);
  EXPECT_GE(proven, least_proven);
  EXPECT_GE(optimal, instances * 99 / 100);  // what a layout of one kind for all sections of a pair costs
}

TEST(Alloc, BoundsHoldWithWindows) { bounds_hold({false, false, false, true}, 21, 400, 300); }
TEST(Alloc, BoundsHoldWithWindowsAndAlignments) { bounds_hold({true, false, false, true}, 22, 400, 300); }
TEST(Alloc, BoundsHoldWithWindowsAroundFixedBuffers) { bounds_hold({true, false, true, true}, 23, 400, 300); }

/// A rectangle of `height` bytes and `width` steps cut into `n` buffers: they fill it again.
std::vector<Buffer> cut(std::mt19937& rng, std::int64_t width, std::int64_t height, std::size_t n) {
  struct Piece {
    std::int64_t left, right, bytes;
  };
  std::vector<Piece> pieces{{0, width, height}};
  while (pieces.size() < n) {
    const auto largest = std::max_element(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return (a.right - a.left) * a.bytes < (b.right - b.left) * b.bytes;
    });
    const auto k = static_cast<std::size_t>(largest - pieces.begin());
    const Piece p = *largest;
    if (rng() % 2 == 0 && p.right - p.left > 1) {
      const auto at = p.left + 1 + static_cast<std::int64_t>(rng()) % (p.right - p.left - 1);
      pieces.push_back({at, p.right, p.bytes});
      pieces[k].right = at;
    } else if (p.bytes > 1) {
      const auto part = 1 + static_cast<std::int64_t>(rng()) % (p.bytes - 1);
      pieces.push_back({p.left, p.right, part});
      pieces[k].bytes -= part;
    }
  }
  std::shuffle(pieces.begin(), pieces.end(), rng);
  std::vector<Buffer> out;
  for (const Piece& p : pieces) out.push_back({std::to_string(out.size()), p.left, p.right, p.bytes, 1, {}, {}});
  return out;
}

TEST(Alloc, FillsRectanglesThatWereCutToPieces) {
  std::mt19937 rng(6);
  int searched = 0;
  for (int k = 0; k < 30; ++k) {
    const auto b = cut(rng, 60, 1000, 60);
    const Layout l = allocate(b);
    ASSERT_THAT(faults(b, l), testing::IsEmpty());
    EXPECT_EQ(l.height, 1000) << "instance " << k;
    EXPECT_EQ(l.lower_bound, 1000);
    searched += l.nodes > 0;
  }
  EXPECT_GT(searched, 10) << "the instances are too easy for the exact search to be needed";
}

std::vector<Buffer> random_buffers(std::mt19937& rng, int n, int steps) {
  std::vector<Buffer> out;
  for (int i = 0; i < n; ++i) {
    Buffer b;
    b.id = std::to_string(i);
    b.lower = static_cast<std::int64_t>(rng()) % steps;
    b.upper = b.lower + 1 + static_cast<std::int64_t>(rng()) % 12;
    b.size = 1 + static_cast<std::int64_t>(rng()) % 5000;
    if (rng() % 4 == 0) b.alignment = 64;
    out.push_back(b);
  }
  return out;
}

TEST(Alloc, GreedyIsNeverWorseThanFirstFitNorTheFastPathThanGreedy) {
  std::mt19937 rng(7);
  int first_fit_wins = 0;
  for (int k = 0; k < 300; ++k) {
    const auto b = random_buffers(rng, 4 + k % 60, 30);
    const Layout first = first_fit(b), by_size = greedy(b);
    Effort fast;
    fast.nodes = 0;
    const Layout best = allocate(b, {}, fast);
    for (const Layout* l : {&first, &by_size, &best}) {
      ASSERT_THAT(faults(b, *l), testing::IsEmpty());
      ASSERT_GE(l->height, l->lower_bound);
    }
    ASSERT_LE(by_size.height, first.height);
    ASSERT_LE(best.height, by_size.height);
    ASSERT_EQ(best.nodes, 0);
    first_fit_wins += by_size.height == first.height;
  }
  EXPECT_LT(first_fit_wins, 300);
}

TEST(Alloc, ReturnsTheBestFoundWithItsBoundWhenTheEffortEnds) {
  test::Cut hard;
  hard.seed = 8, hard.pieces = 450, hard.steps = 30, hard.units = 1000, hard.alignment = 100, hard.pinwheels = 30;
  const auto b = test::perfect_packing(hard).buffers;
  Effort none;
  none.moves = 0, none.nodes = 0;
  Effort some;
  some.nodes = 2000;
  Effort stopped;
  stopped.stop = [] { return true; };
  for (const Effort& e : {none, some, stopped}) {
    const Layout l = allocate(b, {}, e);
    ASSERT_THAT(faults(b, l), testing::IsEmpty());
    EXPECT_GT(l.height, l.lower_bound) << "the instance is too easy to show a gap";
    EXPECT_FALSE(l.optimal());
    EXPECT_EQ(l.lower_bound, 100'000);
    EXPECT_LE(l.nodes, e.nodes);
    const Layout tight = allocate(b, 100'000, e);  // it would fit, but that is not found
    EXPECT_GT(tight.height, 100'000);
    EXPECT_LE(tight.lower_bound, 100'000);
    EXPECT_THAT(faults(b, tight), testing::IsEmpty());
  }
}

TEST(Alloc, StopsSoonAfterItIsTold) {
  std::mt19937 rng(10);
  const auto b = random_buffers(rng, 120, 60);
  Effort e;
  e.nodes = std::int64_t{1} << 40;
  int asked = 0;
  e.stop = [&] { return ++asked > 100; };
  const Layout l = allocate(b, {}, e);
  EXPECT_GT(asked, 100);
  EXPECT_LT(l.nodes, 200 * 1024);
  EXPECT_THAT(faults(b, l), testing::IsEmpty());
}

TEST(Alloc, GivesTheSameLayoutAgain) {
  std::mt19937 rng(10);
  const auto b = random_buffers(rng, 120, 60);
  Effort e;
  e.nodes = 20'000;
  EXPECT_EQ(allocate(b, {}, e).offsets, allocate(b, {}, e).offsets);
}

TEST(Alloc, OnlyTheUppermostBufferNeedsNoRounding) {
  const std::vector<Buffer> b{{"a", 0, 2, 10, 16, {}, {}}, {"b", 0, 2, 3, 16, {}, {}}, {"c", 1, 2, 20, 16, {}, {}}};
  const Layout l = allocate(b);
  EXPECT_EQ(l.load, 33);
  EXPECT_EQ(l.height, 16 + 32 + 3);  // 3 bytes on top lose 13 of rounding, the most of all
  EXPECT_TRUE(l.optimal());
}

TEST(Alloc, AnAlignmentFarAboveTheSizesIsNotReachedByteByByte) {
  // The lowest layout is millions of bytes above the bound of the load, and every height between is refused at once:
  // asked for one after the other they took an hour.
  const std::vector<Buffer> b{{"a", 0, 3, 4, 1, {}, 8},
                              {"b", 3, 9, 41, 2, {{4, 5}, {6, 8, 0, 2}}, {}},
                              {"c", 2, 7, 13, 168'888'888, {{3, 4, 1, 9}}, {}},
                              {"d", 1, 8, 15, 64, {}, 64},
                              {"e", 5, 9, 100, 4, {}, {}}};
  Effort e;
  e.moves = 5, e.nodes = 200;
  const Layout l = allocate(b, {}, e);
  EXPECT_THAT(faults(b, l), testing::IsEmpty());
  EXPECT_LE(l.lower_bound, l.height);
  for (const std::int64_t alignment : {7, 1'000, 1'000'003, 1'000'000'007}) {
    // One below the other, and the fixed one keeps the aligned one from offset 0.
    const std::vector<Buffer> two{{"fixed", 0, 2, 1, 1, {}, 0}, {"aligned", 1, 3, 5, alignment, {}, {}}};
    const Layout lowest = allocate(two);
    EXPECT_EQ(lowest.height, alignment + 5);
    EXPECT_TRUE(lowest.optimal()) << alignment;
  }
}

TEST(Alloc, ReusesWhatAGapLeaves) {
  const std::vector<Buffer> b{{"a", 0, 9, 8, 1, {{3, 6, 0, 2}}, {}}, {"b", 3, 6, 6, 1, {}, {}}};
  const Layout l = allocate(b);
  EXPECT_EQ(l.height, 8);
  EXPECT_THAT(l.offsets, testing::ElementsAre(0, 2));
}

TEST(Alloc, ReusesWhatIsBelowAWindow) {
  const std::vector<Buffer> b{{"a", 0, 9, 8, 1, {{3, 6, 5, 8}}, {}}, {"b", 3, 6, 5, 1, {}, {}}};
  const Layout l = allocate(b);
  EXPECT_EQ(l.height, 8);
  EXPECT_TRUE(l.optimal());
  EXPECT_THAT(l.offsets, testing::ElementsAre(0, 0));
}

/// The output takes over the input's rows while these are used up: one row more than either.
TEST(Alloc, RowsThatComeFollowRowsThatGo) {
  constexpr std::int64_t kRows = 50;
  Buffer in{"in", 0, kRows, kRows * 16, 4, {}, {}}, out{"out", 0, kRows + 1, kRows * 16, 4, {}, {}};
  for (std::int64_t y = 0; y < kRows; ++y) {
    if (y > 0) in.gaps.push_back({y, y + 1, y * 16, kRows * 16});
    out.gaps.push_back({y, y + 1, 0, (y + 1) * 16});
  }
  const Layout l = allocate(std::vector<Buffer>{in, out});
  EXPECT_EQ(l.height, (kRows + 1) * 16);
  EXPECT_TRUE(l.optimal());
  EXPECT_EQ(l.nodes, 0);
}

/// A window that begins above its buffer's start does not let the buffer begin below 0.
TEST(Alloc, OffsetsAreNotNegative) {
  const Layout l = allocate(std::vector<Buffer>{{"a", 0, 1, 8, 1, {{0, 1, 5, 8}}, {}}});
  EXPECT_EQ(l.height, 8);
  EXPECT_EQ(l.load, 3);
  EXPECT_TRUE(l.optimal());
}

TEST(Alloc, BuffersThatNeedNothingTakeNoRoom) {
  const std::vector<Buffer> b{
      {"a", 0, 5, 0, 4, {}, {}}, {"b", 2, 2, 9, 1, {}, {}}, {"c", 1, 4, 7, 1, {{1, 4, 0, 0}}, {}}};
  const Layout l = allocate(b);
  EXPECT_EQ(l.height, 0);
  EXPECT_TRUE(l.optimal());
  EXPECT_EQ(l.offsets.size(), 3u);
  EXPECT_EQ(allocate({}).height, 0);
}

TEST(Alloc, ManyBuffersAreNoTrouble) {
  std::mt19937 rng(11);
  std::vector<Buffer> b;
  for (int i = 0; i < 6000; ++i)
    b.push_back({std::to_string(i), i, i + 3, 1 + static_cast<int>(rng() % 99), 8, {}, {}});
  Effort e;
  e.nodes = 100'000, e.moves = 20;
  const Layout l = allocate(b, {}, e);
  EXPECT_THAT(faults(b, l), testing::IsEmpty());
}

TEST(Alloc, RefusesWhatNoReaderLetsThrough) {
  const auto refused = [](const Buffer& b) { EXPECT_THROW(allocate(std::vector{b}), InvariantError); };
  refused({"a", 3, 2, 4, 1, {}, {}});
  refused({"a", -1, 2, 4, 1, {}, {}});
  refused({"a", 0, 2, -4, 1, {}, {}});
  refused({"a", 0, 2, kLargest + 1, 1, {}, {}});
  refused({"a", 0, 2, 4, 0, {}, {}});
  refused({"a", 0, 2, 4, 4, {}, 6});
  refused({"a", 0, 9, 4, 1, {{4, 4, 0}}, {}});
  refused({"a", 0, 9, 4, 1, {{4, 6, 0}, {5, 7, 0}}, {}});
  refused({"a", 0, 9, 4, 1, {{4, 6, 5}}, {}});
  EXPECT_THROW(allocate(std::vector<Buffer>(3, {"a", 0, 1, kLargest / 2, 1, {}, {}})), InvariantError);
  EXPECT_THROW(allocate({}, -1), InvariantError);
}

}  // namespace
}  // namespace dse::plan::alloc::plan_alloc_test
