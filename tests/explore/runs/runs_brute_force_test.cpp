// Fronts and certificates with runs of layers by phases, against every plan of small spaces.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "explore/engine/exhaustive.h"
#include "explore/explore.h"
#include "explore/question/allowed.h"
#include "explore/study/study_reader.h"
#include "plan/rules/phased_front.h"
#include "tests/explore/front/brute_force.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::runs_brute_force_test {
namespace {

using Segments = std::vector<plan::shared::RowSegment>;

/// Segments of the planner's plans for a case, each once.
Segments segments_of(const Case& c, int most) {
  Segments out;
  for (const auto& p : plan::phased_points(*c.network, *c.device, c.whole, most))
    for (const auto& s : p.segments)
      if ((s.first < s.last || s.rows > 0) && std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
  return out;
}

/// All sets of them that do not overlap, the empty one among them.
std::vector<plan::shared::Segmentation> segmentations_of(const Segments& segments) {
  std::vector<plan::shared::Segmentation> out(1);
  for (const auto& s : segments)
    for (std::size_t i = 0, n = out.size(); i < n; ++i) {
      const auto& others = out[i].segments;
      if (std::any_of(others.begin(), others.end(),
                      [&](const auto& o) { return s.first <= o.last && o.first <= s.last; }))
        continue;
      out.push_back(out[i]);
      out.back().segments.push_back(s);
    }
  return out;
}

struct Tally {
  int spaces = 0, branched = 0, phased = 0;
  std::int64_t plans = 0, candidates = 0;  // that can run; those that cannot as well
};

/// Whole plans with runs that are in a study.
std::int64_t tried_by_phases(const std::string& folder) {
  std::int64_t count = 0;
  const StudyReader study(folder);
  for (const auto& subject : study.subjects())
    if (subject.subject.kind == "network")
      study.each(subject.id,
                 [&](const StudyRow& row) { count += row.candidate.assignment.find(".phases=") != std::string::npos; });
  return count;
}

void print(const Tally& t) {
  std::printf("%d spaces, %d with branches, %ld candidates, %ld plans, %d of them by phases\n", t.spaces, t.branched,
              static_cast<long>(t.candidates), static_cast<long>(t.plans), t.phased);
}

/// Every plan of a space against what the search finds and certifies: all orders, places, schedules and layers in
/// place, and with runs of layers by phases in the file's order, which nothing in place goes with.
class Space {
 public:
  Space(const Case& c, const SweepSpec& spec) : c_(c), spec_(spec), segmentations_(segmentations_of(segments())) {
    in_order_.choices["network.order"] = {"file"}, in_order_.choices["in_place"] = {"no"};
  }

  bool has_runs() const { return segmentations_.size() > 1; }
  double count() const {
    return Candidates(c_, spec_).count() +
           Candidates(c_, in_order_).count() * static_cast<double>(segmentations_.size() - 1);
  }

  void check(Tally& tally) {
    ExploreOptions options;
    options.verify = false;
    const auto folder = std::filesystem::temp_directory_path() / ("dse-runs-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    options.out = folder.string();
    Diagnostics diags;
    front_ = explore(spec_, {c_}, options, diags).fronts.at(0);
    ASSERT_FALSE(diags.has_errors()) << diags.text();
    // Each plan that was tried is counted once.
    EXPECT_EQ(front_.phased, tried_by_phases(folder.string()));
    std::filesystem::remove_all(folder);
    if (front_.runs == 0) return;  // none that keeps the choices
    plan::Decisions base;
    for (Candidates all(c_, spec_); all.next(base);) evaluate_one(base);
    const int plain = plans_;
    for (Candidates all(c_, in_order_); all.next(base);)
      for (const auto& s : segmentations_) {
        if (s.segments.empty()) continue;
        auto decided = base;
        decided.layers = plan::phased_choices(*c_.network, *c_.device, base.layers, c_.whole.alias_reshapes, s);
        if (broken_choice(spec_.choices, *c_.network, *c_.device, decided.layers, true, registry_).empty())
          evaluate_one(decided);
      }
    test_support::Staircase found;
    for (const auto& p : front_.points) found[p.memory_bytes] = p.latency_ticks;
    EXPECT_EQ(test_support::to_string(found),
              test_support::to_string(test_support::with_marked(brute_, c_, spec_, front_)));
    EXPECT_TRUE(front_.complete);
    EXPECT_EQ(front_.runs_gap, 0);
    ++tally.spaces, tally.candidates += std::ssize(seen_), tally.plans += plans_, tally.phased += plans_ - plain;
  }

 private:
  /// Of the planner's plans for the case, each once.
  Segments segments() const { return segments_of(c_, 40); }

  void evaluate_one(const plan::Decisions& decided) {
    if (!seen_.insert(whole_text(c_, decided, registry_)).second) return;
    const auto m = evaluate(c_, decided);
    ASSERT_FALSE(m.invalid) << m.reason;
    if (!m.feasible()) return;
    ++plans_;
    test_support::enter(brute_, m.memory, m.costs[kTicks]);
  }

  const Case& c_;
  const SweepSpec spec_;
  SweepSpec in_order_ = spec_;
  const std::vector<plan::shared::Segmentation> segmentations_;
  const plan::ChoiceRegistry registry_ = plan::ChoiceRegistry::standard();
  Front front_;
  test_support::Staircase brute_;
  std::set<std::string> seen_;
  int plans_ = 0;
};

void check(const Case& c, std::map<std::string, std::vector<std::string>> choices, double least, double most,
           Tally& tally) {
  SweepSpec spec;
  spec.front_points = 0, spec.choices = std::move(choices);
  Space space(c, spec);
  if (space.has_runs() && space.count() >= least && space.count() <= most) space.check(tally);
}

using Choices = std::map<std::string, std::vector<std::string>>;
const Choices common = {{"filters", {"all"}}, {"scheme", {"interleaved"}}, {"layout", {"hwc"}}};

/// Chains, sums and what else is drawn.
void check_random(std::uint64_t first, std::uint64_t end, double least, double most, Tally& tally) {
  const std::vector<std::string> tiles[] = {{"all", "1", "2", "4"}, {"all", "1", "2"}, {"all", "1"}, {"all", "2", "4"}};
  for (auto seed = first; seed < end; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random, seed % 3 == 0);
    auto choices = common;
    choices["tile"] = tiles[seed % 4];
    if (seed % 4 < 2) choices["weights"] = {"streamed"};
    if (seed % 4 == 1) choices["buffering"] = {"double"};
    c.device_label = "seed " + std::to_string(seed);
    check(c, std::move(choices), least, most, tally);
  }
}

void check_branches(std::uint64_t first, std::uint64_t end, double least, double most, Tally& tally) {
  const std::vector<std::string> tiles[] = {{"all", "1"}, {"all", "2"}, {"all", "1", "2"}};
  for (auto seed = first; seed < end; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed), drawn(seed);
    Case c;
    c.network = test::random_branches(random), c.device = test::random_device(drawn, false);
    c.device_label = "branches " + std::to_string(seed);
    auto choices = common;
    choices["tile"] = tiles[seed % 3], choices["weights"] = {"streamed"}, choices["buffering"] = {"double"};
    const int before = tally.spaces;
    check(c, std::move(choices), least, most, tally);
    tally.branched += tally.spaces - before;
  }
}

TEST(RunsBruteForce, FrontsEqualIt) {
  Tally tally;
  const auto cases = static_cast<std::uint64_t>(test::of_share(110));
  check_random(0, cases, 0, 10'000, tally);
  check_branches(0, cases, 0, 10'000, tally);
  std::printf("%d spaces, %d with branches, %d plans, %d of them by phases\n", tally.spaces, tally.branched,
              tally.plans, tally.phased);
  EXPECT_GE(tally.spaces, test::of_share(40));
  EXPECT_GE(tally.branched, test::of_share(15));
  EXPECT_GE(tally.phased, test::of_share(9'000));
}

TEST(RunsBruteForceSlow, TheFrontsOfLargeSpacesEqualIt) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 400 && tally.spaces < 1; ++seed)
    check_random(seed, seed + 1, 320'000, 900'000, tally);
  const bool both = test::of_slow(2) == 2;
  for (std::uint64_t seed = 0; both && seed < 400 && tally.branched < 1; ++seed)
    check_branches(seed, seed + 1, 320'000, 900'000, tally);
  print(tally);
  EXPECT_EQ(tally.spaces, both ? 2 : 1);
  EXPECT_GE(tally.candidates, both ? 200'000 : 100'000);
}

}  // namespace
}  // namespace dse::explore::runs_brute_force_test
