// dse --cut: offered where a network cannot run to its end, carried by the run's folder, told wherever it is shown.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/verify/detector.h"

namespace dse::test::cut_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::string detector(const Folder& folder) {
  const auto bytes = detector_file();
  return folder.write("detector.tflite", std::string(bytes.begin(), bytes.end()));
}

const char* const kHost =
    "2 operators are the host's: before the device mul0 (MUL); after the device other0 (CUSTOM "
    "'TFLite_Detection_PostProcess')";

TEST(Cut, IsOfferedWhereNotAllCanRun) {
  const Folder folder;
  const auto file = detector(folder);
  const std::vector<std::vector<std::string>> commands = {
      {"run", file, "--device", "gap8-class", "--dry-run"},
      {"simulate", "--network", file, "--device", "gap8-class", "--stdin"},
      {"choices", file, "--device", "gap8-class"},
      {"validate", file}};
  for (const auto& command : commands) {
    const auto said = dse(command);
    EXPECT_EQ(said.exit, 3) << command[0];
    EXPECT_THAT(said.err, AllOf(HasSubstr("note: 10 of 12 operators can run on a device"), HasSubstr("hint: --cut")))
        << command[0];
  }
  const auto memory = dse({"memory", file, "--device", "gap8-class"});
  EXPECT_EQ(memory.exit, 3);
  EXPECT_THAT(memory.err, HasSubstr("--cut plans what can run"));
}

TEST(Cut, IsToldByCommandsThatLook) {
  const Folder folder;
  const auto file = detector(folder);
  const auto text = dse({"inspect", file, "--cut"});
  ASSERT_EQ(text.exit, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("cut off, the host's: 2 operators of 12"), HasSubstr("before  mul0 (MUL)"),
                              HasSubstr("cannot be run: none")));
  const auto j = json::parse(dse({"inspect", file, "--cut", "--json"}).out);
  ASSERT_EQ(j.at("host").size(), 2u);
  EXPECT_EQ(j["host"][1]["runs"], "after");
  EXPECT_THAT(dse({"inspect", file}).out, HasSubstr("cannot be run: 1 operator of 12"));
  const auto memory = dse({"memory", file, "--cut", "--device", "cortex-m7-class"});
  EXPECT_EQ(memory.exit, 0) << memory.err;
  const auto inferred = dse({"infer", file, "--cut", "--seed", "1", "-o", folder / "inferred"});
  ASSERT_EQ(inferred.exit, 0) << inferred.err;
  EXPECT_EQ(read(folder / "inferred/output0.bin").size(), 72u * 4 * 4);
  EXPECT_EQ(read(folder / "inferred/output1.bin").size(), 72u * 3 * 4);
}

/// A run of the part, small enough to wait for.
Said small_run(const Folder& folder, const std::string& file, const std::string& out) {
  const auto sweep = folder.write("sweep.yaml", "format: 1\nnetworks: [" + file +
                                                    "]\ncut: true\ndevices: [cortex-m7-class]\n"
                                                    "explore: {by_phases: false, budget: {simulations: 8}}\n");
  return dse({"run", sweep, "-o", out, "--jobs", "1"});
}

