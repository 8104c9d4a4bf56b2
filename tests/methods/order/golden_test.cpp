// The optima of the graphs in the shared folder, exactly.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "methods/order/dag.h"

namespace dse::plan::order_golden_test {
namespace {

namespace fs = std::filesystem;

fs::path shared() {
  if (const char* given = std::getenv("DSE_SHARED")) return given;
  return fs::path(DSE_SOURCE_DIR) / ".." / "shared";
}

TEST(OrderGolden, EveryGraphHasTheOptimumOfTheTable) {
  std::ifstream table(shared() / "golden/ordering/optimum.csv");
  if (!table) GTEST_SKIP() << "no golden folder";
  std::string line;
  const auto next = [&] {  // the table's lines end in carriage returns
    const bool there = static_cast<bool>(std::getline(table, line));
    if (there && !line.empty() && line.back() == '\r') line.pop_back();
    return there;
  };
  next();
  ASSERT_EQ(line, "dag,operators,model,file_order_peak_bytes,optimal_peak_bytes");
  int rows = 0;
  for (; next(); ++rows) {
    std::istringstream fields(line);
    std::string dag, operators, model, in_file, optimal;
    std::getline(fields, dag, ','), std::getline(fields, operators, ','), std::getline(fields, model, ',');
    std::getline(fields, in_file, ','), std::getline(fields, optimal);
    const auto file = shared() / "data/ordering" / (dag + ".dag");
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    Diagnostics d;
    const auto p = parse_dag(text, file.string(), d);
    ASSERT_TRUE(p) << d.text();
    EXPECT_EQ(p->name, dag);
    EXPECT_EQ(std::to_string(p->operators.size()), operators);
    const auto rule = model == "inplace-ew" ? OrderRule::inplace_ew : OrderRule::out_of_place;
    ASSERT_EQ(model, name_of(rule));
    std::vector<int> order(p->operators.size());
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(std::to_string(peak_of(*p, rule, order)), in_file) << line;
    const auto found = find_order(*p, rule);
    EXPECT_EQ(std::to_string(found.peak_bytes), optimal) << line;
    EXPECT_TRUE(found.optimal) << line;
    EXPECT_EQ(found.lower_bound_bytes, found.peak_bytes) << line;
    EXPECT_EQ(peak_of(*p, rule, found.order), found.peak_bytes) << line;
  }
  EXPECT_EQ(rows, 12);
}

}  // namespace
}  // namespace dse::plan::order_golden_test
