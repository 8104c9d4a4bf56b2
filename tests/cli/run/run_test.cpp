// Runs, from the sweep to the package: what is written, what is refused, and with which exit code.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::run_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// Small enough to explore in a moment, with a branch so that buffers overlap in time.
const char* const tiny_network = R"(format: 1
name: tiny
input: {shape: [1, 8, 8, 4]}
layers:
  - conv: {name: stem, filters: 8, kernel: 3}
  - depthwise: {kernel: 3}
  - conv: {filters: 8, kernel: 1}
  - add: {with: stem}
  - reshape: {shape: [1, 512]}
  - fully_connected: {units: 4}
)";

class Run : public testing::Test {
 protected:
  void SetUp() override {
    here.write("tiny.yaml", tiny_network);
    sweep =
        here.write("sweep.yaml",
                   "networks: [tiny.yaml]\ndevices: [gap8-class]\nexplore:\n  choices: {scheme: [interleaved], tile: "
                   "[all, 4], filters: [all, 4], layout: hwc}\n  budget: {simulations: 400}\n  front_points: 6\n");
  }
  /// The run of the sweep, once per test.
  void explore() {
    const auto said = dse({"run", sweep, "-o", here / "out", "--jobs", "2"});
    ASSERT_EQ(said.exit, 0) << said.err << said.out;
    summary = said.out;
    results = json::parse(read(here / "out/results.json"));
  }
  Folder here;
  std::string sweep, summary;
  json results;
};

TEST_F(Run, WritesEverythingThatItNames) {
  explore();
  EXPECT_THAT(summary, AllOf(HasSubstr("tiny on gap8-class: "), HasSubstr("knee"), HasSubstr("rule-based"),
                             HasSubstr("report: " + (here / "out/report.html") + "   export one with: dse export " +
                                       (here / "out") + " --point knee -o package\n")));
  EXPECT_THAT(read(here / "out/report.html"), HasSubstr("</html>"));
  const auto& front = results["fronts"][0];
  ASSERT_FALSE(front["points"].empty());
  std::size_t rows = 0;
  std::istringstream csv(read(here / "out/front.csv"));
  for (std::string line; std::getline(csv, line);) ++rows;
  std::set<std::pair<std::string, std::string>> points;  // a rule's plan may lie on the front: one row
  for (const char* list : {"points", "marked"})
    for (const auto& p : front[list]) {
      points.emplace(p["id"], p["origin"]);
      EXPECT_TRUE(p["verified"].get<bool>());
      EXPECT_TRUE(std::filesystem::exists(here / ("out/" + p["plan"].get<std::string>()))) << p["plan"];
    }
  EXPECT_EQ(rows, 1 + points.size());
  EXPECT_EQ(results["provenance"]["inputs"].size(), 3u);  // sweep, network, device
  EXPECT_EQ(dse({"run", here / "out/sweep.yaml", "-o", here / "again"}).exit, 0);
  EXPECT_EQ(read(here / "again/front.csv"), read(here / "out/front.csv"));
  EXPECT_EQ(read(here / "again/sweep.yaml"), read(here / "out/sweep.yaml"));
}

TEST_F(Run, ExplainAddsUpAndSimulateAgrees) {
  explore();
  const auto explained = dse({"explain", here / "out", "--point", "knee", "--json"});
  ASSERT_EQ(explained.exit, 0) << explained.err;
  const auto point = json::parse(explained.out);
  std::int64_t sum = 0;
  for (const auto& layer : point["account"]) {
    std::int64_t causes = 0;
    for (const auto& c : layer["causes"]) causes += c.get<std::int64_t>();
    EXPECT_EQ(causes, layer["cycles"].get<std::int64_t>());
    sum += causes;
  }
  EXPECT_EQ(sum, point["latency_cycles"].get<std::int64_t>());
  EXPECT_THAT(dse({"explain", here / "out"}).out, AllOf(HasSubstr("stem: "), HasSubstr("cycles, by layer and cause"),
                                                        HasSubstr("equal the interpreter's")));
  const auto simulated = dse({"simulate", "--network", here / "tiny.yaml", "--device", "gap8-class", "--plan",
                              here / ("out/" + point["plan"].get<std::string>()), "--json"});
  ASSERT_EQ(simulated.exit, 0) << simulated.err;
  const auto again = json::parse(simulated.out);
  EXPECT_EQ(again["latency_cycles"], point["latency_cycles"]);
  EXPECT_EQ(again["memory_bytes"], point["memory_bytes"]);
  EXPECT_EQ(again["account"], point["account"]);
  EXPECT_EQ(again["id"], point["id"]);
}

