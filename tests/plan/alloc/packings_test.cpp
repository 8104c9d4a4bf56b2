// Perfect packings: cut rectangles, whose least height is known, are filled again.
#include "tests/support/packings.h"

#include <gmock/gmock.h>

#include <map>

#include "plan/alloc/allocate.h"
#include "plan/alloc/validate.h"
#include "tests/support/slow.h"

namespace dse::plan::alloc::packings_test {
namespace {

TEST(Packings, NeedTheWholeHeightInEveryStep) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto packing = test::perfect_packing(test::any_cut(seed));
    ASSERT_GE(packing.buffers.size(), 100u) << seed;
    ASSERT_LE(packing.buffers.size(), 500u) << seed;
    std::map<std::int64_t, std::int64_t> change;
    for (const Buffer& b : packing.buffers) {
      ASSERT_EQ(b.size % packing.cut.alignment, 0);
      change[b.lower] += b.size, change[b.upper] -= b.size;
    }
    ASSERT_EQ(change.begin()->first, 0);
    ASSERT_EQ(change.rbegin()->first, packing.cut.steps);
    std::int64_t load = 0;
    for (const auto& [step, bytes] : change) {
      load += bytes;
      ASSERT_EQ(load, step < packing.cut.steps ? packing.height : 0) << seed << " at step " << step;
    }
  }
}

TEST(Packings, AreTheSameForTheSameSeed) {
  EXPECT_EQ(test::perfect_packing(test::any_cut(5)).buffers, test::perfect_packing(test::any_cut(5)).buffers);
}

/// Whether the packing is filled to its height with so many nodes; whatever is found is a layout.
bool solved(std::uint64_t seed, std::int64_t nodes) {
  const auto packing = test::perfect_packing(test::any_cut(seed));
  const Layout l = allocate(packing.buffers, packing.height, {.moves = 400, .nodes = nodes});
  const auto verdict = validate(packing.buffers, l.offsets);
  EXPECT_THAT(verdict.faults, testing::IsEmpty()) << seed;
  EXPECT_EQ(verdict.height, l.height) << seed;
  EXPECT_GE(l.height, packing.height) << seed;
  EXPECT_EQ(l.lower_bound, packing.height) << "nothing is lower, and nothing is proven that is not so: " << seed;
  return l.height == packing.height;
}

TEST(Packings, AreFilledAgain) {
  int filled = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) filled += solved(seed, 20'000);
  EXPECT_GE(filled, 13);
}

TEST(PackingsSlow, MostOfTwoHundredAreFilledAgain) {
  const int all = dse::test::of_slow(200);
  int filled = 0;
  for (int seed = 0; seed < all; ++seed) filled += solved(static_cast<std::uint64_t>(seed), 2'000'000);
  std::printf("%d of %d perfect packings filled\n", filled, all);
  EXPECT_GE(filled, all * 4 / 5);
}

}  // namespace
}  // namespace dse::plan::alloc::packings_test
