// dse memory --device: plans that run, against layer by layer.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/conversation.h"
#include "tests/cli/process.h"

namespace dse::test::memory_device_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

json parsed(const std::vector<std::string>& arguments) {
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  return said.exit == 0 ? json::parse(said.out) : json();
}

/// The shipped device with one line of its description replaced.
std::string device_with(const Folder& here, const std::string& name, const std::string& line, const std::string& by) {
  auto text = read(DSE_SOURCE_DIR "/configs/devices/" + name + ".yaml");
  const auto at = text.find(line);
  EXPECT_NE(at, std::string::npos);
  here.write("device.yaml", text.replace(at, line.size(), by));
  return here / "device.yaml";
}

TEST(MemoryOnDevice, PlansThatRunAgainstLayerByLayer) {
  const auto j = parsed({"memory", "resnet8", "--json", "--device", "cortex-m7-class"});
  EXPECT_EQ(j["input"], "released");
  EXPECT_EQ(j["shared_phases"], parsed({"memory", "resnet8", "--json", "--input", "released"})["shared_phases"]);
  EXPECT_EQ(j["device"]["name"], "cortex-m7-class");
  EXPECT_EQ(j["device"]["input"], "released");
  EXPECT_TRUE(j["device"]["whole_layers_infeasible"].is_null());
  const auto& plans = j["device"]["plans"];
  ASSERT_GE(plans.size(), 4U);
  const auto& whole = plans[0];
  EXPECT_EQ(whole["name"], "layer by layer");
  EXPECT_EQ(whole["segments"], json::array({"all 15 layers whole"}));
  EXPECT_EQ(whole["arena"], 49152);
  EXPECT_EQ(whole["saved_percent"], 0);
  EXPECT_EQ(whole["throughput_lost_percent"], 0);
  const auto number = [](const json& plan, const char* key) { return plan[key].get<double>(); };
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& p = plans[i];
    const auto footprint = [&](const json& of) { return number(of, "activations") + number(of, "constants"); };
    EXPECT_EQ(p["verified"], true);
    EXPECT_EQ(p["arena"], p["activations"]);  // constants lie in flash
    EXPECT_LE(p["load"].get<int>(), p["arena"].get<int>());
    EXPECT_EQ(p["memories"]["sram"].get<int>() + p["memories"]["dtcm"].get<int>(), p["arena"].get<int>());
    EXPECT_GE(p["memories"]["flash"].get<int>(), p["constants"].get<int>());
    EXPECT_GT(p["constants"].get<int>(), j["parameters"].get<int>());  // biases of 4 bytes, scales
    EXPECT_GT(p["program_bytes"].get<int>(), 0);
    EXPECT_DOUBLE_EQ(number(p, "throughput"), 1e6 / number(p, "latency_us"));
    EXPECT_DOUBLE_EQ(number(p, "latency_us"), number(p, "latency_ticks") / 280);
    EXPECT_NEAR(number(p, "saved_percent"), 100 * (1 - number(p, "arena") / number(whole, "arena")), 1e-9);
    EXPECT_NEAR(number(p, "footprint_saved_percent"), 100 * (1 - footprint(p) / footprint(whole)), 1e-9);
    EXPECT_NEAR(number(p, "throughput_lost_percent"), 100 * (1 - number(p, "throughput") / number(whole, "throughput")),
                1e-9);
    EXPECT_GE(number(p, "throughput_lost_percent"), 0);  // here dispatch costs and nothing else changes
    if (i < 2) continue;
    EXPECT_GT(number(p, "arena"), number(plans[i - 1], "arena"));
    EXPECT_LT(number(p, "arena"), number(whole, "arena"));
    EXPECT_LT(number(p, "latency_ticks"), number(plans[i - 1], "latency_ticks"));
  }
  EXPECT_THAT(plans[1]["name"].get<std::string>(), StartsWith("least memory"));
  EXPECT_LE(2.5 * number(plans[1], "arena"), number(whole, "arena"));
  EXPECT_THAT(plans.back()["name"].get<std::string>(), HasSubstr("fastest"));
  EXPECT_THAT(plans[1]["segments"].dump(), HasSubstr("layers by phases: "));
  const auto text = dse({"memory", "resnet8", "--device", "cortex-m7-class"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("on cortex-m7-class, input released"), HasSubstr("throughput lost"),
                              HasSubstr("least memory"), HasSubstr("49,152      49,152")));
}