TEST_F(Run, ExportWritesAPackageAndNoticesChanges) {
  explore();
  const auto written = dse({"export", here / "out", "--point", "knee", "-o", here / "package"});
  EXPECT_EQ(written.exit, 0) << written.err;
  EXPECT_TRUE(std::filesystem::exists(here / "package/plan.dse"));
  EXPECT_TRUE(std::filesystem::exists(here / "package/plan.yaml"));
  EXPECT_EQ(dse({"export", here / "out", "--point", "1", "-o", here / "first"}).exit, 0);
  const auto unknown = dse({"export", here / "out", "--point", "knie", "-o", here / "none"});
  EXPECT_EQ(unknown.exit, 3);
  EXPECT_THAT(unknown.err, HasSubstr("no point 'knie'; did you mean knee?"));
  EXPECT_FALSE(std::filesystem::exists(here / "none"));
  here.write("out/inputs/networks/tiny.yaml", std::string(tiny_network) + "# changed\n");
  const auto changed = dse({"export", here / "out", "--point", "knee", "-o", here / "none"});
  EXPECT_EQ(changed.exit, 3);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("tiny.yaml"), HasSubstr("has changed since the run")));
}

TEST_F(Run, APlanWithAWrongOffsetIsRefused) {
  explore();
  auto plan = read(here / ("out/" + results["fronts"][0]["points"][0]["plan"].get<std::string>()));
  const auto at = plan.find("offset: ");
  ASSERT_NE(at, std::string::npos);
  plan.replace(at, plan.find(',', at) - at, "offset: 999999999");
  const auto said =
      dse({"simulate", "-n", here / "tiny.yaml", "-d", "gap8-class", "-p", here.write("wrong.yaml", plan)});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, AllOf(HasSubstr("wrong.yaml:"), HasSubstr("error: ")));
  EXPECT_THAT(said.out, IsEmpty());
}

TEST_F(Run, ANetworkBehindADeviceIsNoDevice) {
  const auto said = dse({"run", "--device", "gap8-class", "autoencoder", "--dry-run"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("autoencoder on gap8-class"));
  EXPECT_THAT(dse({"run", "--device", "gap8-class", "nowhere.tflite", "--dry-run"}).err, HasSubstr("nowhere.tflite"));
}

TEST_F(Run, OneByteOfL1IsNoFeasiblePlan) {
  const auto said =
      dse({"run", here / "tiny.yaml", "--device", "dsp-l1-l2-l3", "--limit", "l1=1B", "-o", here / "out"});
  EXPECT_EQ(said.exit, 4) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("no feasible plan: "), HasSubstr("l1")));
  EXPECT_THAT(said.err, HasSubstr("no feasible plan"));
  EXPECT_FALSE(std::filesystem::exists(here / "out/results.json"));
}

TEST_F(Run, AFailedRunLeavesTheFinishedOneAlone) {
  explore();
  const auto before = read(here / "out/results.json");
  EXPECT_EQ(dse({"run", here / "tiny.yaml", "--device", "dsp-l1-l2-l3", "--limit", "l1=1B", "-o", here / "out"}).exit,
            4);
  EXPECT_EQ(dse({"run", here / "gone.yaml", "--device", "gap8-class", "-o", here / "out"}).exit, 3);
  EXPECT_EQ(read(here / "out/results.json"), before);
  EXPECT_EQ(dse({"explain", here / "out"}).exit, 0);
}

TEST_F(Run, UnknownMemoriesAndDevicesAreRefusedBeforeItStarts) {
  const auto limit =
      dse({"run", here / "tiny.yaml", "--device", "gap8-class", "--limit", "l9=1KiB", "-o", here / "out"});
  EXPECT_EQ(limit.exit, 3);
  EXPECT_THAT(limit.err, AllOf(HasSubstr("no device has a memory 'l9'"), HasSubstr("l1")));
  const auto device = dse({"run", here / "tiny.yaml", "--device", "gap9-class", "-o", here / "out"});
  EXPECT_EQ(device.exit, 3);
  EXPECT_THAT(device.err, HasSubstr("no device is named 'gap9-class'; did you mean gap8-class?"));
  EXPECT_FALSE(std::filesystem::exists(here / "out"));
}

