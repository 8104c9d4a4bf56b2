// What runs has a plan: layers whose tensors are far larger than the nearest memory, on devices where only schedules of
// very many kernel calls fit, and limits that a plan by rule keeps.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/front/front.h"
#include "explore/layer/calls.h"
#include "explore/layer/layer_search.h"
#include "explore/measure/point.h"
#include "models/nn/import.h"
#include "plan/rules/rules.h"
#include "tests/explore/layer/searched.h"
#include "tests/explore/limits/questions.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::test_support::runnable_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

nn::NetworkPtr network(const std::string& shape, const std::string& layers) {
  Diagnostics d;
  auto n = nn::import_yaml(
      fmt::format("format: 1\nname: n\ninput: {{shape: {}, scale: 0.02, zero_point: 0}}\nlayers:\n{}", shape, layers),
      "n.yaml", d);
  ensure(n != nullptr, d.text());
  return n;
}

Case on(nn::NetworkPtr n, const std::string& device, const std::string& l1) {
  Diagnostics d;
  Case c;
  c.network = std::move(n);
  c.device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/" + device + ".yaml",
                             {{"memories.l1.size", l1, {}}, {"memories.l2.size", "8 MiB", {}}}, d);
  ensure(c.device != nullptr, d.text());
  c.device_label = c.device->name;
  return c;
}

// What the schemes of tiles were published for (US 12,112,265): an image, and a layer with kernels of 3x3.
const char* const kWide = "  - conv: {filters: 32, kernel: 3, padding: same}\n";

TEST(Runnable, TheTilingSourcesImage) {
  expect_searched(
      on(network("[1, 480, 640, 3]", "  - conv: {filters: 8, kernel: 3, padding: same}\n"), "dsp-l1-l2-l3", "8 KiB"));
}

TEST(Runnable, WhereNoUsualScheduleKeepsTheLimitsOthersAreLookedAt) {
  auto c = on(network("[1, 15, 20, 256]", kWide), "dsp-l1-l2-l3", "64 KiB");
  const auto registry = plan::ChoiceRegistry::standard();
  SweepSpec spec;
  const Space space(*c.network, *c.device, spec);
  const auto search = [&](const SweepSpec& asked) {
    LayerBudget budget;
    budget.simulations = 4;
    return search_layer(space.tasks.at(0), registry, {}, goal_of(asked, *c.device), budget);
  };
  const auto usual = search(spec);
  ASSERT_FALSE(usual.entries.empty());
  const auto l1 = static_cast<std::size_t>(c.device->memory("l1"));
  const auto least = [&](const LayerFront& f) {
    std::int64_t bytes = kUnlimited;
    for (const auto& e : f.entries) bytes = std::min(bytes, e.local[l1]);
    return bytes;
  };
  for (const auto& e : usual.entries)
    EXPECT_LE(calls_of(plan::layer_geometry(space.tasks[0].context, e.choice)), kMaxCalls);
  spec.constraints = {{"memories.l1.peak", static_cast<double>(least(usual) - 64), {}}};
  const auto further = search(spec);
  EXPECT_LE(least(further), least(usual) - 64);
  EXPECT_LT(further.outside, usual.outside);
  spec.constraints = {{"memories.l1.peak", static_cast<double>(least(usual)), {}}};
  EXPECT_EQ(search(spec).outside, usual.outside) << "what is usual keeps this one";
}

/// Drawn networks, with limits that a plan by rule keeps exactly: there is an answer, and no claim beyond it.
TEST(Runnable, NoVerdictStandsBesideAPlanThatKeepsAllLimits) {
  int asked = 0, by_rule = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::of_share(24)); ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random);
    c.device = test::random_device(random, seed % 2 == 1);
    c.device_label = c.device->name;
    for (const bool resident : {false, true}) {
      const auto made = plan::rule_based_plan(*c.network, *c.device, resident);
      const auto* plan = std::get_if<plan::Plan>(&made);
      if (!plan) continue;
      const auto point = simulate_point(c, *plan, true, false);
      if (point.run.failure || !point.verified) continue;
      ++asked;
      SweepSpec spec;
      spec.simulations = 60;
      spec.constraints = {{"memory", static_cast<double>(point.memory_bytes), {}}, {"latency", point.latency_us, {}}};
      // A choice that nothing has leaves the search without a plan: those by rule are candidates all the same.
      if (seed % 3 == 0) spec.choices["tile"] = {"1"}, spec.choices["weights"] = {"streamed"};
      const auto front = front_with(c, spec);
      EXPECT_FALSE(front.points.empty()) << front.infeasible_reason;
      EXPECT_TRUE(front.infeasible_reason.empty());
      EXPECT_TRUE(front.least.empty());
      for (const auto& p : front.points)
        for (const auto& k : spec.constraints) EXPECT_LE(value_of(p, k.metric), k.limit);
      if (!only_by_rule(front)) continue;
      ++by_rule;
      EXPECT_THAT(front.notes, Contains(HasSubstr("made by rule")));
    }
  }
  EXPECT_GT(asked, test::of_share(15));
  std::printf("%d questions, %d answered by rule alone\n", asked, by_rule);
}

TEST(CallsLookedAt, TheUsualOnesAndWhatFitsWhereTheyDoNot) {
  CallsLookedAt c(10);
  EXPECT_EQ(c.most(), 10);
  c.add(400, Fit::no);
  EXPECT_EQ(c.most(), 10);
  c.add(300, Fit::device);
  EXPECT_EQ(c.most(), 600);
  c.add(9, Fit::device);
  EXPECT_EQ(c.most(), 10);
  c.add(200, Fit::limits);
  EXPECT_EQ(c.most(), 400);
  c.add(10, Fit::limits);
  EXPECT_EQ(c.most(), 10);
}

}  // namespace
}  // namespace dse::explore::test_support::runnable_test
