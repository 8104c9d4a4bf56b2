// Limits that cannot be kept, and names given twice: one clear reason, the right exit code, nothing stored.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::limits_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const char* const tiny = R"(format: 1
name: tiny
input: {shape: [1, 8, 8, 4]}
layers:
  - conv: {name: stem, filters: 8, kernel: 3}
  - depthwise: {kernel: 3}
)";

class Limits : public testing::Test {
 protected:
  void SetUp() override { network = here.write("tiny.yaml", tiny); }
  std::string sweep(const std::string& axes, const std::string& explore, const std::string& base = "gap8-class") const {
    return here.write("sweep.yaml", "networks: [tiny.yaml]\ndevices:\n  - base: " + base + "\n" + axes + explore);
  }
  Folder here;
  std::string network;
};

// On gap9, which has no CPU that would run all of it from L2.
TEST_F(Limits, OneByteOfL1NamesTheLayerAndTheMemory) {
  const auto limit = dse({"run", network, "--device", "gap9", "--limit", "l1=1B", "-o", here / "out"});
  EXPECT_EQ(limit.exit, 4);
  EXPECT_THAT(limit.out, AllOf(HasSubstr("no feasible plan: "), HasSubstr("l1"), HasSubstr("layer stem")));
  EXPECT_FALSE(std::filesystem::exists(here / "out/results.json"));
  const auto why = nlohmann::json::parse(read(here / "out/infeasible.json"));
  const auto& least = why.at("fronts").at(0).at("least").at(0);
  EXPECT_EQ(least.at("metric"), "memories.l1.peak");
  EXPECT_EQ(least.at("limit"), 1);
  const auto enough = std::to_string(least.at("alone").at("value").get<std::int64_t>());
  EXPECT_EQ(dse({"run", network, "--device", "gap9", "--limit", "l1=" + enough + "B", "-o", here / "enough"}).exit, 0);
}

TEST_F(Limits, AnAxisBelowWhatIsReservedIsInfeasibleAndNotWrong) {
  const auto alone = dse({"run", sweep("    axes: {memories.l1.size: [1 B]}\n", "", "gap9"), "-o", here / "out"});
  EXPECT_EQ(alone.exit, 4) << alone.err;
  EXPECT_THAT(alone.out, AllOf(HasSubstr("gap9/l1=1B: no feasible plan: "), HasSubstr("layer stem"),
                               HasSubstr("l1 has 0 bytes free")));
  const auto beside =
      dse({"run", sweep("    axes: {memories.l1.size: [1 B, 64 KiB]}\n", "", "gap9"), "-o", here / "both"});
  EXPECT_EQ(beside.exit, 0) << beside.err;  // one point without an answer does not take the other's away
  EXPECT_THAT(read(here / "both/front.csv"), AllOf(HasSubstr("l1=64KiB"), HasSubstr("front")));
}

TEST_F(Limits, WhatRunsWithoutTheMemoryIsAPlan) {
  const auto said = dse({"run", network, "--device", "gap8-class", "--limit", "l1=1B", "-o", here / "out"});
  EXPECT_EQ(said.exit, 0) << said.err;  // the interpreter's way, from L2
  EXPECT_THAT(said.out, HasSubstr("all its points were made by rule"));
}

TEST_F(Limits, AFileThatReservesMoreThanThereIsIsWrong) {
  auto device = read(std::string(DSE_SOURCE_DIR) + "/configs/devices/gap8-class.yaml");
  const std::string size = "size: 64 KiB";
  const auto at = device.find(size);
  ASSERT_NE(at, std::string::npos);
  device.replace(at, size.size(), "size: 16 KiB");
  const auto said = dse({"validate", here.write("device.yaml", device)});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("reserves 28 KiB of 16 KiB"));
}

