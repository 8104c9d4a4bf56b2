#include "reports/diff/diff_limits.h"

#include <gmock/gmock.h>

#include "tests/reports/diff/diff_case.h"

namespace dse::reports::diff_limits_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// B of so many cycles and so many bytes more on chip; else as A.
PointDiff changed(std::int64_t cycles, std::int64_t bytes) {
  const auto a = testing::by_hand("a");
  auto b = a;
  b.point["latency_cycles"] = 1000 + cycles;
  b.point["account"][0]["cycles"] = 700 + cycles, b.point["account"][0]["causes"]["compute"] = 600 + cycles;
  b.point["memory_bytes"] = 1100 + bytes, b.point["memories"][0]["arena_bytes"] = 1100 + bytes;
  return diff_points(a, b);
}

std::vector<std::string> judge(const std::string& text, const PointDiff& d) {
  Diagnostics diags;
  const auto limits = parse_limits({text}, "--fail-over", diags);
  EXPECT_TRUE(diags.empty()) << diags.text();
  EXPECT_TRUE(limits_apply(limits, d, "--fail-over", diags)) << diags.text();
  return exceeded(limits, d);
}

TEST(DiffLimits, WorseByExactlyTheLimitIsWithinIt) {
  EXPECT_THAT(judge("latency=2%", changed(20, 0)), IsEmpty());
  EXPECT_THAT(judge("latency=2%", changed(21, 0)), ElementsAre("latency=2%: 1,000 -> 1,021 cycles (+2 %)"));
  EXPECT_THAT(judge("latency=20cycles", changed(20, 0)), IsEmpty());
  EXPECT_THAT(judge("latency=20 cycles", changed(21, 0)), ElementsAre(HasSubstr("latency=20 cycles: ")));
  EXPECT_THAT(judge("latency=200ns", changed(20, 0)), IsEmpty());  // 100 MHz
  EXPECT_THAT(judge("latency=0.2us", changed(21, 0)), ElementsAre(HasSubstr("latency=0.2us: ")));
  EXPECT_THAT(judge("memory=4KiB", changed(0, 4096)), IsEmpty());
  EXPECT_THAT(judge("memory=4KiB", changed(0, 4097)), ElementsAre("memory=4KiB: 1,100 -> 5,197 bytes (+372 %)"));
  EXPECT_THAT(judge("memories.l1.peak=0", changed(0, 1)), ElementsAre(HasSubstr("memories.l1.peak=0: ")));
}

TEST(DiffLimits, SeveralAreJudgedEachAndBetterIsNeverOver) {
  EXPECT_THAT(judge("latency=0, memory=0,energy=0", changed(1, 1)),
              ElementsAre(HasSubstr("latency=0: "), HasSubstr("memory=0: ")));
  EXPECT_THAT(judge("latency=0,memory=0", changed(-1, -1)), IsEmpty());
  EXPECT_THAT(judge("latency=0,memory=0,traffic=0,tasks=0,program_bytes=0,accuracy_loss=0", changed(0, 0)), IsEmpty());
}

TEST(DiffLimits, PercentagesOfNothingAllowNothing) {
  auto a = testing::by_hand("a"), b = a;
  b.point["startup_bytes"] = 1;
  EXPECT_THAT(judge("startup_bytes=50%", diff_points(a, b)), ElementsAre(HasSubstr("0 -> 1 bytes")));
}

TEST(DiffLimits, FurtherMetricsAreNumbers) {
  auto a = testing::by_hand("a"), b = a;
  b.point["metrics"]["accuracy_loss"] = 1.6;
  EXPECT_THAT(judge("accuracy_loss=0.2", diff_points(a, b)), IsEmpty());
  EXPECT_THAT(judge("accuracy_loss=0.05", diff_points(a, b)), ElementsAre("accuracy_loss=0.05: 1.5 -> 1.6"));
  EXPECT_THAT(judge("accuracy_loss=1%", diff_points(a, b)), ElementsAre(HasSubstr("accuracy_loss=1%")));
}

