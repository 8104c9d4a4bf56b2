// --set: fields of the device from the command line, wherever a device is taken, and kept by the run's folder.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::set_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const char* const two_layers =
    "format: 1\nname: two\ninput: {shape: [1, 16]}\nlayers:\n  - fully_connected: {units: 8}\n  - fully_connected: "
    "{units: 4}\n";

TEST(Set, ARunKeepsWhatWasSet) {
  const Folder here;
  const auto network = here.write("two.yaml", two_layers);
  const auto out = here / "out";
  const auto said = dse({"run", network, "--device", "cortex-m7-class", "--set", "engines.core.dispatch=900 cycles",
                         "--set", "memories.sram.size=64KiB", "-o", out, "--jobs", "1"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const std::string label = "cortex-m7-class/core.dispatch=900cycles/sram=64KiB";
  const auto front = json::parse(read(out + "/results.json"))["fronts"][0];
  EXPECT_EQ(front["device"], label);
  EXPECT_EQ(front["axes"]["memories.sram.size"], "64KiB");
  const auto csv = read(out + "/front.csv");
  EXPECT_THAT(csv, AllOf(HasSubstr("segments,area_mm2,across,infeasible_reason,ram_bytes,flash_bytes,engines.core."
                                   "dispatch,memories.sram.size\n"),
                         HasSubstr(",900 cycles,64KiB\n")));
  EXPECT_THAT(dse({"explain", out, "--point", "fastest"}).out, HasSubstr(label));
  EXPECT_EQ(dse({"export", out, "--point", "fastest", "-o", here / "package"}).exit, 0);
  const auto resumed = dse({"run", "--resume", "-o", out});
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(read(out + "/front.csv"), csv);
  // The plan belongs to the device as it was set, and to no other.
  const auto plan = out + "/" + front["points"][0]["plan"].get<std::string>();
  const std::vector<std::string> simulate = {"simulate", "-n", network, "-d", "cortex-m7-class", "-p", plan, "--json"};
  EXPECT_EQ(dse(simulate).exit, 3);
  auto with = simulate;
  with.insert(with.end(), {"--set", "engines.core.dispatch=900 cycles", "--set", "memories.sram.size=64KiB"});
  const auto simulated = dse(with);
  ASSERT_EQ(simulated.exit, 0) << simulated.err;
  EXPECT_EQ(json::parse(simulated.out)["latency_cycles"], front["points"][0]["latency_cycles"]);
}

TEST(Set, GoesBeforeAnAxisOfTheSweep) {
  const Folder here;
  here.write("two.yaml", two_layers);
  const auto sweep = here.write("s.yaml",
                                "networks: [two.yaml]\ndevices: [{base: gap8-class, axes: {memories.l1.size: [16 KiB, "
                                "32 KiB]}}]\n");
  EXPECT_EQ(json::parse(dse({"run", sweep, "--dry-run", "--json"}).out)["device_points"], 2);
  const auto j = json::parse(dse({"run", sweep, "--dry-run", "--json", "--set", "memories.l1.size=8 KiB"}).out);
  EXPECT_EQ(j["device_points"], 1);
  EXPECT_EQ(j["cases"][0]["device"], "gap8-class/l1=8KiB");
}

TEST(Set, AWrongPathSaysWhatThereIs) {
  const Folder here;
  const auto network = here.write("two.yaml", two_layers);
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"run", network, "--device", "gap8-class", "--dry-run"},
                                             {"memory", network, "--device", "gap8-class"},
                                             {"choices", network, "--device", "gap8-class"},
                                             {"simulate", "-n", network, "-d", "gap8-class", "--stdin"}}) {
    const auto with = [&](const std::string& text) {
      auto arguments = command;
      arguments.insert(arguments.end(), {"--set", text});
      return dse(arguments);
    };
    const auto unknown = with("memories.l1.widht=16B/cycle");
    EXPECT_EQ(unknown.exit, 3) << command[0];
    EXPECT_THAT(unknown.err, AllOf(HasSubstr("--set: error: override 'memories.l1.widht': no such path: memories.l1 "
                                             "has no 'widht'"),
                                   HasSubstr("did you mean width?")))
        << command[0];
    EXPECT_THAT(with("memories.l9.size=1KiB").err, HasSubstr("no such path: memories has no 'l9'")) << command[0];
    EXPECT_THAT(with("memories.l1.width=fast").err, HasSubstr("--set: error: memories.l1.width: ")) << command[0];
    EXPECT_THAT(with("nonsense").err, HasSubstr("--set: error: 'nonsense' sets nothing")) << command[0];
  }
}

TEST(Set, ReachesEveryCommandThatTakesADevice) {
  const Folder here;
  const auto network = here.write("two.yaml", two_layers);
  const std::string tiny = "memories.sram.size=8 B";
  EXPECT_EQ(dse({"memory", network, "--device", "cortex-m7-class"}).exit, 0);
  EXPECT_EQ(dse({"run", network, "--device", "cortex-m7-class", "--set", tiny, "-o", here / "o"}).exit, 4);
  const auto choices = dse({"choices", network, "--device", "gap8-class"}).out;
  EXPECT_NE(dse({"choices", network, "--device", "gap8-class", "--set", "io=l1"}).out, choices);
}

}  // namespace
}  // namespace dse::test::set_test
