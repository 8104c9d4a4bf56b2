// The Network itself: images, wiring, weights in the kernels' order, views of whole tensors.
#include <gtest/gtest.h>

#include "models/nn/graph/views.h"
#include "models/nn/import.h"

namespace dse::nn::test::nn_network_test {
namespace {

NetworkPtr read(const std::string& layers, const std::string& shape = "[1, 4, 5, 2]") {
  Diagnostics diags;
  auto n = import_yaml("format: 1\nname: n\ninput: {shape: " + shape + "}\nlayers:\n" + layers, "n.yaml", diags);
  EXPECT_TRUE(n) << diags.text();
  return n;
}

const Tensor& tensor(const Network& n, int i) { return n.tensors[static_cast<std::size_t>(i)]; }

TEST(Network, ImagesOfShapes) {
  const auto image = [](std::vector<std::int64_t> shape) {
    Tensor t;
    t.shape = std::move(shape);
    const auto i = t.image();
    return std::vector<std::int64_t>{i.h, i.w, i.c};
  };
  EXPECT_EQ(image({1, 4, 5, 2}), (std::vector<std::int64_t>{4, 5, 2}));
  EXPECT_EQ(image({3, 7}), (std::vector<std::int64_t>{3, 1, 7}));
  EXPECT_EQ(image({9}), (std::vector<std::int64_t>{1, 1, 9}));
  EXPECT_EQ(image({}), (std::vector<std::int64_t>{1, 1, 1}));
}

/// Shapes come from files, and are asked for their elements before they are checked.
TEST(Network, NoShapeHasMoreElementsThanCanBeCounted) {
  Tensor t;
  t.type = DataType::int64;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{5116723205, 2147252713},
                                                 {2147483647, 2147483647, 2147483647},
                                                 {-2147483648, 2147483647, 2147483647},
                                                 {4294967296, 4294967296, 4294967296, 4294967296}}) {
    t.shape = shape;
    EXPECT_GT(t.elements(), std::int64_t{1} << 58);
    EXPECT_GT(t.bytes(), std::int64_t{1} << 61);
  }
  t.shape = {2147483647, 2};
  EXPECT_EQ(t.elements(), 4294967294);
}

TEST(Network, KnowsProducersAndConsumers) {
  const auto n =
      read("  - conv: {name: a, filters: 2, kernel: 3}\n  - conv: {filters: 2, kernel: 1}\n  - add: {with: a}\n");
  ASSERT_TRUE(n);
  const int a = n->operators[0].outputs[0];
  EXPECT_EQ(n->producer(a), 0);
  EXPECT_EQ(n->producer(n->inputs[0]), -1);
  EXPECT_EQ(n->consumers(a), (std::vector<int>{1, 2}));
  EXPECT_EQ(n->parameters(), 2 * 9 * 2 + 2 + 2 * 2 + 2);
}

TEST(Network, WeightsAreFilterMajorForEveryOperator) {
  const auto n = read("  - depthwise: {kernel: [2, 3], multiplier: 2}\n  - conv: {filters: 3, kernel: 2}\n");
  ASSERT_TRUE(n);
  const auto& stored = tensor(*n, n->operators[0].inputs[1]).data;  // [1, 2, 3, 4]
  const auto weights = filter_major_weights(*n, n->operators[0]);
  ASSERT_EQ(weights.size(), 24u);
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t tap = 0; tap < 6; ++tap) EXPECT_EQ(weights[c * 6 + tap], stored[tap * 4 + c]);
  const auto& conv = tensor(*n, n->operators[1].inputs[1]).data;
  const auto same = filter_major_weights(*n, n->operators[1]);
  EXPECT_EQ(same, conv);
}

TEST(Network, ReluOfTheOutputIsInTheKernelParameters) {
  const auto n = read("  - conv: {filters: 2, kernel: 3, stride: 2, activation: relu}\n");
  ASSERT_TRUE(n);
  const dse_op& k = n->operators[0].kernel;
  EXPECT_EQ(k.kind, DSE_CONV_2D);
  EXPECT_EQ(k.out_zero, -128);
  EXPECT_EQ(k.act_min, -128);
  EXPECT_EQ(k.out_h, 2);
  EXPECT_EQ(k.out_w, 3);
  EXPECT_EQ(k.pad_top, 0);   // total 1, the odd row goes below
  EXPECT_EQ(k.pad_left, 1);  // total 2
  ASSERT_EQ(n->operators[0].channel_params.size(), 6u);
  for (const std::size_t c : {0u, 1u}) {
    EXPECT_GE(n->operators[0].channel_params[3 * c + 1], 1 << 30);
    EXPECT_LT(n->operators[0].channel_params[3 * c + 2], 0);
  }
}

TEST(Network, FullyConnectedReadsItsInputAsRows) {
  const auto n = read("  - fully_connected: {units: 3}\n");  // [1, 4, 5, 2] is one row of 40
  ASSERT_TRUE(n);
  const auto e = operand_extents(*n, n->operators[0], DSE_IN0);
  EXPECT_EQ(e.h, 1);
  EXPECT_EQ(e.c, 40);
  const auto rows = read("  - fully_connected: {units: 3}\n", "[6, 7]");
  ASSERT_TRUE(rows);
  EXPECT_EQ(operand_extents(*rows, rows->operators[0], DSE_IN0).h, 6);
  EXPECT_EQ(tensor(*rows, rows->outputs[0]).shape, (std::vector<std::int64_t>{6, 3}));
}

TEST(Network, BroadcastOperandsHaveStrideZero) {
  const auto original = read("  - add: {with: input}\n");
  ASSERT_TRUE(original);
  EXPECT_FALSE(is_broadcast(*original, original->operators[0]));
  Network n = *original;
  Tensor row = n.tensors[0];
  row.shape = {5, 1};
  row.kind = TensorKind::constant;
  row.data = {1, 2, 3, 4, 5};
  n.operators[0].inputs[1] = static_cast<int>(n.tensors.size());
  n.tensors.push_back(row);
  Diagnostics diags;
  const auto stretched = finish_network(n, diags, "n");
  ASSERT_TRUE(stretched) << diags.text();
  EXPECT_TRUE(is_broadcast(*stretched, stretched->operators[0]));
  const dse_view v = full_view(*stretched, stretched->operators[0], DSE_IN1, row.data.data());
  EXPECT_EQ(*dse_at(&v, 3, 4, 1), 5);
  EXPECT_EQ(*dse_at(&v, 0, 1, 0), 2);
}

TEST(Network, AddOfScalesThatTheReferenceRefusesIsAnError) {
  Network n = *read("  - add: {with: input}\n");
  n.tensors.back().quantization.scale[0] = 1e-12f;
  Diagnostics diags;
  EXPECT_FALSE(finish_network(n, diags, "n"));
  EXPECT_NE(diags.text().find("cannot be added"), std::string::npos) << diags.text();
}

TEST(Network, InputsMustFit) {
  const auto n = read("  - softmax\n");
  EXPECT_THROW(interpret(*n, {}), InvariantError);
  EXPECT_THROW(interpret(*n, {{1, 2, 3}}), InvariantError);
}

}  // namespace
}  // namespace dse::nn::test::nn_network_test
