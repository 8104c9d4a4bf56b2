// dse memory and dse csdf: columns, plans, graphs there and back, and input that is wrong.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::cli_phases_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string example = DSE_SOURCE_DIR "/tests/cli/phases/example41.layers.yaml";

json parsed(const std::vector<std::string>& arguments) {
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  return said.exit == 0 ? json::parse(said.out) : json();
}

TEST(Memory, JsonHasTheColumnsAndThePlansBehindThem) {
  const auto j = parsed({"memory", "resnet8", "--json"});
  EXPECT_EQ(j["layers"], 16);
  EXPECT_EQ(j["layer_by_layer"], 49152);
  EXPECT_LE(j["thesis_lower_bound"].get<int>(), j["thesis_result"].get<int>());
  EXPECT_LE(j["thesis_result"].get<int>(), j["thesis_lazy"].get<int>());
  EXPECT_EQ(j["footprint"]["naive"].get<int>(), j["naive"].get<int>() + j["parameters"].get<int>());
  int phases = 0, rings = 0, whole = 0, reused = 0;
  for (const auto& l : j["plans"]["layers"])
    if (!l["input"].get<bool>()) phases += l["phases"].get<int>();
  for (const auto& b : j["plans"]["phase_buffers"])
    rings += b["bytes"].get<int>(), whole += b["whole_bytes"].get<int>();
  for (const auto& b : j["plans"]["reuse"]["buffer_bytes"]) reused += b.get<int>();
  EXPECT_EQ(phases, j["phases"].get<int>());
  EXPECT_EQ(rings, j["thesis_result"].get<int>());
  EXPECT_EQ(whole, j["naive"].get<int>());
  EXPECT_EQ(reused, j["buffer_reuse"].get<int>());
  EXPECT_EQ(j["plans"]["layer_order"].size(), 16U);
}

TEST(Memory, SharedPhasesWithTheirPlans) {
  const auto j = parsed({"memory", "resnet8", "--json"});
  EXPECT_LE(j["shared_phases_load"].get<int>(), j["shared_phases"].get<int>());
  EXPECT_LE(j["shared_phases"].get<int>(), j["shared_phases_rings"].get<int>());
  EXPECT_LT(j["shared_phases_rings"].get<int>(), j["layer_by_layer"].get<int>());
  EXPECT_EQ(j["footprint"]["shared_phases"].get<int>(), j["shared_phases"].get<int>() + j["parameters"].get<int>());
  for (const auto* plan : {"shared_phases", "shared_phases_rings"}) {
    const auto& p = j["plans"][plan];
    EXPECT_EQ(p["arena"], j[plan]);
    std::size_t layers = 0;
    for (const auto& s : p["segments"]) layers += s["layers"].size();
    EXPECT_EQ(layers, 16U);
    int end = 0;
    for (const auto& b : p["blocks"]) end = std::max(end, b["offset"].get<int>() + b["bytes"].get<int>());
    EXPECT_GE(end, p["arena"].get<int>());  // some buffers are never used up to their end
  }
  const auto load = [](const char* input) {
    return parsed({"memory", "resnet8", "--json", "--input", input})["shared_phases_load"].get<int>();
  };
  EXPECT_LE(load("streamed"), load("released"));
  EXPECT_LT(load("released"), load("kept"));
  EXPECT_EQ(dse({"memory", "resnet8", "--input", "gone"}).exit, 2);
  EXPECT_THAT(dse({"memory", "resnet8"}).out, AllOf(HasSubstr("shared phases, load"), HasSubstr("layers by phases: ")));
}

TEST(Memory, ElementsAndFusion) {
  const auto one = parsed({"memory", "mobilenet-v1-0.25-96", "--json"});
  const auto four =
      parsed({"memory", "mobilenet-v1-0.25-96", "--json", "--bytes-per-element", "4", "--fuse", "elementwise"});
  EXPECT_EQ(four["bytes_per_element"], 4);
  EXPECT_LE(four["layers"].get<int>(), one["layers"].get<int>());
  EXPECT_EQ(four["layer_by_layer"].get<int>(), 4 * one["layer_by_layer"].get<int>());
  EXPECT_EQ(dse({"memory", "resnet8", "--bytes-per-element", "3"}).exit, 2);
  EXPECT_EQ(dse({"memory", "resnet8", "--fuse", "all"}).exit, 2);
}

TEST(Memory, PhasesFromAFile) {
  const Folder here;
  here.write("ex2.yaml", "phases: [2, 2, 1, 1, 1]\n");
  EXPECT_EQ(parsed({"memory", example, "--json", "--phases", here / "ex2.yaml"})["thesis_result"], 1842);
  EXPECT_EQ(parsed({"memory", example, "--json"})["thesis_result"], 978);
  here.write("bad.yaml", "phases: [99, 2, 1, 1, 1]\n");
  const auto said = dse({"memory", example, "--phases", here / "bad.yaml"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("bad.yaml:1:9: error: layer 'l1' cannot have 99 phases"), HasSubstr("32 rows")));
  EXPECT_EQ(dse({"memory", "resnet8", "--phases", here / "absent.yaml"}).exit, 3);
}

TEST(Csdf, GraphsGoOutAndComeBack) {
  const Folder here;
  const auto out = parsed({"csdf", "resnet8", "--json", "-o", here / "graph.xml"});
  const auto back = parsed({"csdf", here / "graph.xml", "--json"});
  EXPECT_THAT(read(here / "graph.xml"), StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sdf3 "));
  EXPECT_EQ(out["firings"], back["firings"]);
  EXPECT_EQ(out["channels"], back["channels"]);
  EXPECT_EQ(back["buffers"].size(), back["channels"].get<std::size_t>());
  EXPECT_LT(out["result_bytes"].get<int>(), back["result_bytes"].get<int>());  // overlap within the buffers, or beside
}

TEST(Csdf, WrongGraphsAreRefused) {
  const Folder here;
  here.write("bad.xml", "<sdf3 type='csdf'>\n  <applicationGraph>\n</sdf3>\n");
  auto said = dse({"csdf", here / "bad.xml"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("bad.xml:3:1: error: </sdf3> closes another element than the one that is open"));
  const auto ring = [&](const std::string& rate, const std::string& tokens) {
    here.write("ring.xml",
               "<sdf3 type='csdf'><applicationGraph><csdf name='ring'>"
               "<actor name='a'><port name='o' type='out' rate='1'/><port name='i' type='in' rate='1'/></actor>"
               "<actor name='b'><port name='o' type='out' rate='" +
                   rate +
                   "'/><port name='i' type='in' rate='1'/></actor>"
                   "<channel name='x' srcActor='a' srcPort='o' dstActor='b' dstPort='i'/>"
                   "<channel name='y' srcActor='b' srcPort='o' dstActor='a' dstPort='i' initialTokens='" +
                   tokens +
                   "'/>"
                   "</csdf></applicationGraph></sdf3>");
    return dse({"csdf", here / "ring.xml"});
  };
  EXPECT_EQ(ring("1", "1").exit, 0);
  said = ring("2", "1");
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("ring.xml:1:314: error: channel 'y' does not balance"));
  said = ring("1", "0");
  EXPECT_EQ(said.exit, 4);
  EXPECT_THAT(said.out, HasSubstr("deadlock"));
}

}  // namespace
}  // namespace dse::test::cli_phases_test
