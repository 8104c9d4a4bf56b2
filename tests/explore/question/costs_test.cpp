// The table of costs: whatever is in it can be asked for, limited, bounded, remembered and told, by its entry alone.
#include "explore/question/costs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "explore/front/front.h"
#include "explore/layer/bound.h"
#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "explore/question/goal.h"
#include "explore/question/metric.h"
#include "explore/study/study_schema.h"
#include "plan/make/make_plan.h"
#include "sim/platform.h"
#include "tests/support/random_energy.h"

namespace dse::explore::costs_test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// Words of sweeps, studies and questions: files hold them.
TEST(CostTable, KeepsItsWords) {
  std::vector<std::string> metrics, columns, asked, least;
  for (const auto& k : kCostKinds)
    metrics.emplace_back(k.metric), columns.emplace_back(k.column), asked.emplace_back(k.asked),
        least.emplace_back(k.least);
  EXPECT_THAT(metrics, ElementsAre("latency", "energy", "traffic"));
  EXPECT_THAT(columns, ElementsAre("ticks", "energy_fj", "traffic"));
  EXPECT_THAT(asked, ElementsAre("ticks", "energy", "traffic"));
  EXPECT_THAT(least, ElementsAre("fastest", "frugal", "local"));
  EXPECT_EQ(candidate_columns(), "assignment, status, bound, memory, reason, plan, ticks, energy_fj, traffic, sum");
}

TEST(CostTable, EveryCostIsAnObjectiveAndALimit) {
  test::Random random(1);
  const auto device = test::random_device(random);
  for (int c = 0; c < kCosts; ++c) {
    const std::string name = kCostKinds[c].metric;
    EXPECT_EQ(cost_of(name), c);
    EXPECT_THAT(metric_names(), Contains(name));
    EXPECT_EQ(metric_unit(name), kCostKinds[c].unit);
    SweepSpec spec;
    spec.objectives = {name};
    // The largest whole number that keeps the limit, whatever the unit.
    for (const std::int64_t most : {std::int64_t{0}, std::int64_t{7}, std::int64_t{123'456'789'012}}) {
      spec.constraints = {{name, in_unit_of(name, most, *device), {}}};
      const auto goal = goal_of(spec, *device);
      ASSERT_EQ(goal.objectives.size(), 1u);
      EXPECT_EQ(goal.objectives[0].cost, c);
      for (int k = 0; k < kCosts; ++k) EXPECT_EQ(goal.cost_limits[k], k == c ? most : kUnlimited) << name;
      EXPECT_THAT(goal.active_costs(), HasSubstr(kCostKinds[c].asked));
    }
  }
  EXPECT_EQ(cost_of("memory"), -1);
}

/// What follows from tasks is what the platform measures; of what follows from ticks there is a bound. Fronts are told
/// all of it, in the units of limits.
TEST(CostTable, EveryCostIsMeasuredBoundedAndTold) {
  int measured = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random);
    if (seed % 2) c.device = test::with_energy(*c.device, random);
    const auto choices = test::random_choices(random, *c.network, *c.device);
    const auto made = plan::make_plan(*c.network, *c.device, choices, c.whole);
    const auto* plan = std::get_if<plan::Plan>(&made);
    if (!plan) continue;
    const auto m = evaluate(c, *plan);
    if (!m.feasible()) continue;
    ++measured;
    const auto program = lower(c, *plan);
    const auto bound = cost_bound(program, sim::whole_program(program, *c.device).binding, hw::DeviceTiming(c.device));
    const auto per_tick = costs_per_tick(hw::EnergyRates(*c.device));
    const auto light = light_point(c, m), full = simulate_point(c, *plan, false, false);
    EXPECT_EQ(full.costs, m.costs) << seed;
    for (int k = 0; k < kCosts; ++k) {
      const auto& kind = kCostKinds[k];
      EXPECT_LE(bound[k], m.costs[k]) << seed << " " << kind.metric;
      EXPECT_EQ(bound[k] - bound[kTicks] * per_tick[k], m.costs[k] - m.costs[kTicks] * per_tick[k])
          << seed << " " << kind.metric;
      EXPECT_EQ(value_of(light, kind.metric), in_unit_of(kind.metric, m.costs[k], *c.device));
      EXPECT_EQ(value_of(full, kind.metric), value_of(light, kind.metric));
    }
    EXPECT_EQ(candidate_of(m, "x").costs, m.costs);
  }
  EXPECT_GT(measured, 10);
}

