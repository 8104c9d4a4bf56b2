// Boxes of the memory map: what is thinned still covers all that was there, and the curve of bytes alive is exact.
#include "reports/page/memory_map.h"

#include <gmock/gmock.h>

#include <random>

#include "reports/page/html.h"
#include "reports/page/pack.h"
#include "reports/page/payload.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "tests/reports/small_sweep.h"

namespace dse::reports::memory_map_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bool covers(const std::vector<Box>& boxes, const Box& b) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& o) {
    return o.of == b.of && o.from <= b.from && b.to <= o.to && o.begin <= b.begin && b.end <= o.end;
  });
}

TEST(MemoryMap, ThinnedBoxesCoverAllOfThem) {
  std::mt19937 rng(3);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
  for (int round = 0; round < 50; ++round) {
    std::vector<Box> boxes;
    for (std::size_t of = 0; of < 6; ++of) {
      std::int64_t at = pick(0, 100);
      for (int n = pick(1, 80); n > 0; --n) {
        const auto to = at + pick(1, 20), begin = std::int64_t{pick(0, 500)};
        boxes.push_back({of, at, to, begin, begin + pick(1, 500)});
        at = to;
      }
    }
    const auto most = static_cast<std::size_t>(pick(1, 300));
    const auto drawn = thin(boxes, most);
    EXPECT_EQ(drawn.size(), std::min(boxes.size(), std::max<std::size_t>(most, 6)));
    for (const auto& b : boxes) EXPECT_TRUE(covers(drawn, b));
    for (std::size_t i = 1; i < drawn.size(); ++i)
      EXPECT_TRUE(drawn[i - 1].of < drawn[i].of || drawn[i - 1].to <= drawn[i].from);
  }
}

TEST(MemoryMap, MergesWhatAddsLeast) {
  const std::vector<Box> stair = {{0, 0, 10, 0, 100}, {0, 10, 20, 0, 99}, {0, 20, 30, 0, 10}, {1, 0, 30, 0, 5}};
  EXPECT_EQ(thin(stair, 4), stair);
  EXPECT_THAT(thin(stair, 3), ElementsAre(Box{0, 0, 20, 0, 100}, Box{0, 20, 30, 0, 10}, Box{1, 0, 30, 0, 5}));
  EXPECT_THAT(thin(stair, 0), ElementsAre(Box{0, 0, 30, 0, 100}, Box{1, 0, 30, 0, 5}));
}

/// The small sweep's point with a segment of two layers, and an input that it gives up while an output grows.
explore::Sweep segmented() {
  auto sweep = testing::small_sweep();
  auto& p = sweep.fronts[0].points[1];
  p.layers = {"conv1", "dw1", "fc"}, p.layer_kinds = {"conv2d", "depthwise_conv2d", "fully_connected"};
  p.sections = {"segment 1: conv1 ... dw1, by phases", "fc"};
  p.run.layers = {{0, {400'000, 100'000, 0, 50'000, 20'000, 10'000, 5'000, 4'000, 1'000}, 123, 0},
                  {0, {100'000, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 1},
                  {1, {300'000, 10'000, 0, 0, 0, 0, 0, 0, 0}, 0, 2}};
  p.buffers = {{"in", "tensor", "l1", 0, 1000, 0, 690'000, 0, 1, 1000, "input 0"},
               {"out", "tensor", "l1", 200, 800, 0, 1'000'000, 0, 2, 800, "output of dw1"}};
  p.buffers[0].windows = {{0, 300'000, 0, 1000}, {300'000, 690'000, 500, 1000}};
  p.buffers[1].windows = {{300'000, 690'000, 0, 300}, {690'000, 1'000'000, 0, 800}};
  p.buffers[0].at_peak = {{0, 1000}}, p.buffers[1].at_peak = {{0, 0}};
  return sweep;
}

TEST(MemoryMap, BytesAliveAtOnce) {
  const auto sweep = segmented();
  const auto& p = sweep.fronts[0].points[1];
  EXPECT_THAT(load_curve(p, "l1", 0), ElementsAre(Box{0, 0, 300'000, 0, 1000}, Box{0, 300'000, 1'000'000, 0, 800}));
  EXPECT_EQ(load_curve(p, "l1", 24)[0].end, 1024);
  EXPECT_TRUE(load_curve(p, "l3", 0).empty());
  EXPECT_EQ(boxes_of(p, "l1").size(), 4u);
}

TEST(MemoryMap, ThePageHasItsBoxesAndItsLayers) {
  const auto page = page_payload(segmented(), {}, 10'000'000);
  const auto& point = page["fronts"][0]["points"][0];
  EXPECT_EQ(unpack(point["rowSections"].get<std::string>()), (std::vector<std::int64_t>{0, 0, 1}));
  const auto& map = point["maps"][0];
  EXPECT_EQ(map["load"], 1000);
  EXPECT_EQ(map["drawn"], 4);
  EXPECT_EQ(unpack(map["windows"].get<std::string>()),
            (std::vector<std::int64_t>{0, 0, 300'000, 0, 1000, 0, 300'000, 390'000, 500, 500,
                                       1, 0, 390'000, 0, 300,  0, 390'000, 310'000, 0,   800}));
  EXPECT_EQ(unpack(map["curve"].get<std::string>()),
            (std::vector<std::int64_t>{0, 300'000, 1000, 300'000, 700'000, -200}));
}

TEST(MemoryMap, LargeSweepsDrawFewerBoxes) {
  auto sweep = segmented();
  auto& p = sweep.fronts[0].points[1];
  for (int i = 0; i < 1000; ++i) p.buffers[0].windows.push_back({690'000 + i, 690'001 + i, 0, 1000 - i});
  const auto drawn = [&] {
    return page_payload(sweep, {}, 10'000'000)["fronts"][0]["points"][0]["maps"][0]["drawn"].get<int>();
  };
  EXPECT_EQ(drawn(), 300);
  for (int i = 0; i < 1000; ++i) sweep.fronts[0].points.push_back(sweep.fronts[0].points[0]);
  EXPECT_EQ(drawn(), 60);
}

TEST(Segments, JsonAndCsvTellThem) {
  const auto j = results_json(segmented())["fronts"][0]["points"][0];
  EXPECT_EQ(j["account"][0]["segment"], "segment 1: conv1 ... dw1, by phases");
  EXPECT_EQ(j["account"][1]["segment"], j["account"][0]["segment"]);
  EXPECT_EQ(j["account"][1]["layer"], "dw1");
  EXPECT_FALSE(j["account"][2].contains("segment"));
  EXPECT_EQ(j["buffers"][0]["windows"], nlohmann::json::parse("[[0,300000,0,1000],[300000,690000,500,1000]]"));
  EXPECT_EQ(j["buffers"][0]["at_peak"], nlohmann::json::parse("[[0,1000]]"));
  EXPECT_THAT(front_csv(segmented()), HasSubstr(",conv1...dw1,,,,,\n"));
  const auto whole = results_json(testing::small_sweep())["fronts"][0]["points"][0].dump();
  EXPECT_EQ(whole.find("windows"), std::string::npos);
  EXPECT_EQ(whole.find("segment"), std::string::npos);
}

}  // namespace
}  // namespace dse::reports::memory_map_test
