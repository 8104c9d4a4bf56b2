// dse branches: text, JSON, limits, and what it says to wrong input.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string example = std::string(DSE_SOURCE_DIR) + "/tests/plan/branch/graphs/two_branches.dag";

json branches(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"branches", example, "--json"});
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  return json::parse(said.out);
}

TEST(Branches, EveryModelHasItsOptimum) {
  const std::vector<std::pair<std::string, int>> optima = {
      {"named-buffers", 190000}, {"named-buffers-free", 185000}, {"direct-to-scratch", 150000}, {"liveness", 150000}};
  for (const auto& [model, bytes] : optima) {
    const auto j = branches({"--model", model});
    EXPECT_EQ(j["model"], model);
    EXPECT_EQ(j["peak_bytes"], bytes) << model;
    EXPECT_EQ(j["lower_bound_bytes"], bytes) << model;
    EXPECT_EQ(j["optimal"], true);
    EXPECT_EQ(j["order"], json({"B", "C1", "C2", "D1", "D2", "D3", "A"}));
    EXPECT_EQ(j["candidates"].size(), 10u);
  }
}

TEST(Branches, SizesAddUpInEveryCandidate) {
  for (const std::string model : {"named-buffers", "direct-to-scratch"}) {
    for (const auto& candidate : branches({"--model", model})["candidates"]) {
      std::int64_t sum = 0;
      for (const auto& bytes : candidate["operational_bytes"]) sum += bytes.get<std::int64_t>();
      for (const auto& buffer : candidate["scratch"]) sum += buffer["bytes"].get<std::int64_t>();
      EXPECT_EQ(candidate["peak_bytes"], sum);
      EXPECT_EQ(candidate["steps"].size(), 7u);
    }
  }
}

TEST(Branches, OptionsChangeTheRules) {
  EXPECT_EQ(branches({"--whole-branches"})["candidates"].size(), 2u);
  EXPECT_EQ(branches({"--own-scratch"})["shared_scratch"], false);
  EXPECT_EQ(branches({"--candidates", "0"})["candidates"].size(), 2u);
  const auto operational = branches({"--objective", "operational"});
  EXPECT_EQ(operational["cost_bytes"].get<std::int64_t>(), operational["operational_bytes"][0].get<std::int64_t>() +
                                                               operational["operational_bytes"][1].get<std::int64_t>());
}

TEST(Branches, LivenessHasOffsets) {
  const auto arena = branches({"--model", "liveness"})["arena"];
  EXPECT_EQ(arena["bytes"], 150000);
  EXPECT_EQ(arena["optimal"], true);
  EXPECT_EQ(arena["offsets"].size(), 6u);
}

TEST(Branches, ALimitIsKeptOrSaidToBeImpossible) {
  const auto enough = branches({"--limit", "225000"});
  EXPECT_LE(enough["peak_bytes"].get<std::int64_t>(), 225000);
  EXPECT_EQ(enough["limit_bytes"], 225000);
  const auto said = dse({"branches", example, "--limit", "189999"});
  EXPECT_EQ(said.exit, 4);
  EXPECT_THAT(said.err, HasSubstr("no order needs at most 189,999 bytes: the best needs 190,000 bytes"));
  EXPECT_EQ(dse({"branches", example, "--limit", "190000"}).exit, 0);
}

TEST(Branches, NetworksAreGraphsToo) {
  const auto said = dse({"branches", "resnet8", "--model", "liveness"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("resnet8: 17 nodes"), HasSubstr("(direct skip)"),
                              HasSubstr("best: 49,152 bytes, proven optimal")));
}

TEST(Branches, WrongInputIsTold) {
  const Folder folder;
  const auto file = folder.write("wrong.dag", "T x 1\nOP 0 Relu y x\n");
  const auto said = dse({"branches", file});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err,
              AllOf(HasSubstr("wrong.dag:2:11: error: no tensor 'y'"), HasSubstr("'x' is read before it is made")));
  EXPECT_EQ(dse({"branches", folder / "none.dag"}).exit, 3);
  EXPECT_EQ(dse({"branches", "no-such-network"}).exit, 3);
  EXPECT_EQ(dse({"branches", example, "--model", "other"}).exit, 2);
  EXPECT_EQ(dse({"branches", example, "--limit", "-1"}).exit, 2);
  EXPECT_EQ(dse({"branches", example, "--model", "direct-to-scratch", "--objective", "operational"}).exit, 2);
  EXPECT_EQ(dse({"branches", example, "--model", "liveness", "--objective", "operational"}).exit, 2);
  EXPECT_EQ(dse({"branches"}).exit, 2);
}

}  // namespace
}  // namespace dse::test
