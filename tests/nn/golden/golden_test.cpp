// Whole networks: every tensor equals the reference implementation's, bit by bit.
#include "tests/nn/golden/golden.h"

#include <gtest/gtest.h>

#include "tests/nn/same_network.h"

namespace dse::nn::test::nn_golden_test {
namespace {

class GoldenNetwork : public testing::TestWithParam<const char*> {};

TEST_P(GoldenNetwork, EveryTensorEqualsTheReference) {
  const auto folder = shared() / "golden" / "tflite" / GetParam();
  const auto model = shared() / "models" / "tflite" / (std::string(GetParam()) + ".tflite");
  if (!std::filesystem::exists(folder) || !std::filesystem::exists(model))
    GTEST_SKIP() << "no golden tensors at " << folder;
  Diagnostics diags;
  const NetworkPtr network = load_network(model.string(), diags, every_tensor());
  ASSERT_TRUE(network) << diags.text();
  const auto runs = seeds(folder);
  ASSERT_GE(runs.size(), 3u);
  for (const auto& seed : runs) EXPECT_GT(expect_golden(*network, seed), 4);
}

TEST_P(GoldenNetwork, SeededInputEqualsTheFile) {
  const auto folder = shared() / "golden" / "tflite" / GetParam();
  const auto model = shared() / "models" / "tflite" / (std::string(GetParam()) + ".tflite");
  if (!std::filesystem::exists(folder) || !std::filesystem::exists(model))
    GTEST_SKIP() << "no golden tensors at " << folder;
  Diagnostics diags;
  const NetworkPtr network = load_network(model.string(), diags, every_tensor());
  ASSERT_TRUE(network) << diags.text();
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const std::uint64_t step : {0, 1, 2}) {
      const std::string suffix = step == 0 ? "" : "_step" + std::to_string(step);
      const auto file = folder / ("seed" + std::to_string(seed)) / ("input0" + suffix + ".bin");
      if (step > 0 && !std::filesystem::exists(file)) continue;  // a network without state runs once
      const Tensor& input = network->tensors[static_cast<std::size_t>(network->inputs[0])];
      EXPECT_EQ(seeded_input(input, 0, seed, step), read_bytes(file)) << file;
    }
  }
}

TEST_P(GoldenNetwork, IsWrittenAndReadAgain) {
  const auto model = shared() / "models" / "tflite" / (std::string(GetParam()) + ".tflite");
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no model " << model;
  Diagnostics diags;
  const NetworkPtr network = load_network(model.string(), diags, every_tensor());
  ASSERT_TRUE(network) << diags.text();
  expect_round_trip(*network);
}

TEST_P(GoldenNetwork, GivesTheSameRewritten) {
  const auto model = shared() / "models" / "tflite" / (std::string(GetParam()) + ".tflite");
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "no model " << model;
  expect_rewritten_equal(model.string());
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenNetwork,
                         testing::Values("coral_mbv1_0.25_128_uint8", "mlptiny_ad_ae_int8", "mlptiny_ic_resnet8_int8",
                                         "mlptiny_kws_dscnn_int8", "mlptiny_strww_int8",
                                         "mlptiny_vww_mbv1_0.25_96_int8", "tflm_keyword_scrambled_8bit",
                                         "tflm_micro_speech_int8", "tflm_mnist_lstm_int8",
                                         "tflm_person_detect_mbv1_0.25_96"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace dse::nn::test::nn_golden_test