TEST_F(Run, DryRunCountsAndEstimates) {
  const auto said = dse({"run", sweep, "--dry-run", "--jobs", "2"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("1 case: networks 1, device points 1\ntiny on gap8-class: 5 layers, "),
                              HasSubstr("\n  stem "), HasSubstr("whole network: "), HasSubstr("<= "),
                              HasSubstr("estimate: "), HasSubstr("with --jobs 2")));
  EXPECT_FALSE(std::filesystem::exists(here / "out"));
  const auto as_json = dse({"run", sweep, "--dry-run", "--json"});
  ASSERT_EQ(as_json.exit, 0) << as_json.err;
  const auto j = json::parse(as_json.out);
  EXPECT_EQ(j["device_points"], 1);
  const auto& one = j["cases"][0];
  ASSERT_EQ(one["layers"].size(), 5u);
  double product = 1;
  for (const auto& l : one["layers"]) {
    EXPECT_GE(l["options"].get<int>(), l["after_pruning_at_most"].get<int>());
    EXPECT_GT(l["after_pruning_at_most"].get<int>(), 0);
    product *= l["options"].get<double>();
  }
  EXPECT_GT(one["whole_network_candidates"].get<double>(), 1);
  EXPECT_LE(one["whole_network_candidates"].get<double>(), product);
  EXPECT_GT(one["estimated_seconds"].get<double>(), 0);
  EXPECT_EQ(dse({"run", sweep, "-o", here / "out", "--json"}).exit, 2) << "only with --dry-run";
}

TEST_F(Run, DryRunOfTheSweepInTheManual) {
  const auto manual = read(DSE_SOURCE_DIR "/docs/run/search.md");
  const auto from = manual.find("```yaml\n") + 8, to = manual.find("```", from);
  ASSERT_NE(to, std::string::npos);
  const auto said = dse({"run", here.write("manual.yaml", manual.substr(from, to - from)), "--dry-run", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto j = json::parse(said.out);
  EXPECT_EQ(j["device_points"], 2);
  const auto options = [&](const std::string& layer) {
    for (const auto& l : j["cases"][0]["layers"])
      if (l["layer"] == layer) return l["options"].get<int>();
    return -1;
  };
  EXPECT_GT(options("conv3"), 0);
  EXPECT_LT(options("conv3"), options("conv6")) << "what is fixed is not searched";
}

TEST_F(Run, ChoicesOfOneLayerAreCheckedAgainstTheNetworkAndKept) {
  const auto with = [&](const std::string& choices) {
    return dse({"run",
                here.write("one.yaml", "networks: [tiny.yaml]\ndevices: [gap8-class]\nexplore:\n  choices: {" +
                                           choices + "}\n  budget: {simulations: 400}\n"),
                "-o", here / "one"});
  };
  const auto unknown = with("stemm.scheme: planar, stem.output: l9");
  EXPECT_EQ(unknown.exit, 3);
  EXPECT_THAT(unknown.err,
              AllOf(HasSubstr("one.yaml:4:"), HasSubstr("no network has a layer 'stemm'"),
                    HasSubstr("did you mean stem?"), HasSubstr("choices.stem.output: no device has 'l9'")));
  const auto never = with("stem.scheme: pixel-block");
  EXPECT_EQ(never.exit, 4);
  EXPECT_THAT(never.out + never.err, HasSubstr("choices.stem.scheme allows pixel-block, but possible here are"));
  const auto kept = with("stem.scheme: planar, scheme: interleaved");
  ASSERT_EQ(kept.exit, 0) << kept.err;
  const auto results = json::parse(read(here / "one/results.json"));
  for (const auto& p : results["fronts"][0]["points"]) {
    const auto plan = read(here / ("one/" + p["plan"].get<std::string>()));
    if (plan.find("origin: explored") != std::string::npos) {
      const auto at = plan.find("stem: {");
      EXPECT_THAT(plan.substr(at, plan.find('}', at) - at), HasSubstr("scheme: planar"));
    }
  }
}

TEST_F(Run, ExplainNeedsARun) {
  const auto said = dse({"explain", here.path()});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("holds no finished run"));
}

}  // namespace
}  // namespace dse::test::run_test
