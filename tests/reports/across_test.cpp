// What is said of all points of one device: on the console, in the table, in the files.
#include "reports/words/across.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "reports/diff/diff_front.h"
#include "reports/diff/diff_words.h"
#include "reports/page/payload.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "reports/run/recorded.h"
#include "tests/reports/small_sweep.h"

namespace dse::reports::across_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Three points of a device: of 32 KiB without a plan, of 64 KiB with both points of its front left, of 96 KiB whose
/// one point is not.
explore::Sweep three_sizes() {
  auto sweep = testing::small_sweep();
  auto small = sweep.fronts[1], large = sweep.fronts[0];
  large.points.resize(1), large.marked.clear();
  sweep.fronts = {small, sweep.fronts[0], large};
  const char* const labels[] = {"dev/l1=32KiB", "dev/l1=64KiB", "dev/l1=96KiB"};
  for (std::size_t f = 0; f < 3; ++f)
    sweep.fronts[f].network = "net", sweep.fronts[f].base = "dev", sweep.fronts[f].device = labels[f];
  sweep.fronts[0].area_mm2 = 0.5, sweep.fronts[1].area_mm2 = 0.8125, sweep.fronts[2].area_mm2 = 1.25;
  sweep.across = {{"net", "dev", {"memory", "latency", "area"}, {0, 1, 2}, {{1, 1}, {1, 0}}}};
  return sweep;
}

TEST(AcrossWords, ARowPerPointOfTheDevice) {
  const auto sweep = three_sizes();
  EXPECT_THAT(across_summary(sweep, sweep.across[0]),
              ElementsAre("net over 3 points of dev: 2 points in memory, latency and area are left",
                          "  device              area  points left           smallest            fastest",
                          "  dev/l1=32KiB     0.5 mm2      no plan                  -                  -",
                          "  dev/l1=64KiB  0.8125 mm2       2 of 2  20.0 KiB, 10.0 ms  32.0 KiB, 5.00 ms",
                          "  dev/l1=96KiB    1.25 mm2       0 of 1                  -                  -"));
  auto without = sweep;
  for (auto& f : without.fronts) f.area_mm2.reset();
  without.across[0].points.resize(1), without.across[0].objectives = {"latency"};
  const auto lines = across_summary(without, without.across[0]);
  EXPECT_EQ(lines[0], "net over 3 points of dev: 1 point in latency is left");
  EXPECT_THAT(lines[1], ::testing::Not(HasSubstr("area")));
}

TEST(AcrossWords, ColumnsTellWhichPointsAreLeft) {
  const auto csv = front_csv(three_sizes());
  const auto row = [&](const std::string& device, const std::string& id) {
    const auto at = csv.find("\n" + id + ",net," + device);
    EXPECT_NE(at, std::string::npos) << device << " " << id;
    return csv.substr(at + 1, csv.find('\n', at + 1) - at - 1);
  };
  EXPECT_THAT(row("dev/l1=64KiB", "aaa"), ::testing::EndsWith(",0.8125,yes,,,"));
  EXPECT_THAT(row("dev/l1=96KiB", "bbb"), ::testing::EndsWith(",1.25,no,,,"));
  EXPECT_THAT(row("dev/l1=64KiB", "rrr"), ::testing::EndsWith(",0.8125,,,,")) << "beside the front";
}

TEST(AcrossWords, ResultsNameThePointsThatAreLeft) {
  const auto results = results_json(three_sizes());
  EXPECT_EQ(results["across"], json::parse(R"([{"network": "net", "base": "dev",
    "objectives": ["memory", "latency", "area"], "devices": ["dev/l1=32KiB", "dev/l1=64KiB", "dev/l1=96KiB"],
    "points": [{"device": "dev/l1=64KiB", "point": "aaa"}, {"device": "dev/l1=64KiB", "point": "bbb"}]}])"));
  EXPECT_EQ(results["fronts"][1]["area_mm2"], 0.8125);
  EXPECT_EQ(read_front(results["fronts"][1]).area_mm2, 0.8125);
  EXPECT_FALSE(results_json(testing::small_sweep()).contains("across"));
  EXPECT_FALSE(read_front(results_json(testing::small_sweep())["fronts"][0]).area_mm2);
}

TEST(AcrossWords, AComparisonTellsAreasThatDiffer) {
  const auto sweep = three_sizes();
  const auto said = [](const explore::Front& a, const explore::Front& b) {
    Document document;
    const auto diff = diff_fronts(a, b);
    describe(diff, document);
    return std::pair(document.text(), diff.equal());
  };
  const auto [larger, equal] = said(sweep.fronts[1], sweep.fronts[2]);
  EXPECT_THAT(larger, HasSubstr("area of the device: A 0.8125 mm2; B 1.25 mm2 (+54 %)"));
  EXPECT_FALSE(equal);
  auto unknown = sweep.fronts[1];
  unknown.area_mm2.reset();
  EXPECT_THAT(said(unknown, sweep.fronts[1]).first, HasSubstr("area of the device: A not given; B 0.8125 mm2\n"));
  EXPECT_FALSE(said(unknown, sweep.fronts[1]).second);
  EXPECT_TRUE(said(sweep.fronts[1], sweep.fronts[1]).second);
}

TEST(AcrossWords, ThePageHasThemByFront) {
  const auto page = page_payload(three_sizes(), {}, 1'000'000);
  ASSERT_EQ(page["across"].size(), 1u);
  EXPECT_EQ(page["across"][0]["fronts"], (json{0, 1, 2}));
  EXPECT_EQ(page["across"][0]["left"], json::parse(R"([[], ["aaa", "bbb"], []])"));
  EXPECT_EQ(page["across"][0]["heads"].size(), page["across"][0]["rows"][0].size());
  EXPECT_EQ(page["fronts"][2]["area"], 1.25);
  EXPECT_TRUE(page_payload(testing::small_sweep(), {}, 1'000'000)["across"].empty());
}

}  // namespace
}  // namespace dse::reports::across_test
