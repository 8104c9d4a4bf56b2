#include "reports/words/answers.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/run/console.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "tests/reports/small_sweep.h"

namespace dse::reports::answers_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// 20 KiB and 10 ms, 32 KiB and 5 ms.
explore::Front asked(std::vector<std::string> objectives, std::vector<explore::Constraint> constraints) {
  auto front = testing::small_sweep().fronts[0];
  front.objectives = std::move(objectives), front.constraints = std::move(constraints);
  for (auto& p : front.points) {
    const bool small = p.memory_bytes < 30000;
    p.metrics["memories.l1.peak"] = small ? 5120 : 7168;
    p.metrics["traffic"] = small ? 2048 : 1500;
    p.energy_uj = small ? 2500 : 1250;
    p.costs = {p.latency_ticks, std::llround(*p.energy_uj * 1e9), small ? 2048 : 1500};
    p.marks = small ? std::vector<std::string>{"smallest", "smallest-l1"}
                    : std::vector<std::string>{"knee", "fastest", "frugal", "local"};
  }
  return front;
}

TEST(Answers, NoneWhereTheFrontSaysItAll) {
  EXPECT_THAT(answers(asked({"memory", "latency"}, {})), IsEmpty());
  auto empty = asked({"latency"}, {});
  empty.points.clear();
  EXPECT_THAT(answers(empty), IsEmpty());
}

TEST(Answers, OneLinePerObjectiveWithTheLimitsAsGiven) {
  EXPECT_THAT(answers(asked({"latency"}, {{"memory", 65536, {}}})),
              ElementsAre("fastest within memory <= 64 KiB: 5.00 ms (32.0 KiB)"));
  EXPECT_THAT(answers(asked({"memories.l1.peak"}, {{"latency", 20000, {}}})),
              ElementsAre("least memories.l1.peak with latency <= 20 ms: 5.0 KiB (20.0 KiB in all, 10.0 ms)"));
  EXPECT_THAT(answers(asked({"memory", "latency"}, {{"memory", 40960, {}}, {"energy", 2500.5, {}}})),
              ElementsAre("smallest with memory <= 40 KiB and energy <= 2.5005 mJ: 20.0 KiB (10.0 ms)",
                          "fastest with memory <= 40 KiB and energy <= 2.5005 mJ: 5.00 ms (32.0 KiB)"));
  EXPECT_THAT(answers(asked({"energy", "traffic"}, {{"memories.l1.peak", 8192, {}}})),
              ElementsAre("least energy within memories.l1.peak <= 8 KiB: 1.25 mJ (32.0 KiB, 5.00 ms)",
                          "least traffic within memories.l1.peak <= 8 KiB: 1.5 KiB (32.0 KiB, 5.00 ms)"));
}

TEST(Answers, ValuesInTheUnitThatFits) {
  EXPECT_EQ(metric_text("memory", 900, 4), "900 B");
  EXPECT_EQ(metric_text("traffic", 1536, 4), "1.5 KiB");
  EXPECT_EQ(metric_text("memories.l2.peak", 3 * 1048576, 4), "3 MiB");
  EXPECT_EQ(metric_text("latency", 0.25, 4), "250 ns");
  EXPECT_EQ(metric_text("latency", 1.5e6, 4), "1.5 s");
  EXPECT_EQ(metric_text("energy", 0.0005, 4), "500 pJ");
  EXPECT_EQ(metric_text("energy", 2e6, 4), "2 J");
}

TEST(Answers, StandInTheConsoleAndInTheData) {
  const auto front = asked({"memory", "latency", "energy"}, {{"energy", 3000, {}}});
  EXPECT_EQ(objectives_text(front.objectives), "memory, latency and energy");
  EXPECT_THAT(mark_names(front), ElementsAre("smallest", "fastest", "knee", "frugal"));
  const auto lines = console_summary(front);
  EXPECT_THAT(lines[0], HasSubstr("2 points in memory, latency and energy, complete"));
  EXPECT_EQ(lines[1], "  smallest with energy <= 3 mJ: 20.0 KiB (10.0 ms)");
  EXPECT_THAT(lines[4], HasSubstr("frugal  32.0 KiB  5.00 ms"));
  explore::Sweep sweep;
  sweep.fronts = {front};
  const auto j = results_json(sweep)["fronts"][0];
  EXPECT_EQ(j["objectives"], (nlohmann::json{"memory", "latency", "energy"}));
  EXPECT_EQ(j["constraints"], (nlohmann::json{{"energy", 3000.0}}));
  EXPECT_EQ(j["answers"].size(), 3u);
  EXPECT_THAT(front_csv(sweep), HasSubstr("smallest smallest-l1,2048,l1=5120,,,,,,\n"));
}

}  // namespace
}  // namespace dse::reports::answers_test
