#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "reports/words/format.h"
#include "tests/reports/small_sweep.h"
#include "tests/reports/synthetic.h"

namespace dse::reports::csv_json_test {
namespace {

using nlohmann::json;

TEST(FrontCsv, ExactText) {
  EXPECT_EQ(front_csv(testing::small_sweep()),
            "point,network,device,memory_bytes,latency_cycles,latency_us,origin,plan,load_bytes,energy_uj,bound_cycles,"
            "program_bytes,tasks,verified,marks,traffic_bytes,peaks,segments,area_mm2,across,infeasible_reason,ram_"
            "bytes,flash_bytes\n"
            "aaa,\"net, "
            "\"\"tiny\"\"\",dev/l1=64KiB,20480,1000000,10000.000,front,plans/"
            "aaa.plan.yaml,20224,12.500,900000,2048,42,yes,smallest,,,,,,,,\n"
            "bbb,\"net, "
            "\"\"tiny\"\"\",dev/l1=64KiB,32768,500000,5000.000,front,plans/"
            "bbb.plan.yaml,32512,12.500,450000,2048,42,yes,knee fastest,,,,,,,,\n"
            "ttt,\"net, \"\"tiny\"\"\",dev/l1=64KiB,36864,,,TFLM "
            "today,plans/ttt.plan.yaml,36608,12.500,0,2048,42,no,,,,,,,,,\n"
            "rrr,\"net, "
            "\"\"tiny\"\"\",dev/l1=64KiB,40960,625000,6250.000,rule-based,plans/"
            "rrr.plan.yaml,40704,12.500,562500,2048,42,yes,,,,,,,,,\n"
            ",big,dev/l1=32KiB,,,,,,,,,,,,,,,,,,l1 is 30.0 KiB short: layer conv3 needs 66.0 KiB,,\n");
}

/// Names come from files: a spreadsheet must not run them. Numbers stay numbers.
TEST(CsvField, NoNameIsAFormula) {
  for (const std::string text :
       {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "=HYPERLINK(\"x\",\"y\")", "-", "=", "-1 -2"}) {
    const auto field = csv_field(text);
    EXPECT_EQ(field.substr(0, 2), "\"'") << field;
    EXPECT_EQ(field.back(), '"');
  }
  for (const std::string text : {"-1", "+2.5", "-1e-3", "conv=1", "a-b", "", "64 KiB"})
    EXPECT_EQ(csv_field(text), text);
}

TEST(FrontCsv, HasAColumnPerAxisOfAnyDevicePoint) {
  auto sweep = testing::small_sweep();
  sweep.fronts.resize(1);
  sweep.fronts[0].points.resize(1), sweep.fronts[0].marked.clear();
  sweep.fronts[0].axes = {{"memories.l1.size", "64 KiB"}};
  sweep.fronts.push_back(sweep.fronts[0]);
  sweep.fronts[1].axes = {{"engines.mac.macs_per_cycle", "{int8: 4, int16: 2}"}, {"memories.l1.size", "32 KiB"}};
  const auto csv = front_csv(sweep);
  EXPECT_NE(csv.find("segments,area_mm2,across,infeasible_reason,ram_bytes,flash_bytes,memories.l1.size,engines.mac."
                     "macs_per_cycle\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",64 KiB,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",32 KiB,\"{int8: 4, int16: 2}\"\n"), std::string::npos) << csv;
}

TEST(ResultsJson, NamesLayersAsTheFileDoesToo) {
  auto sweep = testing::small_sweep();
  auto& point = sweep.fronts[0].points[0];
  const auto plain = results_json(sweep)["fronts"][0]["points"].dump();
  EXPECT_EQ(plain.find("file_name"), std::string::npos);
  point.run.layers.resize(2), point.layers = {"conv0", "fc0"}, point.file_names = {"model/conv2d/Relu", ""};
  for (const auto& p : results_json(sweep)["fronts"][0]["points"]) {
    if (p["id"] != point.id) continue;
    EXPECT_EQ(p["account"][0]["layer"], "conv0");
    EXPECT_EQ(p["account"][0]["file_name"], "model/conv2d/Relu");
    EXPECT_FALSE(p["account"][1].contains("file_name")) << "no other name than ours";
  }
}

/// Scripts that read a column by its name find every case of the sweep, and points by their rows as before.
TEST(FrontCsv, CasesWithoutAPlanStandBehindAllPointsWithTheirReason) {
  auto sweep = testing::small_sweep();
  auto& none = sweep.fronts[1];
  none.axes = {{"memories.l1.size", "32 KiB"}}, none.area_mm2 = 0.25;
  none.infeasible_reason = "=short, \"by\" 30 KiB\nand more";
  const auto points = ordered_points(sweep.fronts[0]).size();
  std::swap(sweep.fronts[0], sweep.fronts[1]);
  sweep.fronts.push_back(sweep.fronts[0]);
  sweep.fronts.back().device = "other", sweep.fronts.back().infeasible_reason.clear();
  Diagnostics d;
  const auto table = parse_csv(front_csv(sweep), "front.csv", d);
  ASSERT_TRUE(table) << d.text();
  ASSERT_EQ(table->rows.size(), points + 2);
  const auto cell = [&](std::size_t row, const char* column) {
    return table->rows[row].cells[static_cast<std::size_t>(table->column(column))];
  };
  for (std::size_t row = 0; row < points; ++row) {
    EXPECT_NE(cell(row, "point"), "");
    EXPECT_EQ(cell(row, "infeasible_reason"), "");
  }
  EXPECT_EQ(cell(points, "network"), "big");
  EXPECT_EQ(cell(points, "device"), "dev/l1=32KiB");
  EXPECT_EQ(cell(points, "area_mm2"), "0.25");
  EXPECT_EQ(cell(points, "memories.l1.size"), "32 KiB");
  EXPECT_EQ(cell(points, "infeasible_reason"), "'=short, \"by\" 30 KiB\nand more");
  for (const char* empty :
       {"point", "memory_bytes", "latency_cycles", "origin", "plan", "verified", "segments", "across"})
    EXPECT_EQ(cell(points, empty), "") << empty;
  EXPECT_EQ(cell(points + 1, "device"), "other");
  EXPECT_NE(cell(points + 1, "infeasible_reason"), "") << "never without a word";
}

TEST(FrontCsv, DoesNotDependOnProvenanceOrOrder) {
  auto a = testing::small_sweep(), b = a;
  b.provenance.date = "2030-01-01";
  b.provenance.seconds = 99;
  std::swap(b.fronts[0].points[0], b.fronts[0].points[1]);
  EXPECT_EQ(front_csv(a), front_csv(b));
}

TEST(FrontCsv, MarkedPlanOnTheFrontIsOneRow) {
  auto sweep = testing::small_sweep();
  auto& front = sweep.fronts[0];
  front.points[0].origin = "rule-based";  // as the explorer reports a rule that nothing beats
  front.marked[0] = front.points[0];
  const auto csv = front_csv(sweep);
  EXPECT_NE(csv.find("\nbbb,"), std::string::npos);
  EXPECT_EQ(csv.find("\nbbb,"), csv.rfind("\nbbb,"));
  const auto j = results_json(sweep)["fronts"][0];
  EXPECT_EQ(j["points"][1]["id"], "bbb");
  EXPECT_EQ(j["marked"][0]["id"], "bbb");  // whoever looks for the rule-based plan finds it among the marked
}

TEST(ResultsJson, HeadAndProvenance) {
  const json j = results_json(testing::small_sweep());
  EXPECT_EQ(j["format"], 1);
  EXPECT_EQ(j["origins"]["latency_cycles"], "simulated");
  EXPECT_EQ(j["origins"]["bound_cycles"], "bound");
  EXPECT_EQ(j["provenance"],
            json::parse(R"({"version": "0.1.0", "command_line": "dse run sweep.yaml -o out", "date": "2024-06-07",
    "inputs": {"net.tflite": "n1"}, "seconds": 1.5, "interrupted": false})"));
  ASSERT_EQ(j["fronts"].size(), 2u);
  EXPECT_EQ(j["fronts"][1]["infeasible_reason"], "l1 is 30.0 KiB short: layer conv3 needs 66.0 KiB");
  EXPECT_TRUE(j["fronts"][1]["points"].empty());
}

TEST(ResultsJson, ExactFront) {
  json front = results_json(testing::small_sweep())["fronts"][0];
  ASSERT_EQ(front["points"].size(), 2u);
  ASSERT_EQ(front["marked"].size(), 2u);
  front.erase("points");
  front.erase("marked");
  EXPECT_EQ(
      front,
      json::parse(R"({"network": "net, \"tiny\"", "network_hash": "n1", "device": "dev/l1=64KiB", "device_hash": "d1",
    "kernel_library": "pulp-nn", "accuracy": "not validated on this network", "clock_hz": 100000000, "energy_source": "measured",
    "queues": ["cluster", "cluster_dma"], "complete": true, "notes": ["TFLM today: not timed"],
    "objectives": ["memory", "latency"], "constraints": {}, "answers": [], "simulated": 14903, "proven_dominated": 16499, "infeasible": 0,
    "gap": null, "pointwise_gap": null, "outside": 0, "skipped": 0, "lost": 0, "left_out": [],
    "certificate": {"covers": "plans that are decided layer by layer: orders, homes, in place, tiles, filters, buffers", "complete": true, "runs": null, "outside": {}},
    "dominated": [[33000, 600000]], "bound": [[20480, 800000], [32768, 400000]],
    "memories": [{"name": "l1", "size_bytes": 65536, "reserved_bytes": 28672, "on_chip": true},
                 {"name": "l3", "size_bytes": 8388608, "reserved_bytes": 0, "on_chip": false}]})"));
}

TEST(ResultsJson, ExactPoint) {
  EXPECT_EQ(results_json(testing::small_sweep())["fronts"][0]["points"][0], json::parse(R"({
    "id": "aaa", "origin": "front", "marks": ["smallest"], "memory_bytes": 20480, "load_bytes": 20224,
    "latency_cycles": 1000000, "latency_us": 10000.0, "energy_uj": 12.5, "metrics": {"flash_bytes": 98304.0},
    "bound_cycles": 900000, "program_bytes": 2048, "tasks": 42, "startup_bytes": 64, "macs": 1000, "verified": true,
    "plan": "plans/aaa.plan.yaml", "plan_in_words": ["conv1: planar", "fc: interleaved"],
    "account": [
      {"layer": "conv1", "kind": "conv2d", "cycles": 690000, "hidden_dma_cycles": 123, "causes": {"compute": 500000, "dispatch": 100000,
       "memory": 0, "dma_weights": 50000, "dma_input": 20000, "dma_output": 10000, "issue": 5000, "wait": 4000, "other": 1000}},
      {"layer": "fc", "kind": "fully_connected", "cycles": 310000, "hidden_dma_cycles": 0, "causes": {"compute": 300000,
       "dispatch": 10000, "memory": 0, "dma_weights": 0, "dma_input": 0, "dma_output": 0, "issue": 0, "wait": 0, "other": 0}}],
    "engines": [{"queue": "cluster", "tasks": 20, "busy_cycles": 900000, "stalled_cycles": 0},
                {"queue": "cluster_dma", "tasks": 22, "busy_cycles": 400000, "stalled_cycles": 1000}],
    "memories": [{"memory": "l1", "arena_bytes": 20480, "read_bytes": 1000, "written_bytes": 500}],
    "buffers": [{"name": "conv1.weights", "role": "weights", "memory": "l1", "offset": 0, "size": 1024, "from_cycle": 0, "to_cycle": 690000,
                 "first_layer": 0, "last_layer": 0, "counted_bytes": 0, "tensor": ""}],
    "energy_fj": 12500000000, "assignment": {"conv1.scheme": "planar"}
  })"));
}

TEST(ResultsJson, UntimedPlanHasNoLatency) {
  const json j = results_json(testing::small_sweep());
  EXPECT_EQ(j["fronts"][0]["marked"][0]["origin"], "TFLM today");
  EXPECT_TRUE(j["fronts"][0]["marked"][0]["latency_cycles"].is_null());
  EXPECT_TRUE(j["fronts"][0]["marked"][0]["latency_us"].is_null());
}

TEST(ResultsJson, AccountsOfEveryPointAddUp) {
  const json j = results_json(testing::synthetic_sweep());
  for (const auto& front : j["fronts"]) {
    for (const auto& p : front["points"]) {
      std::int64_t sum = 0;
      for (const auto& layer : p["account"]) {
        for (const auto& cycles : layer["causes"]) sum += cycles.get<std::int64_t>();
      }
      EXPECT_EQ(sum, p["latency_cycles"].get<std::int64_t>());
    }
  }
}

TEST(ResultsJson, SameSweepSameBytes) {
  EXPECT_EQ(results_json(testing::synthetic_sweep()).dump(), results_json(testing::synthetic_sweep()).dump());
}

}  // namespace
}  // namespace dse::reports::csv_json_test