TEST(Cut, BelongsToTheRun) {
  const Folder folder;
  const auto out = folder / "out";
  const auto said = small_run(folder, detector(folder), out);
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(kHost));
  EXPECT_THAT(read(out + "/sweep.yaml"), HasSubstr("cut: true"));
  const auto results = json::parse(read(out + "/results.json"));
  EXPECT_THAT(results["fronts"][0]["notes"].dump(), HasSubstr(kHost));
  EXPECT_THAT(read(out + "/report.html"), HasSubstr("operators are the host"));
  const auto explained = dse({"explain", out});
  EXPECT_EQ(explained.exit, 0) << explained.err;
  EXPECT_EQ(dse({"diff", out, out}).exit, 0);
  const auto again = dse({"run", "--resume", "-o", out, "--jobs", "1"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_THAT(read(out + "/sweep.yaml"), HasSubstr("cut: true"));
  const auto package = folder / "package";
  const auto exported = dse({"export", out, "-o", package});
  ASSERT_EQ(exported.exit, 0) << exported.err;
  EXPECT_THAT(read(package + "/README.md"),
              AllOf(HasSubstr("## The host's part"), HasSubstr("TFLite_Detection_PostProcess"), HasSubstr("mul0")));
  EXPECT_EQ(json::parse(read(package + "/manifest.json"))["network"]["host"].size(), 2u);
  EXPECT_EQ(try_package(package), "");
}

const char* const kPriced =
    "2 operators are priced, not computed: mul0 (MUL) 500 cycles, other0 (CUSTOM 'TFLite_Detection_PostProcess') 40000 "
    "cycles";

TEST(Cost, IsAcceptedWhereverNetworksAreRead) {
  const Folder folder;
  const auto file = detector(folder);
  const std::vector<std::string> costs = {"--cost", "MUL=500", "--cost", "TFLite_Detection_PostProcess=40000"};
  const auto with_costs = [&](std::vector<std::string> command) {
    command.insert(command.end(), costs.begin(), costs.end());
    return dse(command);
  };
  const auto checked = with_costs({"validate", file});
  EXPECT_THAT(checked.out + checked.err, HasSubstr(kPriced));
  EXPECT_THAT(with_costs({"inspect", file}).out, HasSubstr("2 operators are priced, not computed"));
  const auto j = json::parse(with_costs({"inspect", file, "--json"}).out);
  ASSERT_EQ(j.at("priced").size(), 2u);
  EXPECT_EQ(j["priced"][1]["cycles"], 40000);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"memory", file, "--device", "cortex-m7-class"},
                                             {"choices", file, "--device", "gap8-class"},
                                             {"order", file},
                                             {"run", file, "--device", "gap8-class", "--dry-run"},
                                             {"infer", file, "--seed", "1", "-o", folder / "inferred"}}) {
    const auto said = with_costs(command);
    EXPECT_EQ(said.exit, 0) << command[0] << ": " << said.err;
  }
  const auto slip = dse({"validate", file, "--cost", "MULL=1"});
  EXPECT_EQ(slip.exit, 3);
  EXPECT_THAT(slip.err, HasSubstr("did you mean MUL?"));
  EXPECT_EQ(dse({"validate", file, "--cost", "MUL"}).exit, 2);
  EXPECT_THAT(dse({"validate", file}).err, HasSubstr("--cost OPERATOR=CYCLES"));
}

TEST(Cost, BelongsToTheRunAndIsNotExported) {
  const Folder folder;
  const auto file = detector(folder), out = folder / "out";
  const auto sweep = folder.write(
      "sweep.yaml", "format: 1\nnetworks: [" + file +
                        "]\ncosts: {MUL: 500, TFLite_Detection_PostProcess: 40000}\ndevices: [cortex-m7-class]\n"
                        "explore: {budget: {simulations: 8}}\n");
  const auto said = dse({"run", sweep, "-o", out, "--jobs", "1"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(kPriced));
  EXPECT_THAT(json::parse(read(out + "/results.json"))["fronts"][0]["notes"].dump(), HasSubstr("priced, not computed"));
  EXPECT_THAT(read(out + "/report.html"), HasSubstr("priced, not computed"));
  EXPECT_THAT(read(out + "/sweep.yaml"), HasSubstr("TFLite_Detection_PostProcess: 40000"));
  EXPECT_EQ(dse({"explain", out}).exit, 0);
  EXPECT_EQ(dse({"diff", out, out}).exit, 0);
  const auto again = dse({"run", "--resume", "-o", out, "--jobs", "1"});
  EXPECT_EQ(again.exit, 0) << again.err;
  const auto exported = dse({"export", out, "-o", folder / "package"});
  EXPECT_EQ(exported.exit, 3);
  EXPECT_THAT(exported.err, AllOf(HasSubstr("cannot be exported"), HasSubstr("TFLite_Detection_PostProcess")));
}

TEST(Cut, AnswersAssignments) {
  const Folder folder;
  const auto file = detector(folder), lines = folder.write("lines", "{}\n");
  const auto command = std::string("'") + DSE_PROGRAM + "' simulate --network '" + file +
                       "' --device gap8-class --cut --stdin --verify < '" + lines + "' > '" + folder / "said" + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(read(folder / "said"), HasSubstr("\"status\":\"ok\""));
}

}  // namespace
}  // namespace dse::test::cut_test
