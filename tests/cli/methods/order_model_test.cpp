// dse order --model: text, JSON, limits, and what it says to wrong input.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace dse::test::order_model_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string example = std::string(DSE_SOURCE_DIR) + "/tests/methods/branch/graphs/two_branches.dag";

json ordered(const std::string& model, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {"order", example, "--json", "--model", model});
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.err, IsEmpty());
  return json::parse(said.out);
}

TEST(OrderModel, EveryModelHasItsOptimum) {
  const std::vector<std::pair<std::string, int>> optima = {
      {"named-buffers", 190000}, {"named-buffers-free", 185000}, {"direct-to-scratch", 150000}, {"liveness", 150000}};
  for (const auto& [model, bytes] : optima) {
    const auto j = ordered(model);
    EXPECT_EQ(j["model"], model);
    EXPECT_EQ(j["peak_bytes"], bytes) << model;
    EXPECT_EQ(j["lower_bound_bytes"], bytes) << model;
    EXPECT_EQ(j["optimal"], true);
    EXPECT_EQ(j["order"], json({0, 4, 5, 1, 2, 3, 6}));  // B C1 C2 D1 D2 D3 A
    EXPECT_EQ(j["candidates"].size(), 10u);
  }
}

TEST(OrderModel, SizesAddUpInEveryCandidate) {
  for (const std::string model : {"named-buffers", "direct-to-scratch"}) {
    for (const auto& candidate : ordered(model)["candidates"]) {
      std::int64_t sum = 0;
      for (const auto& bytes : candidate["operational_bytes"]) sum += bytes.get<std::int64_t>();
      for (const auto& buffer : candidate["scratch"]) sum += buffer["bytes"].get<std::int64_t>();
      EXPECT_EQ(candidate["peak_bytes"], sum);
      EXPECT_EQ(candidate["steps"].size(), 7u);
    }
  }
}

TEST(OrderModel, OptionsChangeTheRules) {
  EXPECT_EQ(ordered("named-buffers", {"--whole-branches"})["candidates"].size(), 2u);
  EXPECT_EQ(ordered("named-buffers", {"--own-scratch"})["shared_scratch"], false);
  EXPECT_EQ(ordered("named-buffers", {"--candidates", "0"})["candidates"].size(), 2u);
  const auto operational = ordered("named-buffers", {"--objective", "operational"});
  EXPECT_EQ(operational["cost_bytes"].get<std::int64_t>(), operational["operational_bytes"][0].get<std::int64_t>() +
                                                               operational["operational_bytes"][1].get<std::int64_t>());
}

TEST(OrderModel, LivenessHasOffsets) {
  const auto arena = ordered("liveness")["arena"];
  EXPECT_EQ(arena["bytes"], 150000);
  EXPECT_EQ(arena["optimal"], true);
  EXPECT_EQ(arena["offsets"].size(), 6u);
}

TEST(OrderModel, ALimitIsKeptOrSaidToBeImpossible) {
  const auto enough = ordered("named-buffers", {"--limit", "225000"});
  EXPECT_LE(enough["peak_bytes"].get<std::int64_t>(), 225000);
  EXPECT_EQ(enough["limit_bytes"], 225000);
  const auto order = [](const std::string& limit) {
    return dse({"order", example, "--model", "named-buffers", "--limit", limit});
  };
  const auto said = order("189999");
  EXPECT_EQ(said.exit, 4);
  EXPECT_THAT(said.err, HasSubstr("no order needs at most 189,999 bytes: the best needs 190,000 bytes"));
  EXPECT_EQ(order("190000").exit, 0);
}

TEST(OrderModel, NetworksAreGraphsToo) {
  const auto said = dse({"order", "resnet8", "--model", "liveness"});
  ASSERT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("resnet8: 16 nodes"), HasSubstr("(direct skip)"),
                              HasSubstr("best: 49,152 bytes, proven optimal")));
  // Every operator of the network, reshapes too, in the order that the command finds without a model.
  const auto model = json::parse(dse({"order", "resnet8", "--model", "liveness", "--json"}).out);
  const auto plain = json::parse(dse({"order", "resnet8", "--json"}).out);
  EXPECT_EQ(model["order"].size(), plain["order"].size());
  for (const char* key : {"name", "peak_bytes", "lower_bound_bytes", "optimal"}) EXPECT_EQ(model[key], plain[key]);
}

