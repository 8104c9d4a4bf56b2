// Any operator of the tflite mode, written as a TensorFlow Lite file and read again, computes the same.
#include <gtest/gtest.h>

#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"
#include "one_operator.h"

namespace dse::nn::random_ops::tflite_round_trip_test {
namespace {

constexpr std::uint64_t drawn = 60;

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, ComputesTheSame) {
  int written = 0;
  for (std::uint64_t seed = 0; seed < drawn; ++seed) {
    const Case c = draw(GetParam(), Mode::tflite, seed);
    Diagnostics diags;
    const NetworkPtr n = finish_network(network_of(c), diags, "drawn");
    ASSERT_TRUE(n) << c.describe() << "\n" << diags.text();
    const auto bytes = write_tflite(*n, diags);
    if (bytes.empty()) continue;  // an operator that the format lacks; counted below
    ++written;
    const NetworkPtr copy = import_tflite(bytes, "drawn.tflite", diags);
    ASSERT_TRUE(copy) << c.describe() << "\n" << diags.text();
    ASSERT_EQ(copy->operators.size(), 1u) << c.describe();
    EXPECT_EQ(copy->operators[0].inputs, n->operators[0].inputs) << c.describe();
    EXPECT_EQ(copy->operators[0].outputs, n->operators[0].outputs) << c.describe();
    const auto inputs = seeded_inputs(*n, 5);
    const auto expected = interpret(*n, inputs), made = interpret(*copy, inputs);
    for (const int t : n->outputs)
      ASSERT_EQ(made[static_cast<std::size_t>(t)], expected[static_cast<std::size_t>(t)]) << c.describe();
  }
  // What the format has no words for, in whole (global pools, clips) or in part (padding in elements).
  const bool lacking = GetParam() == "GLOBAL_AVERAGE_POOL" || GetParam() == "GLOBAL_MAX_POOL" || GetParam() == "CLIP" ||
                       GetParam() == "HARD_SIGMOID" || GetParam() == "IDENTITY";
  if (lacking)
    EXPECT_EQ(written, 0);
  else
    EXPECT_GE(written, static_cast<int>(drawn) / 3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoundTrip, testing::ValuesIn(kinds_of(Mode::tflite)),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dse::nn::random_ops::tflite_round_trip_test
