// How wide sums of products are, against all corners of what an operator may read.
#include "models/nn/graph/sums/sum_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "drawn_chain.h"
#include "models/nn/graph/finish.h"

namespace dse::nn::test::sum_bits_test {
namespace {

/// A fully connected layer of int8 with these weights and biases, and an input of this zero point.
NetworkPtr layer(const std::vector<std::vector<int>>& weights, const std::vector<int>& bias, int zero) {
  Network n;
  n.name = "layer";
  const auto in = static_cast<std::int64_t>(weights[0].size()), out = static_cast<std::int64_t>(weights.size());
  const auto tensor = [&](const char* name, std::vector<std::int64_t> shape, DataType type, TensorKind kind) {
    Tensor t;
    t.name = name, t.shape = std::move(shape), t.type = type, t.kind = kind;
    t.quantization = {{0.5f}, {0}, 0, {}};
    n.tensors.push_back(std::move(t));
  };
  tensor("x", {1, in}, DataType::int8, TensorKind::input);
  tensor("w", {out, in}, DataType::int8, TensorKind::constant);
  tensor("b", {out}, DataType::int32, TensorKind::constant);
  tensor("y", {1, out}, DataType::int8, TensorKind::activation);
  n.tensors[0].quantization.zero_point = {zero};
  n.tensors[2].quantization.scale = {0.25f};
  for (const auto& row : weights)
    for (const int w : row) n.tensors[1].data.push_back(static_cast<std::uint8_t>(w));
  for (const int b : bias)
    for (int byte = 0; byte < 4; ++byte)
      n.tensors[2].data.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(b) >> (8 * byte)));
  Operator op;
  op.kind = OperatorKind::fully_connected;
  op.inputs = {0, 1, 2}, op.outputs = {3};
  n.operators.push_back(std::move(op));
  n.inputs = {0}, n.outputs = {3};
  Diagnostics d;
  auto made = finish_network(std::move(n), d, "test");
  EXPECT_TRUE(made) << d.text();
  return made;
}

int bits_of(std::int64_t low, std::int64_t high) {
  int b = 1;
  while (high > (std::int64_t{1} << (b - 1)) - 1 || low < -(std::int64_t{1} << (b - 1))) ++b;
  return b;
}

/// Sums are linear, so extremes are at corners; the sum of any of the products, with or without the bias, counts.
int by_corners(const std::vector<std::vector<int>>& weights, const std::vector<int>& bias, int zero) {
  int bits = 1;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const auto& w = weights[c];
    for (unsigned corner = 0; corner < 1u << w.size(); ++corner)
      for (unsigned some = 0; some < 2u << w.size(); ++some) {
        std::int64_t sum = some >> w.size() ? bias[c] : 0;
        for (std::size_t i = 0; i < w.size(); ++i)
          if (some >> i & 1) sum += std::int64_t{w[i]} * ((corner >> i & 1 ? 127 : -128) - zero);
        bits = std::max(bits, bits_of(std::min<std::int64_t>(sum, 0), std::max<std::int64_t>(sum, 0)));
      }
  }
  return bits;
}

TEST(SumBits, AreThoseOfTheLargestPartialSum) {
  std::mt19937 random(1);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int round = 0; round < 200; ++round) {
    const int limit = 1 << pick(0, 7);
    std::vector<std::vector<int>> weights(static_cast<std::size_t>(pick(1, 3)));
    std::vector<int> bias;
    const int taps = pick(1, 5);
    for (auto& row : weights) {
      for (int i = 0; i < taps; ++i) row.push_back(std::max(-127, std::min(127, pick(-limit, limit))));
      bias.push_back(pick(-(1 << pick(0, 18)), 1 << pick(0, 18)));
    }
    const int zero = pick(-128, 127);
    ASSERT_EQ(layer(weights, bias, zero)->operators[0].sum_bits, by_corners(weights, bias, zero)) << "round " << round;
  }
}

TEST(SumBits, OfNetworksStayWithinTheKernelsAccumulators) {
  int compensated = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto n = drawn_chain_with_factors(seed);
    for (const auto& op : n->operators) {
      if (!has_filters(op.kind)) {
        EXPECT_EQ(op.sum_bits, 0);
        continue;
      }
      EXPECT_GT(op.sum_bits, 1);
      EXPECT_LE(op.sum_bits, op.kernel.acc_bytes == 8 ? 63 : 32) << "seed " << seed << ' ' << op.name;
      compensated += op.inputs.size() > 3;
    }
  }
  EXPECT_GT(compensated, 100);
}

}  // namespace
}  // namespace dse::nn::test::sum_bits_test
