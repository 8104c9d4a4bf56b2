// dse explain, and the example of docs/run/explain.md.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"

namespace dse::test::explain_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Cycles of the rows of a table in `text`, whose lines have them after `before` further cells.
std::vector<std::int64_t> cycles_of(const std::string& text, const std::string& heading, int before) {
  std::vector<std::int64_t> out;
  std::istringstream lines(text.substr(text.find(heading)));
  std::string line, cell;
  std::getline(lines, line), std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream cells(line);
    for (int i = 0; i <= before + 1; ++i) cells >> cell;
    cell.erase(std::remove(cell.begin(), cell.end(), ','), cell.end());
    out.push_back(std::stoll(cell));
  }
  return out;
}

void expect_sorted(std::vector<std::int64_t> cycles, std::int64_t latency) {
  ASSERT_GT(cycles.size(), 2u);
  EXPECT_EQ(cycles.back(), latency);  // the sum stands last
  cycles.pop_back();
  EXPECT_TRUE(std::is_sorted(cycles.rbegin(), cycles.rend()));
}

TEST(ExplainCommand, TheExampleOfThePageAnswersAsThePageSays) {
  const Folder here;
  Said said;
  std::string table;
  for (const auto& line : console_of("docs/run/explain.md")) {
    if (line.rfind("$ dse ", 0) != 0) {
      table += line + "\n";
      continue;
    }
    said = dse_line(line, here.path());
    ASSERT_EQ(said.exit, 0) << line << "\n" << said.err;
  }
  EXPECT_THAT(said.out, HasSubstr("\n" + table + "\n"));

  const auto point = json::parse(dse({"explain", here / "out", "--point", "smallest", "--json"}).out);
  const std::int64_t latency = point["latency_cycles"];
  expect_sorted(cycles_of(said.out, "roofline, by layer", 1), latency);
  expect_sorted(cycles_of(said.out, "cycles, by layer and cause", 0), latency);
  // As the plan runs them, where nobody asks; sorting changes nothing else.
  const auto plain = dse({"explain", here / "out", "--point", "smallest"}).out;
  EXPECT_LT(plain.rfind("fully_connected0 "), plain.rfind("fully_connected9 "));
  EXPECT_GT(said.out.rfind("fully_connected0 "), said.out.rfind("fully_connected9 "));
  auto a = plain, b = said.out;
  std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
  EXPECT_EQ(dse({"explain", here / "out", "--sort", "name"}).exit, 2);

  std::int64_t macs = 0, cycles = 0;
  for (const auto& row : point["roofline"]) {
    macs += row["macs"].get<std::int64_t>(), cycles += row["cycles"].get<std::int64_t>();
    EXPECT_LE(row["macs_per_cycle"].get<double>(), row["roof_macs_per_cycle"].get<double>());
    EXPECT_LE(row["roof_macs_per_cycle"].get<double>(), row["peak_macs_per_cycle"].get<double>());
    EXPECT_EQ(row["bound"], "l3");
  }
  EXPECT_EQ(macs, point["macs"]);
  EXPECT_EQ(cycles, latency);
}

}  // namespace
}  // namespace dse::test::explain_test