/// One that nobody measured must not pass a limit.
TEST(CostTable, APointWithoutMeasurementsHasNoValue) {
  EXPECT_THROW(value_of(Point(), kCostKinds[kEnergy].metric), InvariantError);
}

/// The table is what a new cost needs: nobody else tells costs apart, except ticks, of which there are bounds, what
/// reports say of a point in fields of their own, and that an energy may not be known, which is asked where points are
/// made, where questions are and where a study is read.
TEST(CostTable, IsTheOnlyPlaceThatTellsCostsApart) {
  std::set<std::string> places;
  const fs::path room = fs::path(DSE_SOURCE_DIR) / "explore";
  for (const auto& file : fs::recursive_directory_iterator(room)) {
    if (!file.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(file.path(), std::ios::binary).rdbuf();
    for (const char* word : {"kEnergy", "kTraffic", "\"energy\"", "\"energy_fj\""})
      if (text.str().find(word) != std::string::npos) places.insert(file.path().lexically_relative(room).string());
  }
  EXPECT_THAT(places, ElementsAre("measure/measure.cpp", "measure/point.cpp", "question/costs.h", "question/goal.cpp",
                                  "study/study_reader.cpp"));
}

/// A whole number within both ends.
int draw(test::Random& random, int first, int last) { return std::uniform_int_distribution<int>(first, last)(random); }

double limit_of(const std::string& metric, const std::string& text) {
  const auto value = parse_metric(text, metric_unit(metric));
  EXPECT_TRUE(value.value) << text << ": " << value.error;
  return value.value.value_or(-1);
}

TEST(MetricText, ALimitReadsBackAsItWasTyped) {
  EXPECT_EQ(value_text("latency", limit_of("latency", "124.3us")), "124.3 us");
  EXPECT_EQ(value_text("latency", limit_of("latency", "0.5 ms")), "500 us");
  EXPECT_EQ(value_text("energy", limit_of("energy", "2mJ")), "2 mJ");
  EXPECT_EQ(value_text("memory", 20480), "20480 bytes");
  EXPECT_EQ(value_text("traffic", 123456789012), "123456789012 bytes");
  EXPECT_EQ(value_text("area", 0.4399), "0.4399 mm2");
  test::Random random(1);
  for (const std::string metric : {"latency", "energy"})
    for (const auto& step : metric_steps(metric))
      for (int i = 0; i < 200; ++i) {
        const int decimals = draw(random, 0, 6);
        const auto typed = fmt::format("{:.{}f} {}", static_cast<double>(draw(random, 1'000'000, 999'999'999)) / 1e6,
                                       decimals, step.unit);
        const double value = limit_of(metric, typed);
        const auto told = value_text(metric, value);
        EXPECT_EQ(limit_of(metric, told), value) << typed << " is told as " << told;
        EXPECT_EQ(limit_of(metric, enough_text(metric, value)), value) << typed;
        if (value < 999 * step.size) {
          EXPECT_EQ(told.substr(told.find(' ')), typed.substr(typed.find(' '))) << typed;
        }
      }
}

TEST(MetricText, ALeastIsALimitThatCanBeKept) {
  test::Random random(2);
  for (const std::string metric : {"latency", "energy"})
    for (int i = 0; i < 2000; ++i) {
      const double value = std::pow(10.0, static_cast<double>(draw(random, -2000, 8000)) / 1000);
      const auto text = enough_text(metric, value);
      const double limit = limit_of(metric, text);
      EXPECT_GE(limit, value) << text;
      EXPECT_LE(limit, value * (1 + (metric == "energy" ? 2e-6 : 3e-9))) << text;
    }
}

}  // namespace
}  // namespace dse::explore::costs_test