TEST(OrderModel, BranchesWithinBranchesAndSkipsAreNamed) {
  const Folder folder;
  folder.write("nested.dag",
               "T in 6\nT a 9\nT b 2\nT c 7\nT join 3\nT side 8\nT end 4\nIN in\nOUT end\nOP 0 C a in\nOP 1 C b a\n"
               "OP 2 C c a\nOP 3 Add join b c a\nOP 4 C side in\nOP 5 Add end join side in\n");
  const auto said = dse({"order", "nested.dag", "--model", "direct-to-scratch"}, folder.path());
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("branching points: in, a (intermediate)\n"),
                              HasSubstr("aggregations: join (intermediate), end\n"), HasSubstr("(direct skip)"),
                              HasSubstr("proven optimal")));
}

TEST(OrderModel, FilesThatCannotRunInTheirOrderAreSorted) {
  const Folder folder;
  folder.write("late.dag", "T a 1\nT b 2\nT c 3\nOUT c\nOP 0 A c a b\nOP 1 A b a\nOP 2 A a\n");
  const auto j = json::parse(dse({"order", "late.dag", "--model", "named-buffers", "--json"}, folder.path()).out);
  EXPECT_EQ(j["order"], json({2, 1, 0}));
  EXPECT_EQ(j["candidates"][0]["origin"], json({"best", "freed-memory rule", "sorted file"}));
}

TEST(OrderModel, WrongInputIsTold) {
  const Folder folder;
  const auto file = folder.write("wrong.dag", "T x 1\nOP 0 Relu y x\n");
  const auto said = dse({"order", file, "--model", "named-buffers"});
  EXPECT_EQ(said.exit, 3);
  EXPECT_THAT(said.err, HasSubstr("wrong.dag:2:11: error: no tensor 'y'"));
  EXPECT_EQ(dse({"order", folder / "none.dag", "--model", "liveness"}).exit, 3);
  EXPECT_EQ(dse({"order", "no-such-network", "--model", "liveness"}).exit, 3);
  std::string text = "T t 1\nIN t\n";
  for (int i = 0; i < 10000; ++i)
    text += "T t" + std::to_string(i) + " 1\nOP " + std::to_string(i) + " A t" + std::to_string(i) + " t\n";
  const auto large = dse({"order", folder.write("large.dag", text), "--model", "named-buffers"});
  EXPECT_EQ(large.exit, 3);
  EXPECT_THAT(large.err, HasSubstr("large.dag: error: more than 10,000 inputs and operators"));
}

TEST(OrderModel, OptionsThatDoNotGoTogetherAreUsageErrors) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--model", "other"}, "other"},
      {{"--model", "named-buffers", "--limit", "-1"}, "limit"},
      {{"--model", "named-buffers", "--rule", "inplace-ew"}, "--rule"},
      {{"--model", "liveness", "--rule", "inplace-ew"}, "--rule"},
      {{"--model", "direct-to-scratch", "--objective", "operational"}, "everything could be written to scratch"},
      {{"--model", "liveness", "--objective", "operational"}, "the model liveness has no such buffers"},
      {{"--model", "liveness", "--own-scratch"}, "the model liveness has no such buffers"},
      {{"--objective", "operational"}, "requires --model"},
      {{"--whole-branches"}, "requires --model"},
      {{"--own-scratch"}, "requires --model"},
      {{"--candidates", "3"}, "requires --model"},
      {{"--labels", "3"}, "requires --model"}};
  for (auto [arguments, what] : cases) {
    arguments.insert(arguments.begin(), {"order", example});
    const auto said = dse(arguments);
    EXPECT_EQ(said.exit, 2) << what;
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, HasSubstr(what));
  }
  EXPECT_EQ(dse({"branches", example}).exit, 2);  // it was a command of its own
}

}  // namespace
}  // namespace dse::test::order_model_test