TEST(MemoryOnDevice, ItsPlansRunAgain) {
  const auto plans = parsed({"memory", "ds-cnn", "--json", "--device", "gap8-class"})["device"]["plans"];
  ASSERT_GE(plans.size(), 2U);
  Conversation session({"simulate", "--network", "ds-cnn", "--device", "gap8-class", "--stdin", "--verify"});
  for (const auto& p : plans) {
    session.say(p["assignment"].dump() + "\n");
    const auto answer = session.hear();
    ASSERT_TRUE(answer.has_value());
    const auto run = json::parse(*answer);
    EXPECT_EQ(run["status"], "ok") << *answer;
    EXPECT_EQ(run["plan"], p["id"]) << p["name"];
  }
  session.finish();
  EXPECT_EQ(session.exit(), 0);
}

TEST(MemoryOnDevice, TiledWhereWholeLayersDoNotFit) {
  for (const auto* device : {"gap8-class", "dsp-l1-l2-l3"}) {
    const auto j = parsed({"memory", "resnet8", "--json", "--device", device})["device"];
    EXPECT_THAT(j["whole_layers_infeasible"].get<std::string>(), HasSubstr("l1 is "));
    EXPECT_TRUE(j["tiled_infeasible"].is_null());
    ASSERT_GE(j["plans"].size(), 2U) << device;
    EXPECT_EQ(j["plans"][0]["name"], "layer by layer, tiled");
    EXPECT_EQ(j["plans"][0]["segments"], json::array({"all 15 layers tiled by rule"}));
    for (const auto& p : j["plans"]) {
      EXPECT_EQ(p["verified"], true) << device;
      EXPECT_GE(p["saved_percent"].get<double>(), 0);
    }
    EXPECT_GT(j["plans"][1]["saved_percent"].get<double>(), 0);
  }
}

TEST(MemoryOnDevice, InputsAreReleasedKeptOrStreamedIn) {
  const auto least = [](const char* input) {
    const auto j =
        parsed({"memory", "mobilenet-v1-0.25-96", "--json", "--device", "cortex-m7-camera", "--input", input});
    EXPECT_EQ(j["device"]["input"], input);
    for (const auto& p : j["device"]["plans"]) EXPECT_EQ(p["verified"], true);
    return j["device"]["plans"][1]["arena"].get<int>();
  };
  EXPECT_LT(least("streamed"), least("released"));
  EXPECT_LT(least("released"), least("kept"));
  const auto said = dse({"memory", "resnet8", "--device", "cortex-m7-class", "--input", "streamed"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.out, IsEmpty());
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("device cortex-m7-class has no memory that they come from"), HasSubstr("input_from")));
}

TEST(MemoryOnDevice, WhatCannotRunIsSaid) {
  auto said = dse({"memory", DSE_SOURCE_DIR "/tests/cli/phases/example41.layers.yaml", "--device", "cortex-m7-class"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.out, IsEmpty());
  EXPECT_THAT(said.err, HasSubstr("example41.layers.yaml: error: layers without operators cannot run on a device"));
  const std::string floating = DSE_SOURCE_DIR "/tests/fuzz/corpus/onnx/classifier.onnx";
  said = dse({"memory", floating, "--device", "cortex-m7-class"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, AllOf(HasSubstr("computes in float32"), HasSubstr("dse quantize")));
  said = dse({"memory", "no-such-network", "--device", "no-such-device"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, AllOf(HasSubstr("no-such-network"), HasSubstr("no-such-device")));
  // The table stands, the reason follows it.
  const Folder here;
  const auto tiny = device_with(here, "cortex-m7-class", "size: 1 MiB ", "size: 10 KiB ");
  said = dse({"memory", "resnet8", "--device", tiny});
  EXPECT_EQ(said.exit, 4);
  EXPECT_THAT(said.out, AllOf(HasSubstr("shared phases, rings"), HasSubstr("whole layers do not fit: sram is "),
                              HasSubstr("nor do layers tiled by rule: ")));
  EXPECT_THAT(said.err, HasSubstr("nothing fits cortex-m7-class, neither layer by layer nor by phases"));
}

TEST(MemoryOnDevice, PhasesFitWhereLayersDoNot) {
  const Folder here;
  const auto small = device_with(here, "cortex-m7-class", "size: 1 MiB ", "size: 24 KiB ");
  const auto j = parsed({"memory", "resnet8", "--json", "--device", small})["device"];
  EXPECT_THAT(j["whole_layers_infeasible"].get<std::string>(), HasSubstr("sram is 24.0 KiB short"));
  EXPECT_TRUE(j["tiled_infeasible"].is_string());
  EXPECT_GT(j["by_phases_infeasible"].get<int>(), 0);
  ASSERT_GE(j["plans"].size(), 1U);
  for (const auto& p : j["plans"]) {
    EXPECT_LE(p["memories"]["sram"].get<int>(), 24 * 1024);
    EXPECT_EQ(p["verified"], true);
    EXPECT_TRUE(p["saved_percent"].is_null());
    EXPECT_TRUE(p["throughput_lost_percent"].is_null());
  }
}

}  // namespace
}  // namespace dse::test::memory_device_test
