// The fronts of spaces of some 10^5 candidates equal every one tried.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/explore/front/brute_force.h"
#include "tests/explore/front/small_spaces.h"

namespace dse::explore::test_support::brute_force_slow {
namespace {

TEST(BruteForceSlow, TheFrontsOfLargeSpacesEqualIt) {
  for (const auto& s : large_spaces()) {
    const auto brute = brute_force(s.c, s.spec);
    EXPECT_GE(brute.candidates, 100'000) << s.name;
    EXPECT_EQ(brute.invalid, std::vector<std::string>()) << s.name;
    const auto found = explored(s.c, s.spec);
    const auto expected = with_marked(brute.front, s.c, s.spec, found.whole);
    EXPECT_EQ(to_string(found.front), to_string(expected)) << s.name;
    EXPECT_TRUE(found.complete) << s.name;
    EXPECT_EQ(account_of_layers(s.c, s.spec, found.whole), "") << s.name;
    fmt::print("{}: {} candidates, {} infeasible, {} points; the search: {} simulated + {} proven dominated\n", s.name,
               brute.candidates, brute.infeasible, expected.size(), found.whole.simulated,
               found.whole.proven_dominated);
  }
}

}  // namespace
}  // namespace dse::explore::test_support::brute_force_slow
