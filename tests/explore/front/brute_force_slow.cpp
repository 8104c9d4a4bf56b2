// The fronts of spaces of some 10^5 candidates equal every one tried.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/explore/front/brute_force.h"
#include "tests/explore/front/small_spaces.h"

namespace dse::explore::test_support::brute_force_slow {
namespace {

TEST(BruteForceSlow, TheFrontsOfLargeSpacesEqualIt) {
  for (const auto& s : large_spaces()) {
    const auto [brute, found, expected] = expect_brute_force(s.c, s.spec, s.name);
    EXPECT_GE(brute.candidates, 100'000) << s.name;
    EXPECT_EQ(account_of_layers(s.c, s.spec, found.whole), "") << s.name;
    fmt::print("{}: {} candidates, {} infeasible, {} points; the search: {} simulated + {} proven dominated\n", s.name,
               brute.candidates, brute.infeasible, expected.size(), found.whole.simulated,
               found.whole.proven_dominated);
  }
}

}  // namespace
}  // namespace dse::explore::test_support::brute_force_slow
