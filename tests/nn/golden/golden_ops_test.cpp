// Synthetic models of one operator each: every tensor equals the reference implementation's, bit by bit.
#include <gtest/gtest.h>

#include "tests/nn/golden/golden.h"
#include "tests/nn/same_network.h"

namespace dse::nn::test::golden_ops_test {
namespace {

std::filesystem::path folder() { return shared() / "golden" / "tflite_ops"; }

std::vector<std::string> cases() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder(), none))
    if (std::filesystem::exists(entry.path() / "model.tflite")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(GoldenOperators, AreAllThere) {
  if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no golden tensors at " << folder();
  EXPECT_EQ(cases().size(), 159u);
}

class GoldenOperator : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenOperator);

TEST_P(GoldenOperator, EqualsTheReference) {
  const auto path = folder() / GetParam();
  Diagnostics diags;
  const NetworkPtr network = load_network((path / "model.tflite").string(), diags, every_tensor());
  ASSERT_TRUE(network) << diags.text();
  const auto runs = seeds(path);
  ASSERT_GE(runs.size(), 2u);
  for (const auto& seed : runs) EXPECT_GE(expect_golden(*network, seed), 2) << seed;
}

TEST_P(GoldenOperator, IsWrittenAndReadAgain) {
  Diagnostics diags;
  const NetworkPtr network = load_network((folder() / GetParam() / "model.tflite").string(), diags, every_tensor());
  ASSERT_TRUE(network) << diags.text();
  expect_round_trip(*network);
}

TEST_P(GoldenOperator, GivesTheSameRewritten) {
  expect_rewritten_equal((folder() / GetParam() / "model.tflite").string());
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenOperator, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dse::nn::test::golden_ops_test
