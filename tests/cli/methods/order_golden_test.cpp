// The golden values of orders and of branches through the command.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::order_golden_test {
namespace {

using nlohmann::json;

std::filesystem::path shared() {
  const char* folder = std::getenv("DSE_SHARED");
  return folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(DSE_SOURCE_DIR) / "../shared";
}

json order_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"order", "--json"});
  const auto said = dse(arguments);
  EXPECT_EQ(said.exit, 0) << said.err;
  return json::parse(said.out);
}

TEST(OrderGolden, EveryRowOfTheTable) {
  std::ifstream table(shared() / "golden/ordering/optimum.csv");
  if (!table) GTEST_SKIP() << "no golden values";
  int rows = 0;
  std::string line;
  for (std::getline(table, line); std::getline(table, line); ++rows) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 5u);
    SCOPED_TRACE(line);
    const auto file = (shared() / "data/ordering" / (cells[0] + ".dag")).string();
    const auto j = order_json({file, "--rule", cells[2]});
    EXPECT_EQ(j["file_order_peak_bytes"], std::stoll(cells[3]));
    EXPECT_EQ(j["peak_bytes"], std::stoll(cells[4]));
    EXPECT_EQ(j["lower_bound_bytes"], std::stoll(cells[4]));
    EXPECT_EQ(j["optimal"], true);
    EXPECT_EQ(j["order"].size(), std::stoull(cells[1]));
    if (cells[2] != "out-of-place") continue;
    const auto model = order_json({file, "--model", "liveness", "--candidates", "0"});
    EXPECT_EQ(model["peak_bytes"], std::stoll(cells[4]));
    EXPECT_EQ(model["optimal"], true);
  }
  EXPECT_EQ(rows, 12);
}

class BranchGolden : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in(shared() / "golden/branch/branch_golden.json");
    if (!in) GTEST_SKIP() << "no golden values";
    golden = json::parse(in)["fig3"];
    std::string text;
    for (const char* name : {"B", "C1", "C2", "D1", "D2", "D3", "A"})
      text += std::string("T ") + name + " " + golden["sizes"].value(name, json(0)).dump() + "\n";
    file = folder.write("fig3.dag", text +
                                        "OP 0 Conv B\nOP 1 Conv C1 B\nOP 2 Conv C2 C1\nOP 3 Conv D1 B\n"
                                        "OP 4 Conv D2 D1\nOP 5 Conv D3 D2\nOP 6 Concat A C2 D3\n");
  }

  static std::string between_b_and_a(const json& candidate) {
    std::string out;
    for (const auto& step : candidate["steps"])
      if (const auto name = step["node"].get<std::string>(); name != "A" && name != "B")
        out += (out.empty() ? "" : "-") + name;
    return out;
  }

  /// Orders with their bytes, as the command lists them.
  std::map<std::string, std::int64_t> listed(const json& answer) const {
    std::map<std::string, std::int64_t> out;
    for (const auto& candidate : answer["candidates"])
      out[between_b_and_a(candidate)] = candidate["peak_bytes"].get<std::int64_t>();
    return out;
  }

  json run(const std::string& model, const std::string& table) const {
    std::vector<std::string> arguments = {file, "--model", model, "--candidates", "2000"};
    if (table.rfind("with_interruption", 0) != 0) arguments.push_back("--whole-branches");
    if (table.find("scratch_reuse=True") == std::string::npos) arguments.push_back("--own-scratch");
    return order_json(arguments);
  }

  void expect_table(const std::string& model, const std::string& name, const json& table) const {
    SCOPED_TRACE(model + " " + name);
    const auto answer = run(model, name);
    EXPECT_EQ(answer["peak_bytes"], table["optimum"]);
    EXPECT_EQ(answer["optimal"], true);
    EXPECT_EQ(between_b_and_a(answer), table["best_order"]);
    EXPECT_EQ(listed(answer), table["per_order"].get<decltype(listed(answer))>());
  }

  Folder folder;
  std::string file;
  json golden;
};

TEST_F(BranchGolden, EveryOrderOfEveryTable) {
  const auto& strict = golden["named_buffer_strict"];
  const auto& free = golden["named_buffer_bruteforce"];
  EXPECT_EQ(strict.size() + free.size(), 12u);
  for (const auto& [name, table] : strict.items()) expect_table("named-buffers", name, table);
  for (const auto& [name, table] : free.items())
    expect_table(name.find("direct_to_scratch=True") != std::string::npos ? "direct-to-scratch" : "named-buffers-free",
                 name, table);
}

TEST_F(BranchGolden, TheNumbersThatMatter) {
  const std::string all = "with_interruption|scratch_reuse=True";
  EXPECT_EQ(run("named-buffers", all)["peak_bytes"], 190);
  EXPECT_EQ(run("named-buffers-free", all)["peak_bytes"], 185);
  EXPECT_EQ(run("direct-to-scratch", all)["peak_bytes"], 150);
  EXPECT_EQ(order_json({file, "--model", "liveness"})["peak_bytes"], 150);
  const auto& fig = golden["fig3D_order"];  // a branch runs in parts
  std::string interrupted;
  for (std::size_t i = 1; i + 1 < fig["order"].size(); ++i)
    interrupted += (i == 1 ? "" : "-") + fig["order"][i].get<std::string>();
  EXPECT_EQ(fig["best_scratch_reuse"], 220);
  for (const std::string rules : {"with_interruption", "with_interruption|scratch_reuse=True"})
    EXPECT_EQ(listed(run("named-buffers", rules)).at(interrupted), 220);
}

TEST_F(BranchGolden, LivenessAndArenaOfEveryOrder) {
  const auto answer = order_json({file, "--model", "liveness", "--candidates", "2000"});
  std::map<std::string, std::int64_t> expected;
  for (const auto& [order, numbers] : golden["ideal_liveness"].items())
    expected[order] = numbers["peak"].get<std::int64_t>();
  EXPECT_EQ(expected.size(), 10u);
  EXPECT_EQ(answer["arena"]["bytes"], golden["ideal_liveness"][between_b_and_a(answer)]["arena"]);
  EXPECT_EQ(answer["edge_copies_peak_bytes"], golden["ideal_liveness"][between_b_and_a(answer)]["peak_edge_copies"]);
  for (const auto& [order, bytes] : listed(answer)) EXPECT_EQ(bytes, expected.at(order)) << order;
  EXPECT_EQ(listed(answer).size(), answer["orders_compared"].get<std::size_t>());
}

}  // namespace
}  // namespace dse::test::order_golden_test
