// Whole networks: what the interpreter makes of every tensor is what the oracle makes of it, operator by operator.
#include "network_oracle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cases.h"
#include "models/nn/network.h"

namespace dse::nn::random_ops::network_oracle_test {
namespace {

/// A residual block of a convolution and a depthwise convolution, a pool, and a classifier.
class Block {
 public:
  Block(Mode mode, std::uint64_t seed) : d_(seed, mode) {
    n_.name = "block";
    const std::int64_t h = d_.in(2, 8), w = d_.in(2, 8), c = d_.in(1, 6), k = d_.in(1, 8);
    const int x = activation({1, h, w, c}, 0.03f, TensorKind::input);
    const int a = weighted(OperatorKind::conv_2d, x, {k, 3, 3, c}, {1, h, w, k}, 9 * c);
    const int b = weighted(OperatorKind::depthwise_conv_2d, a, {1, 3, 3, k}, {1, h, w, k}, 9);
    const int sum = activation({1, h, w, k}, 0.1f);
    add(OperatorKind::add, {a, b}, sum).options.activation = Activation::relu;
    const int pooled = activation({1, h / 2, w / 2, k}, 0.1f);
    quantization(pooled) = quantization(sum);
    auto& pool = add(OperatorKind::average_pool_2d, {sum}, pooled).options;
    pool.filter_h = pool.filter_w = pool.stride_h = pool.stride_w = 2;
    const std::int64_t flat = h / 2 * (w / 2) * k, units = d_.in(1, 10);
    const int row = activation({1, flat}, 0.1f);
    quantization(row) = quantization(sum);
    add(OperatorKind::reshape, {pooled}, row);
    n_.inputs = {x};
    n_.outputs = {weighted(OperatorKind::fully_connected, row, {units, flat}, {1, units}, flat)};
  }
  const Network& network() const { return n_; }

 private:
  Quantization& quantization(int t) { return n_.tensors[static_cast<std::size_t>(t)].quantization; }
  int push(Shape shape, DataType type, TensorKind kind, std::vector<float> scale, std::vector<std::int64_t> zero) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.type = type, t.kind = kind;
    t.quantization.scale = std::move(scale), t.quantization.zero_point = std::move(zero);
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  int activation(Shape shape, float about, TensorKind kind = TensorKind::activation) {
    return push(std::move(shape), DataType::int8, kind, {d_.scale(about)}, {d_.zero(Type::i8)});
  }
  int constant(Shape shape, Type type, float scale, std::int64_t reach) {
    Tensor t;
    t.shape = shape, t.type = type;
    for (std::int64_t i = 0; i < t.elements(); ++i) t.q.push_back(d_.in(-reach, reach));
    const int at =
        push(std::move(shape), type == Type::i8 ? DataType::int8 : DataType::int32, TensorKind::constant, {scale}, {0});
    n_.tensors.back().data = t.bytes();
    return at;
  }
  Operator& add(OperatorKind kind, std::vector<int> inputs, int output) {
    Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = {output};
    op.options.rounding = static_cast<Rounding>(d_.mode);
    op.options.same_padding = kind == OperatorKind::conv_2d || kind == OperatorKind::depthwise_conv_2d;
    n_.operators.push_back(std::move(op));
    return n_.operators.back();
  }
  int weighted(OperatorKind kind, int x, Shape filter, Shape out, std::int64_t taps) {
    const float in = quantization(x).scale[0], weight = d_.scale(0.01f);
    const int w = constant(std::move(filter), Type::i8, weight, 127);
    const int b = constant({out.back()}, Type::i32, in * weight, 5000);
    const int y = activation(std::move(out), in * weight * std::sqrt(static_cast<float>(taps)) * 100);
    add(kind, {x, w, b}, y);
    return y;
  }
  Draw d_;
  Network n_;
};

class Blocks : public testing::TestWithParam<Mode> {};

TEST_P(Blocks, EveryTensorEqualsTheOracle) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Diagnostics diags;
    const NetworkPtr n = finish_network(Block(GetParam(), seed).network(), diags, "drawn");
    ASSERT_TRUE(n) << "seed " << seed << "\n" << diags.text();
    ASSERT_EQ(first_difference(*n, seed, 1), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Blocks, testing::Values(Mode::tflite, Mode::single, Mode::onnx, Mode::qformat));

}  // namespace
}  // namespace dse::nn::random_ops::network_oracle_test
