// Energy by cause: as results.json has it and gives it back, in tables, in energy.csv. Nothing of it where a device has
// one figure per memory and engine.
#include "reports/words/energy.h"

#include <gmock/gmock.h>

#include "reports/page/payload.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "reports/run/recorded.h"
#include "tests/reports/small_sweep.h"

namespace dse::reports::energy_test {
namespace {

using nlohmann::json;

/// The point aaa takes 12.5 uJ: in conv1 by everything, in fc by l3 and the leakage of l1.
explore::Sweep told() {
  auto sweep = testing::small_sweep();
  auto& front = sweep.fronts[0];
  front.engines = {"array", "dma"};
  auto& p = front.points[1];
  sim::Energy conv1, fc;
  conv1.memories = {{1000, 2000, 30}, {0, 0, 0}}, conv1.engines = {{4000, 500, 60, 7, 8}, {0, 0, 0, 0, 9}};
  conv1.leaked = 10;
  fc.memories = {{0, 0, 11}, {12'499'992'365, 0, 0}}, fc.engines.resize(2);
  for (const auto& energy : {conv1, fc}) {
    p.uses.push_back({{{1, 2}, {3, 4}}, 5, energy.total(), energy});
    p.run.energy += energy;
  }
  return sweep;
}

TEST(EnergyByCause, IsWrittenWhereItIsTold) {
  const auto sweep = told();
  EXPECT_EQ(sweep.fronts[0].points[1].run.energy.total(), 12'500'000'000);
  const auto front = results_json(sweep)["fronts"][0];
  EXPECT_EQ(front["engines"], (json{"array", "dma"}));
  const auto& point = front["points"][0];
  EXPECT_EQ(point["energy"], json::parse(R"({
    "memories": {"l1": {"read_fj": 1000, "written_fj": 2000, "leakage_fj": 41}, "l3": {"read_fj": 12499992365}},
    "engines": {"array": {"macs_fj": 4000, "macs_int16_fj": 500, "elements_fj": 60, "cycles_fj": 7, "leakage_fj": 8},
                "dma": {"leakage_fj": 9}},
    "leakage_fj": 10})"));
  EXPECT_EQ(point["account"][1]["energy"], json::parse(R"({
    "memories": {"l1": {"leakage_fj": 11}, "l3": {"read_fj": 12499992365}}, "engines": {}, "leakage_fj": 0})"));
  const auto plain = results_json(testing::small_sweep())["fronts"][0];
  EXPECT_FALSE(plain.contains("engines"));
  EXPECT_FALSE(plain["points"][0].contains("energy"));
}

TEST(EnergyByCause, ComesBackAsItWasWritten) {
  const auto sweep = told();
  const auto front = results_json(sweep)["fronts"][0];
  const auto read = read_point("p", front, front["points"][0]);
  const auto& p = sweep.fronts[0].points[1];
  EXPECT_EQ(read.point.run.energy, p.run.energy);
  ASSERT_EQ(read.point.uses.size(), 2u);
  EXPECT_EQ(read.point.uses[1].energy, p.uses[1].energy);
  auto damaged = front;
  damaged["points"][0]["energy"]["engines"]["npu"] = json::object();
  EXPECT_THROW(read_point("p", damaged, damaged["points"][0]), RecordError);
}

TEST(EnergyByCause, IsATableByCauseAndOneByLayer) {
  const auto sweep = told();
  const auto &front = sweep.fronts[0], &plain = sweep.fronts[1];
  EXPECT_TRUE(tells_energy(front));
  EXPECT_FALSE(tells_energy(plain));
  EXPECT_EQ(as_text(energy_table(front, front.points[1])), R"(            for                      pJ    share
  l1        read                  1.000    0.0 %
  l1        written               2.000    0.0 %
  l1        leakage               0.041    0.0 %
  l3        read         12,499,992.365  100.0 %
  array     MACs                  4.000    0.0 %
  array     16-bit MACs           0.500    0.0 %
  array     elements              0.060    0.0 %
  array     cycles                0.007    0.0 %
  array     leakage               0.008    0.0 %
  dma       leakage               0.009    0.0 %
  the rest  leakage               0.010    0.0 %
  total                  12,500,000.000  100.0 %
)");
  EXPECT_EQ(as_text(layer_energy_table(front, front.points[1])),
            R"(  layer              pJ     l1              l3  array  leakage
  conv1           7.624  3.000           0.000  4.567    0.057
  fc     12,499,992.376  0.000  12,499,992.365  0.000    0.011
  sum    12,500,000.000  3.000  12,499,992.365  4.567    0.068
)");
}

TEST(EnergyByCause, ATableForSpreadsheets) {
  EXPECT_EQ(energy_csv(testing::small_sweep()), "");
  const auto text = energy_csv(told());
  EXPECT_THAT(text, ::testing::StartsWith("point,network,device,layer,block,cause,energy_fj\n"
                                          "aaa,\"net, \"\"tiny\"\"\",dev/l1=64KiB,conv1,l1,read,1000\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(",conv1,,leakage,10\n"));
  std::int64_t sum = 0, lines = 0;
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1, ++lines)
    sum += std::stoll(text.substr(text.rfind(',', text.find('\n', at)) + 1));
  EXPECT_EQ(sum, 12'500'000'000);
  EXPECT_EQ(lines, 10 + 2);
}

TEST(EnergyByCause, ThePageHasTheTables) {
  const auto page = page_payload(told(), {}, 1'000'000);
  const auto& points = page["fronts"][0]["points"];
  EXPECT_EQ(points[0]["energy"][0]["rows"].size(), 12u);
  EXPECT_EQ(points[0]["energy"][1]["heads"][2]["text"], "l1");
  EXPECT_FALSE(points[1].contains("energy"));
}

}  // namespace
}  // namespace dse::reports::energy_test
