// Messages about networks: numbers that differ print apart, and what is wrong with many operators is told once.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "models/nn/graph/check/apart.h"
#include "models/nn/import.h"
#include "tests/nn/tflite/tflite_writer.h"

namespace dse::nn::test::messages_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Tensor scaled(std::vector<float> scales, std::vector<std::int64_t> zeros) {
  Tensor t;
  t.quantization = {std::move(scales), std::move(zeros), 0};
  return t;
}

TEST(Messages, NumbersThatDifferPrintApart) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const float a = std::ldexp(std::uniform_real_distribution<float>(0.5f, 1)(random),
                               std::uniform_int_distribution<int>(-30, 8)(random));
    const float b = std::nextafter(a, 1e9f);
    const auto [first, second] = quantized_apart(scaled({a}, {3}), scaled({b}, {3}));
    EXPECT_NE(first, second) << a;
    // Among many scales the one that differs is named.
    std::vector<float> many(16, 0.5f), other = many;
    const auto at = static_cast<std::size_t>(i % 16);
    many[at] = a, other[at] = b;
    const auto [left, right] = quantized_apart(scaled(many, {0}), scaled(other, {0}));
    EXPECT_NE(left, right);
    EXPECT_THAT(left, HasSubstr("scale " + std::to_string(at) + " of 16"));
  }
  EXPECT_EQ(apart_text(scaled({0.1f}, {0}), scaled({0.1f}, {-1})), "scale 0.1, zero point 0; scale 0.1, zero point -1");
}

/// So many operators of one kind in a row, whose results have another scale each.
Network rescaling(OperatorKind kind, int count) {
  Network n;
  n.name = "chain";
  for (int i = 0; i <= count; ++i) {
    Tensor t;
    t.name = "t" + std::to_string(i), t.shape = {1, 4, 4, 2};
    t.kind = i == 0 ? TensorKind::input : TensorKind::activation;
    t.quantization = {{0.1f + 0.000000024f * static_cast<float>(i)}, {0}, 0};
    if (i > 0) {
      Operator op;
      op.kind = kind, op.inputs = {i - 1}, op.outputs = {i};
      n.operators.push_back(op);
    }
    n.tensors.push_back(t);
  }
  n.inputs = {0}, n.outputs = {count};
  return n;
}

TEST(Messages, AreTheSameForAllThatIsWrongInOneWay) {
  for (const int count : {1, 2, 28}) {
    Diagnostics diags;
    EXPECT_FALSE(
        import_tflite(to_tflite(rescaling(OperatorKind::resize_nearest_neighbor, count)), "chain.tflite", diags));
    ASSERT_EQ(diags.list().size(), 1u) << diags.text();
    const auto more = count == 1 ? std::string() : count == 2 ? "; so is 1 more" : "; so are 27 more";
    EXPECT_THAT(diags.text(),
                HasSubstr("operator 0 (RESIZE_NEAREST_NEIGHBOR): input 't0' and output 't1' are quantised "
                          "differently (scale 0.1, zero point 0; scale 0.100000024, zero point 0)" +
                          more));
  }
  // Two ways are two messages.
  Network both = rescaling(OperatorKind::resize_nearest_neighbor, 4);
  both.tensors[4].quantization.scale = both.tensors[3].quantization.scale;
  both.tensors[4].shape = {1, 4, 4, 3};
  Diagnostics diags;
  EXPECT_FALSE(import_tflite(to_tflite(both), "chain.tflite", diags));
  EXPECT_EQ(diags.list().size(), 2u) << diags.text();
}

}  // namespace
}  // namespace dse::nn::test::messages_test
