// Choices of the layers on devices with an NPU: refused by name and place, and none of them is listed.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/process.h"

namespace dse::test::npu_choices_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string sweep(const std::string& devices, const std::string& choice) {
  return "format: 1\nnetworks: [ds-cnn]\ndevices: [" + devices + "]\nexplore:\n  choices:\n    " + choice +
         "\n  budget: {simulations: 6}\n";
}

TEST(NpuChoices, ThatNoDeviceHasAreErrorsWithTheirPlace) {
  const Folder here;
  for (const std::string choice :
       {"scheme: planar", "conv1.tile: 4", "network.input: kept", "prefetch: \"yes\"", "buffering: [single, double]"}) {
    here.write("sweep.yaml", sweep("corstone-u55, alif-ensemble-he", choice));
    const auto said = dse({"run", "sweep.yaml", "-o", "out"}, here.path());
    EXPECT_EQ(said.exit, 3) << choice;
    EXPECT_THAT(said.err, AllOf(HasSubstr("sweep.yaml:6:5: error: choices." + choice.substr(0, choice.find(':')) +
                                          ": no device has this choice"),
                                HasSubstr("npu.rule"), HasSubstr("block and weights")));
    EXPECT_EQ(dse({"run", "sweep.yaml", "--dry-run"}, here.path()).exit, 3) << choice;
  }
  for (const std::string choice : {"network.input: released", "network.order: file", "network.order: searched"}) {
    here.write("sweep.yaml", sweep("corstone-u55", choice));
    const auto said = dse({"run", "sweep.yaml", "-o", "out-" + choice.substr(choice.find(' ') + 1)}, here.path());
    EXPECT_EQ(said.exit, 0) << choice << said.err;
  }
}

TEST(NpuChoices, AreListedInsteadOfTheCpus) {
  const auto listed = dse({"choices", "ds-cnn", "--device", "corstone-u55", "--json"});
  ASSERT_EQ(listed.exit, 0) << listed.err;
  std::set<std::string> names;
  const auto j = nlohmann::json::parse(listed.out);
  for (const auto& c : j["choices"]) {
    const auto name = c["name"].get<std::string>();
    names.insert(name);
    EXPECT_TRUE(name.starts_with("npu.") || name.ends_with(".block") || name.ends_with(".weights")) << name;
  }
  for (const char* name : {"npu.rule", "npu.limit", "npu.formats", "conv1.block", "conv1.weights"})
    EXPECT_EQ(names.count(name), 1u) << name;
  const auto text = dse({"choices", "ds-cnn", "--device", "corstone-u55"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("  npu.rule: "), HasSubstr("  block: "), Not(HasSubstr("scheme"))));
}

}  // namespace
}  // namespace dse::test::npu_choices_test
