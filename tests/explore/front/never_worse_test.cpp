// Random networks, devices, restrictions, limits and user plans: nothing that was given beats the front, and nothing on
// the front breaks what was asked for.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "explore/explore.h"
#include "explore/measure/measure.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/make/make_plan.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/plan.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_wide.h"
#include "tests/support/slow.h"

namespace dse::explore::never_worse_test {
namespace {

namespace fs = std::filesystem;

class NeverWorse : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("dse-never-worse-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Up to `count` plans of random choices that fit, as files.
  std::vector<std::string> user_plans(test::Random& random, const Case& c, int count) {
    std::vector<std::string> files;
    for (int i = 0; i < count; ++i) {
      const auto made =
          plan::make_plan(*c.network, *c.device, test::random_choices(random, *c.network, *c.device, i % 2 == 0));
      const auto* plan = std::get_if<plan::Plan>(&made);
      if (!plan) continue;
      files.push_back((folder_ / fmt::format("{}-{}.yaml", c.device_label, i)).string());
      std::ofstream(files.back()) << plan::write_plan(*plan, *c.network, *c.device);
    }
    return files;
  }
  fs::path folder_;
};

/// Restrictions of some choices; the first value of each is one that every layer has.
SweepSpec random_question(test::Random& random) {
  SweepSpec spec;
  spec.front_points = 0;
  spec.simulations = test::pick(random, 100, 600);
  const auto some = [&](const char* name, const std::vector<std::string>& values) {
    if (test::pick(random, 0, 1)) return;
    auto& allowed = spec.choices[name];
    for (std::size_t i = 0; i < values.size(); ++i)
      if (i == 0 || test::pick(random, 0, 1)) allowed.push_back(values[i]);
  };
  some("tile", {"all", "1", "2", "3"});
  some("filters", {"all", "8", "4"});
  some("scheme", {"interleaved", "planar"});
  some("buffering", {"double"});
  some("weights", {"streamed"});
  some("output", {"l2", "l1"});
  some("order", {"filters-outer"});
  return spec;
}

double microseconds(const Case& c, std::int64_t ticks) {
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(c.device->tick_hz());
}

bool within(const Case& c, const SweepSpec& spec, const Measured& m) {
  for (const auto& k : spec.constraints) {
    if (k.metric == "memory" && static_cast<double>(m.memory) > k.limit) return false;
    if (k.metric == "latency" && microseconds(c, m.costs[kTicks]) > k.limit) return false;
    for (std::size_t i = 0; i < m.heights.size(); ++i)
      if (k.metric == "memories." + c.device->memories[i].name + ".peak" && static_cast<double>(m.heights[i]) > k.limit)
        return false;
  }
  return true;
}

/// Every choice that is there to be made in this plan is one of the allowed.
std::string violation(const Case& c, const SweepSpec& spec, const std::vector<plan::LayerChoice>& choices) {
  static const auto registry = plan::ChoiceRegistry::standard();
  for (const int op : plan::layers_of(*c.network, true)) {
    const auto context = plan::context_of(*c.network, *c.device, choices, op, true);
    for (const auto& choice : registry.all()) {
      const auto it = spec.choices.find(choice.name);
      if (it == spec.choices.end() || choice.name == "output" || choice.name == "layout") continue;
      if (choice.domain(context, choices[op]).size() < 2) continue;
      const auto text = choice.text(*c.device, choice.get(choices[op]));
      if (std::count(it->second.begin(), it->second.end(), text) == 0)
        return c.network->operators[op].name + "." + choice.name + "=" + text;
    }
  }
  return {};
}

TEST_F(NeverWorse, NothingGivenBeatsTheFrontAndNothingOnItBreaksWhatWasAskedFor) {
  int fronts = 0, points = 0, users = 0, rules = 0, limited = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::of_share(60)); ++seed) {
    test::Random random(9000 + seed);
    Case c;
    c.network =
        seed % 4 == 3 ? test::random_wide_network(random, test::Arithmetic::int8) : test::random_network(random);
    if (!c.network || plan::layers_of(*c.network, true).size() > 6) continue;
    c.device = test::random_device(random, seed % 3 == 0);
    c.device_label = "random-" + std::to_string(seed);
    SweepSpec spec = random_question(random);
    spec.plans = user_plans(random, c, 3);
    std::vector<Measured> given;
    for (const auto& file : spec.plans) {
      Diagnostics own;
      const auto plan = plan::read_plan(file, *c.network, *c.device, own);
      ASSERT_TRUE(plan) << own.text();
      given.push_back(evaluate(c, *plan));
      ASSERT_TRUE(given.back().feasible()) << given.back().reason;
    }
    if (!given.empty() && test::pick(random, 0, 1)) {  // a limit near what a user's plan needs
      const auto& g = given.front();
      const auto share = static_cast<double>(test::pick(random, 70, 110)) / 100;
      if (test::pick(random, 0, 1))
        spec.constraints.push_back({"latency", microseconds(c, g.costs[kTicks]) * share, {}});
      else
        spec.constraints.push_back(
            {test::pick(random, 0, 1) ? "memory" : "memories.l2.peak", static_cast<double>(g.memory) * share, {}});
      ++limited;
    }
    ExploreOptions options;
    options.verify = false;
    Diagnostics diags;
    const auto sweep = explore(spec, {c}, options, diags);
    ASSERT_FALSE(diags.has_errors()) << diags.text();
    const auto& front = sweep.fronts.at(0);
    const auto beaten = [&](std::int64_t memory, std::int64_t ticks) {
      return std::any_of(front.points.begin(), front.points.end(),
                         [&](const Point& p) { return p.memory_bytes <= memory && p.latency_ticks <= ticks; });
    };
    for (const auto& g : given) {
      if (!within(c, spec, g)) continue;
      ++users;
      EXPECT_TRUE(beaten(g.memory, g.costs[kTicks])) << "seed " << seed << ": the user's plan " << g.plan;
    }
    for (const auto& m : front.marked) {
      if (m.run.failure || front.points.empty() || !spec.constraints.empty()) continue;
      ++rules;
      EXPECT_TRUE(beaten(m.memory_bytes, m.latency_ticks)) << "seed " << seed << ": " << m.origin;
    }
    fronts += !front.points.empty();
    for (std::size_t i = 0; i < front.points.size(); ++i) {
      const auto& p = front.points[i];
      ++points;
      EXPECT_FALSE(p.run.failure) << "seed " << seed;
      if (i > 0) {
        EXPECT_GT(p.memory_bytes, front.points[i - 1].memory_bytes);
        EXPECT_LT(p.latency_ticks, front.points[i - 1].latency_ticks);
      }
      if (p.origin != "front") continue;
      Diagnostics own;
      const auto decided =
          plan::decisions_from(*c.network, *c.device, p.assignment, plan::ChoiceRegistry::standard(), "point", own);
      ASSERT_TRUE(decided) << own.text();
      const auto again = evaluate(c, *decided);
      ASSERT_TRUE(again.feasible()) << "seed " << seed << ": " << again.reason;
      EXPECT_EQ(again.memory, p.memory_bytes) << "seed " << seed;
      EXPECT_EQ(again.costs[kTicks], p.latency_ticks) << "seed " << seed;
      EXPECT_TRUE(within(c, spec, again)) << "seed " << seed << ": plan " << p.id;
      EXPECT_EQ(violation(c, spec, decided->layers), "") << "seed " << seed << ": plan " << p.id;
    }
  }
  fmt::print("{} fronts of {} points, {} with limits; {} plans of users and {} marked ones on or behind them\n", fronts,
             points, limited, users, rules);
  EXPECT_GE(fronts, test::of_share(20));
  EXPECT_GE(limited, test::of_share(8));
  EXPECT_GE(users, test::of_share(40));
  EXPECT_GE(rules, test::of_share(40));
}

}  // namespace
}  // namespace dse::explore::never_worse_test
