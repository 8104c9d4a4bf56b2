// Peaks of the file's order, out of place, against the published graphs of the reference files.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "models/nn/summary/summary.h"
#include "tests/nn/golden/golden.h"

namespace dse::nn::summary_golden_test {
namespace {

/// Lines `T tensor bytes shape`, `IN tensor`, `OUT tensor`, `OP index type out in...`.
Network read_dag(const std::filesystem::path& file) {
  Network n;
  std::map<std::string, int> index;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key, name;
    if (!(words >> key) || key[0] == '#') continue;
    if (key == "T") {
      Tensor t;
      std::int64_t bytes = 0;
      words >> t.name >> bytes;
      t.shape = {bytes};
      index[t.name] = static_cast<int>(n.tensors.size());
      n.tensors.push_back(t);
    } else if (key == "IN" || key == "OUT") {
      words >> name;
      if (key == "IN") n.tensors[static_cast<std::size_t>(index.at(name))].kind = TensorKind::input;
      (key == "IN" ? n.inputs : n.outputs).push_back(index.at(name));
    } else {
      Operator op;
      std::string number;
      op.kind = OperatorKind::other;
      words >> number >> op.type >> name;
      op.outputs = {index.at(name)};
      while (words >> name) op.inputs.push_back(index.at(name));
      n.operators.push_back(op);
    }
  }
  return n;
}

TEST(SummaryGolden, PeaksOfTheFilesOrder) {
  std::ifstream table(test::shared() / "golden/ordering/optimum.csv");
  if (!table) GTEST_SKIP() << "no reference files: set DSE_SHARED";
  int compared = 0;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream cells(line);
    std::string dag, operators, model, peak;
    std::getline(cells, dag, ','), std::getline(cells, operators, ',');
    std::getline(cells, model, ','), std::getline(cells, peak, ',');
    if (model != "out-of-place") continue;
    const auto n = read_dag(test::shared() / "data/ordering" / (dag + ".dag"));
    EXPECT_EQ(static_cast<int>(n.operators.size()), std::stoi(operators)) << dag;
    const auto s = summarize(n);
    EXPECT_EQ(s.peak_bytes, std::stoll(peak)) << dag;
    std::int64_t live = 0;
    for (const int t : live_tensors(n, s.peak_operator)) live += n.tensors[static_cast<std::size_t>(t)].bytes();
    EXPECT_EQ(live, s.peak_bytes) << dag;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

}  // namespace
}  // namespace dse::nn::summary_golden_test