TEST(DiffLimits, OtherClocksAreComparedInTime) {
  auto a = testing::by_hand("a"), b = a;
  b.front["clock_hz"] = 50000000;  // half the clock: the same cycles take twice the time
  const auto d = diff_points(a, b);
  EXPECT_THAT(judge("latency=99%", d), ElementsAre(HasSubstr("10.000 -> 20.000 us (+100 %)")));
  EXPECT_THAT(judge("latency=100%,latency=10us", d), IsEmpty());
  EXPECT_THAT(judge("latency=9999ns", d), ElementsAre(HasSubstr("9999ns")));
  Diagnostics diags;
  EXPECT_FALSE(limits_apply(parse_limits({"latency=1cycles"}, "--fail-over", diags), d, "--fail-over", diags));
  EXPECT_THAT(diags.text(), HasSubstr("the devices' clocks differ"));
}

TEST(DiffLimits, WhatIsNoLimitIsSaid) {
  const std::pair<const char*, const char*> wrong[] = {
      {"latency", "'latency' is no limit: write latency=2% or memory=0"},
      {"=2%", "is no limit"},
      {"latency=", "is no limit"},
      {"latency=2%,", "'' is no limit"},
      {"latency=2", "%, ns, us, ms, s or cycles, for example 2% or 100us"},
      {"memory=2ms", "%, B, KB, KiB, MB or MiB"},
      {"energy=-1%", "energy: "},
      {"memory=1e3B", "memory: "},
  };
  for (const auto& [text, words] : wrong) {
    Diagnostics diags;
    parse_limits({text}, "--fail-over", diags);
    ASSERT_TRUE(diags.has_errors()) << text;
    EXPECT_THAT(diags.text(), HasSubstr(words));
    EXPECT_THAT(diags.text(), HasSubstr("--fail-over: error: "));
  }
}

TEST(DiffLimits, UnknownMetricsAndWhatWasNotTimedAreRefused) {
  auto a = testing::by_hand("a"), b = a;
  const auto refused = [&](const std::string& text, const PointDiff& d) {
    Diagnostics diags;
    EXPECT_FALSE(limits_apply(parse_limits({text}, "--fail-over", diags), d, "--fail-over", diags));
    return diags.text();
  };
  EXPECT_THAT(refused("latencey=2%", diff_points(a, b)),
              HasSubstr("no metric is named 'latencey'; did you mean latency?"));
  EXPECT_THAT(refused("memories.l9.peak=0", diff_points(a, b)), HasSubstr("memories.l1.peak"));
  EXPECT_THAT(refused("memories.l1.height=0", diff_points(a, b)), HasSubstr("no metric"));
  a.point["latency_cycles"] = nullptr;
  EXPECT_THAT(refused("latency=2%", diff_points(a, b)), HasSubstr("a was not timed"));
  EXPECT_THAT(judge("latency=2%", diff_points(b, a)), ElementsAre("latency=2%: a was not timed"));
}

TEST(DiffLimits, EnergyIsRefusedWhereASideDoesNotKnowIt) {
  for (const bool of_a : {true, false}) {
    auto a = testing::by_hand("a"), b = testing::by_hand("b");
    (of_a ? a : b).front.erase("energy_source");
    const auto d = diff_points(a, b);
    Diagnostics diags;
    EXPECT_FALSE(limits_apply(parse_limits({"energy=1%"}, "--fail-over", diags), d, "--fail-over", diags));
    EXPECT_THAT(diags.text(), HasSubstr(of_a ? "the energy of a is not known" : "the energy of b is not known"));
    EXPECT_THAT(diags.text(), HasSubstr("the file of dev needs energy_source"));
    EXPECT_THAT(judge("latency=0,memory=0", d), IsEmpty());
  }
}

}  // namespace
}  // namespace dse::reports::diff_limits_test
