// Fronts and their certificates against every whole candidate of small spaces.
#include "tests/explore/front/brute_force.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/space/space.h"
#include "models/hw/libraries/libraries.h"
#include "tests/explore/front/small_spaces.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::explore_brute_force_test {
namespace {

TEST(BruteForce, FrontsOfSmallSpacesEqualItPointForPoint) {
  int limits_bite = 0, with_points = 0, empty = 0;
  std::int64_t candidates = 0, points = 0;
  EXPECT_GE(small_spaces().size(), 20u);
  const auto spaces = test::share_of(small_spaces());
  for (const auto& s : spaces) {
    const auto [brute, found, expected] = expect_brute_force(s.c, s.spec, s.name);
    EXPECT_LE(brute.candidates, 10'000) << s.name;
    EXPECT_EQ(account_of_layers(s.c, s.spec, found.whole), "") << s.name;
    fmt::print("{:<40} {:>6} candidates, {:>5} infeasible, {:>5} beyond limits, {:>4} loose, {:>3} points\n", s.name,
               brute.candidates, brute.infeasible, brute.beyond, brute.loose, expected.size());
    std::fflush(stdout);
    limits_bite += brute.infeasible + brute.beyond > 0 && !expected.empty();
    with_points += expected.size() > 1, empty += expected.empty();
    candidates += brute.candidates, points += static_cast<std::int64_t>(expected.size());
    std::fflush(stdout);
  }
  fmt::print("{} spaces, {} candidates, fronts of {} points\n", spaces.size(), candidates, points);
  EXPECT_GE(with_points, test::of_share(15));
  EXPECT_GE(limits_bite, test::of_share(5));
  EXPECT_LE(empty, 2);
}

/// What tiles leave over costs more than what fills the loops: neither the bounds nor what they discard may suffer.
/// Each library has every third space, each another one.
void expect_brute_force_counted(const std::string& library, std::uint64_t third) {
  int spaces = 0;
  std::uint64_t seed = 0;
  for (const auto& s : small_spaces()) {
    test::Random random(++seed);
    if (seed % 3 != third || !test::in_share(static_cast<int>(seed / 3))) continue;
    auto device = std::make_shared<hw::Device>(*s.c.device);
    device->kernel_library = library;
    device->control.start = static_cast<std::int64_t>(seed % 3) * 700;
    auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    engine.cores = 1 << seed % 4;
    for (const auto& count : hw::counts_of(library)) {
      const bool block = count == "conv_block", many = count == "conv_tap" || count.find("output") != count.npos;
      engine.cycles_per_count[count] = {static_cast<std::int64_t>(random() % (many ? 60 : 12)) + block, block ? 8 : 2};
    }
    auto c = s.c;
    c.device = device;
    expect_brute_force(c, s.spec, s.name + ", counted as " + library);
    ++spaces;
  }
  EXPECT_GE(spaces, test::of_share(20));
}

TEST(BruteForce, FrontsEqualItWhereLoopsAreCounted) { expect_brute_force_counted("cmsis-nn", 0); }
TEST(BruteForce, FrontsEqualItWhereTapsInsideTheImageAreCounted) { expect_brute_force_counted("tflm-reference", 1); }
TEST(BruteForce, FrontsEqualItWherePlanesAreCounted) { expect_brute_force_counted("tinyengine", 0); }
TEST(BruteForce, FrontsEqualItWhereTheSlowestCoreIsCounted) { expect_brute_force_counted("pulp-nn", 2); }

/// Spaces that `widen` makes larger by a choice of each layer, whose plans say `words` where it is taken.
void expect_brute_force_with(const std::string& what, std::uint64_t seed, void (*widen)(Case&, test::Random&),
                             const std::string& words, int least_points) {
  int widened = 0, spaces = 0, points = 0;
  for (const auto& s : small_spaces()) {
    test::Random random(++seed);
    auto c = s.c;
    if (c.network->operators.empty()) continue;
    widen(c, random);
    const Candidates candidates(c, s.spec);
    if (candidates.count() == Candidates(s.c, s.spec).count() || candidates.count() > 12'000) continue;
    if (!test::in_share(widened++)) continue;
    const auto [brute, found, expected] = expect_brute_force(c, s.spec, s.name + ", with " + what);
    for (const auto& p : found.whole.points)
      points += std::any_of(p.words.begin(), p.words.end(),
                            [&](const auto& line) { return line.find(words) != std::string::npos; });
    ++spaces;
  }
  fmt::print("{} spaces with {}, {} points that take them\n", spaces, what, points);
  EXPECT_GE(spaces, test::of_share(12));
  EXPECT_GE(points, test::of_share(least_points));
}

/// Each layer by any of the engine's techniques, beside everything else.
TEST(BruteForce, FrontsEqualItWithTechniques) {
  const auto widen = [](Case& c, test::Random& random) {
    c.device = test::with_techniques(*c.device, random);
    c.network = test::with_separable_filters(*c.network, random);
  };
  expect_brute_force_with("techniques", 100, widen, ", by ", 10);
}

/// Each layer in any number of output batches.
TEST(BruteForce, FrontsEqualItWithOutputBatches) {
  const auto widen = [](Case& c, test::Random& random) { c.device = test::with_batches(*c.device, random); };
  expect_brute_force_with("output batches", 300, widen, "output batches", 20);
}

/// Where addresses cost more than the composition adds up, the search closes what is left.
TEST(BruteForce, FrontsWhereAddressesCostMoreEqualItToo) {
  for (const auto& s : test::share_of(loose_spaces())) expect_brute_force(s.c, s.spec, s.name);
}

/// Else the comparisons take too long to be made often.
TEST(BruteForce, SpacesAreSmallAndManyHaveSeveralOrdersOrFetchAhead) {
  int branched = 0, spaces = 0, fetching = 0;
  for (const auto& list : {small_spaces(), loose_spaces()})
    for (const auto& s : list) {
      EXPECT_LE(Candidates(s.c, s.spec).count(), 10'000) << s.name;
      branched += Orders::of(*s.c.network, s.spec.choices).any;
      const Space space(*s.c.network, *s.c.device, s.spec);
      fetching += std::any_of(space.tasks.begin(), space.tasks.end(), [](const auto& t) { return t.next.bytes > 0; });
      ++spaces;
    }
  EXPECT_GE(spaces, 60);
  EXPECT_GE(branched, 20);
  EXPECT_GE(fetching, 12);
}

/// The cursor can be put anywhere, and every candidate is another one.
TEST(BruteForce, CandidatesCanBeTakenUpAnywhere) {
  for (const auto& s : small_spaces()) {
    Candidates all(s.c, s.spec);
    if (all.count() > 3000) continue;
    plan::Decisions decided;
    std::vector<plan::Decisions> list;
    while (all.next(decided)) list.push_back(decided);
    ASSERT_EQ(static_cast<double>(list.size()), all.count()) << s.name;
    Candidates again(s.c, s.spec);
    for (std::size_t at = 0; at < list.size(); at += 1 + list.size() / 7) {
      again.seek(static_cast<std::int64_t>(at));
      ASSERT_EQ(again.position(), static_cast<std::int64_t>(at));
      for (std::size_t i = at; i < std::min(at + 3, list.size()); ++i) {
        ASSERT_TRUE(again.next(decided)) << s.name;
        ASSERT_TRUE(decided == list[i]) << s.name << ", candidate " << i;
      }
    }
    again.seek(static_cast<std::int64_t>(list.size()));
    EXPECT_FALSE(again.next(decided));
    for (std::size_t i = 1; i < list.size(); ++i) ASSERT_FALSE(list[i - 1] == list[i]) << s.name;
  }
}

}  // namespace
}  // namespace dse::explore::test_support::explore_brute_force_test