TEST_F(Limits, WhatNoPlanKeepsIsSaidWithTheLeastThatWasFound) {
  const auto memory = dse({"run", network, "--device", "gap8-class", "--limit", "memory=1B", "-o", here / "out"});
  EXPECT_EQ(memory.exit, 4);
  EXPECT_THAT(memory.out, HasSubstr("no plan meets memory <= 1 bytes: the least found is "));
  const auto latency = dse({"run", network, "--device", "gap8-class", "--deadline", "1ns", "-o", here / "out"});
  EXPECT_EQ(latency.exit, 4);
  EXPECT_THAT(latency.out, HasSubstr("no plan meets latency <= 1 ns: the least found is "));
}

TEST_F(Limits, OneMetricLimitedTwiceIsStoredOnceAtTheTighter) {
  const auto file = sweep("", "explore:\n  constraints: {memories.l1.peak: \"<= 20 KiB\"}\n");
  ASSERT_EQ(dse({"run", file, "--limit", "l1=16KiB", "--limit", "l1=17KiB", "-o", here / "out"}).exit, 0);
  EXPECT_THAT(read(here / "out/sweep.yaml"),
              AllOf(HasSubstr("<= 16 KiB"), Not(HasSubstr("<= 20 KiB")), Not(HasSubstr("<= 17 KiB"))));
  EXPECT_EQ(dse({"validate", here / "out/sweep.yaml"}).exit, 0);
}

TEST_F(Limits, KeysGivenTwiceAreRefusedInEveryKindOfFile) {
  const std::string device = read(std::string(DSE_SOURCE_DIR) + "/configs/devices/gap8-class.yaml");
  const auto in_network = dse({"validate", here.write("n.yaml", std::string(tiny) + "name: other\n")});
  const auto in_device = dse({"validate", here.write("d.yaml", device + "\nname: other\n")});
  const auto in_sweep = dse({"validate", sweep("", "explore:\n  front_points: 1\n  front_points: 2\n")});
  ASSERT_EQ(dse({"run", network, "--device", "gap8-class", "-o", here / "out"}).exit, 0);
  const auto plan = read(std::filesystem::directory_iterator(here / "out/plans")->path().string());
  const auto in_plan =
      dse({"simulate", "-n", network, "-d", "gap8-class", "-p", here.write("p.yaml", plan + "origin: other\n")});
  for (const auto* said : {&in_network, &in_device, &in_sweep, &in_plan}) {
    EXPECT_EQ(said->exit, 3);
    EXPECT_THAT(said->err, HasSubstr("given twice"));
    EXPECT_THAT(said->out, IsEmpty());
  }
}

TEST_F(Limits, TheNumberOfWorkersChangesNothing) {
  EXPECT_EQ(dse({"run", network, "-d", "gap8-class", "-o", here / "none", "--jobs", "0"}).exit, 2);
  ASSERT_EQ(dse({"run", network, "-d", "gap8-class", "-o", here / "one", "--jobs", "1"}).exit, 0);
  ASSERT_EQ(dse({"run", network, "-d", "gap8-class", "-o", here / "many", "--jobs", "64"}).exit, 0);
  EXPECT_EQ(read(here / "one/front.csv"), read(here / "many/front.csv"));
}

TEST_F(Limits, FoldersThatCannotBeUsedAreNamed) {
  const auto file = here.write("file", "");
  for (const auto& out : {file, file + "/below"}) {
    const auto said = dse({"run", network, "-d", "gap8-class", "-o", out});
    EXPECT_EQ(said.exit, 1);
    EXPECT_THAT(said.err, HasSubstr(out + ": is no folder"));
  }
  std::filesystem::create_directory(here / "out");
  here.write("out/study.sqlite", "this was never a database, and is long enough to tell");
  const auto study = dse({"run", network, "-d", "gap8-class", "-o", here / "out"});
  EXPECT_EQ(study.exit, 3);
  EXPECT_THAT(study.err, AllOf(HasSubstr(here / "out/study.sqlite"), HasSubstr("remove it")));
}

}  // namespace
}  // namespace dse::test::limits_test
