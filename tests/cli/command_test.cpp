// Commands that need no simulation: exit codes, and what is said on which stream.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::command_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string configs = std::string(DSE_SOURCE_DIR) + "/configs";

/// The folder of reference files, or empty where there is none.
std::string shared() {
  const char* set = std::getenv("DSE_SHARED");
  const std::string folder = set ? set : std::string(DSE_SOURCE_DIR) + "/../shared";
  return std::filesystem::is_directory(folder) ? folder : "";
}

TEST(Command, VersionAndHelpGoToStdout) {
  const auto version = dse({"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_THAT(version.out, StartsWith("dse "));
  EXPECT_THAT(version.err, IsEmpty());
  const auto help = dse({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* command :
       {"run", "explain", "export", "simulate", "choices", "validate", "inspect", "infer", "schema"})
    EXPECT_THAT(help.out, HasSubstr(command));
}

TEST(Command, WrongUsageIsTwo) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"nonsense"},
                                                                     {"inspect"},
                                                                     {"inspect", "resnet8", "--nonsense"},
                                                                     {"schema", "nonsense"},
                                                                     {"infer", "resnet8", "-o", "x"},
                                                                     {"run", "resnet8", "-o", "x"}}) {
    const auto said = dse(arguments);
    EXPECT_EQ(said.exit, 2) << said.err;
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_NE(said.err, "");
  }
}

TEST(Command, UnknownNetworksAreNamedWithWhatThereIs) {
  const auto said = dse({"inspect", "resnet9"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.out, IsEmpty());
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("error: no network is named 'resnet9'; did you mean resnet8?"), HasSubstr("ds-cnn")));
}

TEST(Command, InspectCountsWhatTheNetworkHolds) {
  const auto said = dse({"inspect", "resnet8", "--json"});
  ASSERT_EQ(said.exit, 0) << said.err;
  const auto j = json::parse(said.out);
  EXPECT_EQ(j["macs"], 12501632);  // MLPerf Tiny's image classification network
  EXPECT_EQ(j["operators"], 16);
  std::int64_t macs = 0;
  for (const auto& l : j["layers"]) macs += l["macs"].get<std::int64_t>();
  EXPECT_EQ(macs, j["macs"].get<std::int64_t>());
  EXPECT_EQ(j["layers"][0]["parameters"], 16 * 3 * 3 * 3 + 16);
  EXPECT_EQ(dse({"inspect", "resnet8"}).exit, 0);
}

TEST(Command, ADamagedModelIsAnErrorWithItsFile) {
  const auto folder = shared();
  if (folder.empty()) GTEST_SKIP() << "no reference files: set DSE_SHARED";
  const auto whole = read(folder + "/models/tflite/mlptiny_ic_resnet8_int8.tflite");
  ASSERT_GT(whole.size(), 1000u);
  const Folder here;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{6}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    const auto file = here.write("cut.tflite", whole.substr(0, size));
    const auto said = dse({"inspect", file});
    EXPECT_EQ(said.exit, 3) << size;
    EXPECT_THAT(said.err, AllOf(HasSubstr("cut.tflite"), HasSubstr("error: "))) << size;
    EXPECT_THAT(said.out, IsEmpty());
  }
}

TEST(Command, InferEqualsTheReferenceTensorByTensor) {
  const auto folder = shared();
  if (folder.empty()) GTEST_SKIP() << "no reference files: set DSE_SHARED";
  const Folder here;
  const auto golden = folder + "/golden/tflite/mlptiny_kws_dscnn_int8/seed0";
  const auto said = dse({"infer", folder + "/models/tflite/mlptiny_kws_dscnn_int8.tflite", "--input",
                         golden + "/input0.bin", "-o", here / "out", "--tensors"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_EQ(read(here / "out/output0.bin"), read(golden + "/output0.bin"));
  auto expected = json::parse(read(golden + "/tensors.json"));
  expected.erase("seed");
  for (auto& t : expected["tensors"]) t.erase("file_offset");
  EXPECT_EQ(json::parse(read(here / "out/tensors.json")), expected);
}

TEST(Command, InferRefusesInputsOfTheWrongSize) {
  const Folder here;
  const auto said = dse({"infer", "resnet8", "--input", here.write("in.bin", "123"), "-o", here / "out"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, AllOf(HasSubstr("in.bin: error: has 3 bytes"), HasSubstr("3072 bytes")));
  EXPECT_FALSE(std::filesystem::exists(here / "out"));
}

TEST(Command, ValidateTellsTheKindOfEveryShippedFile) {
  std::vector<std::string> arguments = {"validate"};
  for (const char* folder : {"devices", "networks", "sweeps"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(configs + "/" + folder))
      if (entry.path().extension() == ".yaml") arguments.push_back(entry.path().string());
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("resnet8.yaml: network resnet8"), HasSubstr("gap8-class.yaml: device gap8-class"),
                    HasSubstr("quickstart.yaml: sweep of 1 network on 1 device point")));
}

TEST(Command, ValidateReportsARepeatedKeyWithItsLine) {
  const Folder here;
  const auto file = here.write("sweep.yaml", "networks: [resnet8]\ndevices: [gap8-class]\nnetworks: [ds-cnn]\n");
  const auto said = dse({"validate", file});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.out, IsEmpty());
  EXPECT_THAT(said.err, HasSubstr("sweep.yaml:3:1: error: the key 'networks' is given twice"));
}

TEST(Command, ValidateFindsBadAxesAndFilesOfASweep) {
  const Folder here;
  const auto file = here.write(
      "sweep.yaml",
      "networks: [resnet8, gone.yaml]\ndevices:\n  - base: gap8-class\n    axes: {memories.l9.size: [1 KiB]}\n");
  EXPECT_THAT(dse({"validate", file}).err, HasSubstr("network file 'gone.yaml' does not exist"));
  const auto axes = here.write("axes.yaml",
                               "networks: [resnet8]\ndevices:\n  - base: gap8-class\n    axes: {memories.l9.size: [1 "
                               "KiB], memories.l1.size: [1 Kilo]}\n");
  const auto said = dse({"validate", axes});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, AllOf(HasSubstr("axes.yaml:4:"), HasSubstr("l9"), HasSubstr("1 Kilo")));
}

TEST(Command, CommittedSchemasAreUpToDate) {
  for (const char* kind : {"sweep", "device", "network", "plan", "npu", "limits"}) {
    const auto said = dse({"schema", kind});
    EXPECT_EQ(said.exit, 0);
    EXPECT_EQ(said.out, read(configs + "/schema/" + kind + ".json"))
        << "dse schema " << kind << " > configs/schema/" << kind << ".json";
    EXPECT_TRUE(json::accept(said.out));
  }
}

}  // namespace
}  // namespace dse::test::command_test
