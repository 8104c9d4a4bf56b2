// What is certified of plans with runs of layers by phases, against every such plan of small spaces.
#include <gtest/gtest.h>

#include <set>

#include "explore/engine/exhaustive.h"
#include "explore/explore.h"
#include "explore/front/gap.h"
#include "explore/question/allowed.h"
#include "plan/rules/phased_front.h"
#include "tests/explore/front/brute_force.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"

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
  int spaces = 0, plans = 0, phased = 0, exact = 0;
  double widest = 0;
};

/// Every plan of a space, with and without runs, through the full pipeline, against what the search certifies.
void check(const Case& c, const SweepSpec& spec, Tally& tally) {
  const auto segmentations = segmentations_of(segments_of(c, 40));
  if (segmentations.size() < 2) return;
  auto in_order = spec;
  in_order.choices["network.order"] = {"file"};
  Candidates candidates(c, in_order);
  if (candidates.count() * static_cast<double>(segmentations.size()) > 30'000) return;
  ExploreOptions options;
  options.verify = false;
  Diagnostics diags;
  const auto front = explore(spec, {c}, options, diags).fronts.at(0);
  ASSERT_FALSE(diags.has_errors()) << diags.text();
  if (front.runs_gap < 0) {
    std::printf("no gap %s: %zu %d\n", c.device_label.c_str(), front.points.size(), front.complete);
    return;
  }
  ++tally.spaces, tally.exact += front.runs_gap == 0, tally.widest = std::max(tally.widest, front.runs_gap);
  const auto& registry = plan::ChoiceRegistry::standard();
  Values found, bound;
  std::set<std::string> seen;
  test_support::Staircase brute, loads;
  using test_support::enter;
  plan::Decisions base;
  while (candidates.next(base))
    for (const auto& s : segmentations) {
      auto decided = base;
      decided.layers = plan::phased_choices(*c.network, *c.device, base.layers, c.whole.alias_reshapes, s);
      if (!broken_choice(spec.choices, *c.network, *c.device, decided.layers, true, registry).empty()) continue;
      if (!seen.insert(whole_text(c, decided, registry)).second) continue;
      const auto m = evaluate(c, decided);
      ASSERT_FALSE(m.invalid) << m.reason;
      if (!m.feasible()) continue;
      enter(brute, m.memory, m.costs[kTicks]);
      enter(loads, m.load, m.costs[kTicks]);
      ++tally.plans, tally.phased += !s.segments.empty();
      EXPECT_TRUE(
          std::any_of(front.bound.begin(), front.bound.end(),
                      [&](const auto& b) { return b.memory_bytes <= m.memory && b.latency_ticks <= m.costs[kTicks]; }))
          << "below the bound, " << m.memory << " bytes and " << m.costs[kTicks]
          << " ticks: " << whole_text(c, decided, registry);
    }
  std::printf("%s gap %.3f points %zu bound %zu:", c.device_label.c_str(), front.runs_gap, front.points.size(),
              front.bound.size());
  for (auto& [m, t] : brute) std::printf(" %ld:%ld", (long)m, (long)t);
  std::printf("\n  found:");
  for (const auto& p : front.points) std::printf(" %ld:%ld", (long)p.memory_bytes, (long)p.latency_ticks);
  std::printf("\n  bound:");
  for (const auto& p : front.bound) std::printf(" %ld:%ld", (long)p.memory_bytes, (long)p.latency_ticks);
  std::printf("\n  loads:");
  for (auto& [m, t] : loads) std::printf(" %ld:%ld", (long)m, (long)t);
  std::printf("\n");
  for (const auto& p : front.points) found.push_back({p.memory_bytes, p.latency_ticks});
  for (const auto& b : front.bound) bound.push_back({b.memory_bytes, b.latency_ticks});
  EXPECT_NEAR(proven_gap(found, bound), front.runs_gap, 0.01);  // what is shown and drawn tells the same
}

SweepSpec narrow(std::map<std::string, std::vector<std::string>> choices) {
  SweepSpec spec;
  spec.front_points = 0, spec.choices = std::move(choices);
  return spec;
}

TEST(RunsBruteForce, NoPlanIsBelowTheBoundAndTheGapHolds) {
  const std::map<std::string, std::vector<std::string>> common = {
      {"filters", {"all"}}, {"scheme", {"interleaved"}}, {"layout", {"hwc"}}};
  Tally tally;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random, seed % 3 == 0);
    auto choices = common;
    choices["tile"] = std::vector<std::vector<std::string>>{
        {"all", "1", "2", "4"}, {"all", "1", "2"}, {"all", "1"}, {"all", "2", "4"}}[seed % 4];
    if (seed % 4 < 2) choices["weights"] = {"streamed"};
    if (seed % 4 == 1) choices["buffering"] = {"double"};
    c.device_label = "seed " + std::to_string(seed);
    check(c, narrow(choices), tally);
  }
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed), drawn(seed);
    Case c;
    c.network = test::random_branches(random), c.device = test::random_device(drawn, false);
    c.device_label = "branches " + std::to_string(seed);
    auto choices = common;
    choices["tile"] = std::vector<std::vector<std::string>>{{"all", "1"}, {"all", "2"}, {"all", "1", "2"}}[seed % 3],
    choices["weights"] = {"streamed"}, choices["buffering"] = {"double"};
    check(c, narrow(choices), tally);
  }
  std::printf("%d spaces, %d plans, %d of them by phases; gap 0 in %d, %.2g %% at most\n", tally.spaces, tally.plans,
              tally.phased, tally.exact, 100 * tally.widest);
  EXPECT_GE(tally.spaces, 15);
  EXPECT_GE(tally.phased, 10'000);
}

}  // namespace
}  // namespace dse::explore::runs_brute_force_test
