#include "reports/run/console.h"

#include <gmock/gmock.h>

#include "reports/words/format.h"
#include "tests/reports/small_sweep.h"

namespace dse::reports::console_test {
namespace {

using ::testing::ElementsAre;

TEST(ConsoleSummary, CompleteFront) {
  auto front = testing::small_sweep().fronts[0];
  front.network = "resnet8";
  EXPECT_THAT(
      console_summary(front),
      ElementsAre(
          "resnet8 on dev/l1=64KiB: 2 points, complete (orders, homes, in place, tiles, filters, buffers: 14,903 "
          "simulated + 16,499 proven dominated), timed as pulp-nn, "
          "not validated on this network",
          "  smallest  20.0 KiB  10.0 ms    knee  32.0 KiB  5.00 ms    fastest  32.0 KiB  5.00 ms    rule-based  "
          "40.0 KiB  6.25 ms    TFLM today  36.0 KiB  -",
          "  against rule-based:  no slower in 32.0 KiB (-20 % memory)    no larger in 5.00 ms (-20 % latency)",
          "  against TFLM today:  no larger in 5.00 ms", "  note: TFLM today: not timed"));
}

TEST(ConsoleSummary, IncompleteFrontSaysSo) {
  auto front = testing::small_sweep().fronts[0];
  front.complete = false;
  front.proven_dominated = 0;
  front.infeasible = 12;
  EXPECT_THAT(console_summary(front)[0],
              ::testing::HasSubstr("2 points, not complete (orders, homes, in place, tiles, filters, buffers: 14,903 "
                                   "simulated + 12 infeasible), timed as"));
}

TEST(ConsoleSummary, InfeasibleFrontGivesTheReason) {
  EXPECT_THAT(console_summary(testing::small_sweep().fronts[1]),
              ElementsAre("big on dev/l1=32KiB: no feasible plan: l1 is 30.0 KiB short: layer conv3 needs 66.0 KiB"));
}

TEST(ConsoleSummary, ReferenceBetterThanEveryPoint) {
  auto front = testing::small_sweep().fronts[0];
  front.marked.resize(1);
  front.marked[0].memory_bytes = 1024;
  front.marked[0].latency_ticks = 10;
  EXPECT_EQ(console_summary(front)[2], "  against rule-based:  no point of the front is as small or as fast");
}

TEST(Format, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(memory_text(18842), "18.4 KiB");
  EXPECT_EQ(memory_text(51), "51 B");
  EXPECT_EQ(memory_text(52), "0.1 KiB");
  EXPECT_EQ(memory_text(1310720), "1.25 MiB");
  EXPECT_EQ(latency_text(9812), "9.81 ms");
  EXPECT_EQ(latency_text(412.3), "412 us");
  EXPECT_EQ(latency_text(999.7), "1.00 ms");
  EXPECT_EQ(latency_text(1'270'000), "1.27 s");
  EXPECT_EQ(latency_text(0), "-");
  EXPECT_EQ(change_text(90, 100), "-10 %");
  EXPECT_EQ(change_text(100.4, 100), "+0.4 %");
  EXPECT_EQ(change_text(100, 100), "the same");
}

}  // namespace
}  // namespace dse::reports::console_test
