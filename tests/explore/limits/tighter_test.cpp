// A stricter limit never finds a better plan: what a run with tighter limits finds is a plan of the run with wider ones
// as well, so that one has a point within the gap that it states, point by point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explore/explore.h"
#include "explore/front/front.h"
#include "plan/network/layers.h"
#include "tests/explore/limits/questions.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::tighter_test {
namespace {

struct Tally {
  int asked = 0, answered = 0, points = 0, open = 0, beyond = 0, outside = 0;
  double worst = 0;  // stated gap, point by point
};

Front asked(const Case& c, SweepSpec spec, std::vector<Constraint> limits) {
  spec.constraints = std::move(limits);
  ExploreOptions options;
  options.jobs = 2, options.verify = false;
  Diagnostics d;
  auto sweep = explore(spec, {c}, options, d);
  EXPECT_FALSE(d.has_errors()) << d.text();
  return sweep.fronts.at(0);
}

/// How much the nearest point is behind this one, as a share: 0 where one is at least as good.
double behind(const Front& front, const Point& q) {
  double nearest = INFINITY;
  for (const auto& p : front.points)
    nearest =
        std::min(nearest, std::max({0.0, static_cast<double>(p.memory_bytes) / static_cast<double>(q.memory_bytes) - 1,
                                    static_cast<double>(p.latency_ticks) / static_cast<double>(q.latency_ticks) - 1}));
  return nearest;
}

/// A limit on what the points have, between the least and the most.
Constraint drawn_limit(test::Random& random, const Case& c, const Front& front) {
  std::vector<std::string> metrics = {"memory", "latency"};
  for (const auto& m : c.device->memories)
    if (m.on_chip) metrics.push_back("memories." + m.name + ".peak");
  const auto& metric = metrics[random() % metrics.size()];
  double least = INFINITY, most = 0;
  for (const auto& p : front.points)
    least = std::min(least, value_of(p, metric)), most = std::max(most, value_of(p, metric));
  const double limit = least + (most - least) * static_cast<double>(test::pick(random, 0, 100)) / 100;
  return {metric, metric == "latency" ? limit : std::floor(limit), {}};
}

/// `loose` beside what the same question finds with one limit more.
void tighten(const Case& c, const SweepSpec& spec, const Front& loose, std::vector<Constraint> limits, Tally& tally) {
  const auto tight = asked(c, spec, limits);
  ++tally.asked;
  if (tight.points.empty()) return;
  ++tally.answered;
  std::string words;
  for (const auto& k : limits) words += fmt::format("{} <= {} ", k.metric, k.limit);
  ASSERT_FALSE(loose.points.empty()) << "a plan with " << words << ", none without";
  for (const auto& q : tight.points) {
    ++tally.points;
    const double short_of = behind(loose, q);
    const bool runs = q.outside == "by phases" && loose.runs_gap >= 0;
    const double stated = q.outside.empty() || q.outside == "given" ? loose.pointwise_gap
                          : runs                                    ? loose.runs_pointwise_gap
                                                                    : -1;
    if (!(stated >= 0) || std::isinf(stated)) {
      ++tally.open, tally.beyond += short_of > 0;
      tally.outside += !q.outside.empty();
      continue;
    }
    tally.worst = std::max(tally.worst, stated);
    EXPECT_LE(short_of, stated + 1e-9) << c.device_label << ", " << words << ": plan " << q.id << " ("
                                       << (q.outside.empty() ? "composed" : q.outside) << ")";
  }
}

void check(int count, std::uint64_t first) {
  static const char* const kShipped[] = {"gap8-class", "dsp-l1-l2-l3", "cortex-m7-class", "cortex-m7-camera"};
  Tally tally;
  for (std::uint64_t seed = first; tally.asked < count; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = seed % 2 ? test::random_branches(random) : test::random_network(random);
    const auto layers = plan::layers_of(*c.network, true).size();
    if (layers < 2 || layers > 8) continue;
    if (seed % 3) {
      Diagnostics d;
      c.device = hw::read_device(kShipped[seed % 4], {}, d), c.device_label = kShipped[seed % 4];
      ASSERT_TRUE(c.device) << d.text();
    } else {
      c.device = test::random_device(random, seed % 4 < 2), c.device_label = "random";
    }
    c.device_label += " " + std::to_string(seed);
    SweepSpec spec;
    spec.front_points = 0;
    if (seed % 5 == 0) spec.simulations = test::pick(random, 60, 400);
    const auto loose = asked(c, spec, {});
    if (loose.points.empty()) continue;
    // Twice: what is tighter than a question with a limit is so, too.
    std::vector<Constraint> limits = {drawn_limit(random, c, loose)};
    tighten(c, spec, loose, limits, tally);
    const auto between = asked(c, spec, limits);
    if (between.points.empty()) continue;
    limits.push_back(drawn_limit(random, c, between));
    tighten(c, spec, between, limits, tally);
  }
  fmt::print(
      "{} questions with one limit more, {} with an answer: {} points, none better than the gap says (worst {:.2g} "
      "%); {} of no stated gap, {} of them by phases or the like, {} better\n",
      tally.asked, tally.answered, tally.points, 100 * tally.worst, tally.open, tally.outside, tally.beyond);
  EXPECT_GT(tally.points, tally.open);
}

TEST(Tighter, ALimitMoreNeverFindsABetterPlanThanTheGapSays) { check(test::of_share(24), 0); }

TEST(TighterSlow, ThreeHundredQuestions) { check(test::of_slow(300), 5000); }

}  // namespace
}  // namespace dse::explore::tighter_test
