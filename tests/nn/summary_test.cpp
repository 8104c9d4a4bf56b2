// Facts of networks small enough to count by hand, and peaks of published graphs.
#include "models/nn/summary/summary.h"

#include <gmock/gmock.h>

#include "models/nn/summary/summary_quantization.h"

namespace dse::nn::summary_test {
namespace {

using testing::ElementsAre;

Tensor tensor(const std::string& name, std::vector<std::int64_t> shape, TensorKind kind = TensorKind::activation,
              DataType type = DataType::int8) {
  Tensor t;
  t.name = name, t.shape = std::move(shape), t.kind = kind, t.type = type;
  t.quantization = {{0.5f}, {0}, 0, {}};
  if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.bytes()), 0);
  return t;
}

Operator make(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs) {
  Operator op;
  op.kind = kind, op.inputs = std::move(inputs), op.outputs = std::move(outputs);
  return op;
}

/// a -> conv 1x1 -> b -> RELU -> c; b + c -> d -> (unknown operator) -> e; d and e are outputs.
Network small() {
  Network n;
  n.name = "small";
  n.tensors = {tensor("a", {1, 4, 4, 2}),
               tensor("w", {3, 1, 1, 2}, TensorKind::constant),
               tensor("bias", {3}, TensorKind::constant, DataType::int32),
               tensor("b", {1, 4, 4, 3}),
               tensor("c", {1, 4, 4, 3}),
               tensor("d", {1, 4, 4, 3}),
               tensor("e", {5})};
  n.tensors[0].kind = TensorKind::input;
  n.tensors[2].quantization.scale = {0.25f};
  n.operators = {make(OperatorKind::conv_2d, {0, 1, 2}, {3}), make(OperatorKind::relu, {3}, {4}),
                 make(OperatorKind::add, {3, 4}, {5}), make(OperatorKind::other, {5, 5}, {6})};
  n.operators[3].type = "Mystery";
  n.inputs = {0}, n.outputs = {5, 6};
  return n;
}

NetworkPtr finished(Network n) {
  Diagnostics d;
  LoadOptions o;
  o.keep_unsupported = o.allow_float = true;
  const auto done = finish_network(std::move(n), d, "test", o);
  EXPECT_TRUE(done) << d.text();
  return done;
}

TEST(Summary, EveryNumberOfASmallNetwork) {
  const auto n = finished(small());
  ASSERT_TRUE(n);
  const auto s = summarize(*n);
  ASSERT_EQ(s.layers.size(), 4u);
  const auto& conv = s.layers[0];
  EXPECT_EQ(conv.macs, 4 * 4 * 3 * 2);
  EXPECT_EQ(conv.parameters, 6 + 3);
  EXPECT_EQ(conv.parameter_bytes, 6 + 4 * 3);
  EXPECT_EQ(conv.input_bytes, 32);
  EXPECT_EQ(conv.output_bytes, 48);
  EXPECT_DOUBLE_EQ(conv.intensity(), 96.0 / (18 + 32 + 48));
  EXPECT_THAT(conv.inputs, ElementsAre(0));
  EXPECT_THAT(conv.constants, ElementsAre(1, 2));
  // a and b; b and c; b, c and d; d (an output) and e.
  EXPECT_EQ(conv.live_bytes, 32 + 48);
  EXPECT_EQ(s.layers[1].live_bytes, 48 + 48);
  EXPECT_EQ(s.layers[2].live_bytes, 3 * 48);
  EXPECT_EQ(s.layers[3].live_bytes, 48 + 5);
  EXPECT_EQ(s.peak_operator, 2);
  EXPECT_EQ(s.peak_bytes, 144);
  EXPECT_THAT(live_tensors(*n, 2), ElementsAre(3, 4, 5));
  EXPECT_THAT(live_tensors(*n, 3), ElementsAre(5, 6));
  EXPECT_EQ(s.layers[3].input_bytes, 48);  // read twice, counted once
  EXPECT_EQ(s.layers[1].intensity(), 0);
  EXPECT_EQ(s.macs, 96);
  EXPECT_EQ(s.parameters, 9);
  EXPECT_EQ(s.parameter_bytes, 18);
  EXPECT_EQ(s.variable_bytes, 0);
  EXPECT_THAT(s.unsupported, ElementsAre(3));
  EXPECT_TRUE(s.floating.empty());
}

TEST(Summary, KindsAreCountedAndUnknownOnesKeepTheirNames) {
  auto n = small();
  n.tensors.push_back(tensor("f", {1, 4, 4, 3}));
  n.operators.push_back(make(OperatorKind::relu, {5}, {7}));
  const auto s = summarize(*finished(std::move(n)));
  ASSERT_EQ(s.kinds.size(), 4u);
  EXPECT_EQ(s.kinds[0].kind, "relu");
  EXPECT_EQ(s.kinds[0].operators, 2);
  EXPECT_EQ(s.kinds[1].kind, "Mystery");
  EXPECT_EQ(s.kinds[2].kind, "add");
  EXPECT_EQ(s.kinds[3].kind, "conv");
  EXPECT_EQ(s.kinds[3].macs, 96);
  EXPECT_EQ(s.kinds[3].parameter_bytes, 18);
}

TEST(Summary, WhatNothingReadsIsLiveOnlyWhileItIsMade) {
  auto n = small();
  n.outputs = {6};
  n.tensors.push_back(tensor("unread input", {1000}));
  n.tensors.back().kind = TensorKind::input;
  n.inputs.push_back(7);
  n.tensors.push_back(tensor("f", {1, 4, 4, 3}));
  n.operators.insert(n.operators.begin() + 1, make(OperatorKind::relu, {3}, {8}));
  const auto s = summarize(*finished(std::move(n)));
  EXPECT_EQ(s.layers[1].live_bytes, 48 + 48);  // b and f
  EXPECT_EQ(s.layers[2].live_bytes, 48 + 48);  // b and c: f is gone
  EXPECT_EQ(s.layers[4].live_bytes, 48 + 5);
}

TEST(Summary, VariablesAreStateAndFillsAreOnlyCounted) {
  auto n = small();
  n.tensors.push_back(tensor("state", {7, 3}, TensorKind::variable, DataType::int16));
  n.tensors.push_back(tensor("value", {7, 3}, TensorKind::activation, DataType::int16));
  n.operators.push_back(make(OperatorKind::read_variable, {7}, {8}));
  auto& w = n.tensors[1];
  w.shape = {3, 1, 1, 2}, w.type = DataType::float32, w.data.clear(), w.fill = Fill{Fill::Kind::he_normal, 0, 1, 2};
  w.quantization = {};
  for (const std::size_t t : {0u, 2u, 3u}) n.tensors[t].type = DataType::float32, n.tensors[t].quantization = {};
  n.tensors[2].data.assign(12, 0);
  const auto done = finished(std::move(n));
  ASSERT_TRUE(done);
  const auto s = summarize(*done);
  EXPECT_EQ(s.variable_bytes, 42);
  EXPECT_EQ(s.layers[4].input_bytes, 42);
  EXPECT_EQ(s.layers[4].live_bytes, 48 + 5 + 42);  // the outputs and the value, not the variable
  EXPECT_EQ(s.layers[0].parameter_bytes, 4 * 9);
  EXPECT_THAT(s.floating, ElementsAre(0, 1, 2));  // b is float, so its readers are float operators too
  EXPECT_TRUE(done->tensors[1].data.empty());
}

TEST(SummaryQuantization, RangesAndQFormats) {
  Tensor w = tensor("w", {2, 1, 1, 2});
  w.kind = TensorKind::constant;
  w.quantization = {{0x1p-7f, 0x1p-7f}, {0, 0}, 0, {2, 5}};
  Operator op = make(OperatorKind::conv_2d, {}, {});
  EXPECT_EQ(format_text(op, w), "");  // not computed in Q formats
  op.options.rounding = Rounding::qformat;
  EXPECT_EQ(format_text(op, w), "Q0.7 x 2..5");
  w.quantization.correction = {3, 3};
  EXPECT_EQ(format_text(op, w), "Q0.7 x 3");
  w.quantization.correction.clear();
  w.type = DataType::int16, w.quantization.scale = {0x1p-10f}, w.quantization.zero_point = {0};
  EXPECT_EQ(format_text(op, w), "Q5.10");
  w.quantization.scale = {0.3f};
  EXPECT_EQ(format_text(op, w), "");  // no power of two
  const auto q = quantization_of(w);
  ASSERT_TRUE(q);
  EXPECT_FALSE(q->format);
  w.quantization = {};
  EXPECT_FALSE(quantization_of(w));
}

TEST(SummaryQuantization, TensorsAreGroupedByRoleTypeAndGranularity) {
  auto n = small();
  n.tensors[0].quantization = {{0.125f}, {-3}, 0, {}};
  n.tensors[1].quantization = {{0.5f, 0.25f, 2.0f}, {0, 0, 0}, 0, {}};
  n.tensors.push_back(tensor("unused", {1}));  // of no operator: not listed
  n.tensors.back().quantization.scale = {1e6f};
  const auto groups = quantization_groups(n);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_STREQ(name_of(groups[0].role), "activations");
  EXPECT_EQ(groups[0].tensors, 5);
  EXPECT_EQ(groups[0].range.scale_min, 0.125f);
  EXPECT_EQ(groups[0].range.scale_max, 0.5f);
  EXPECT_EQ(groups[0].range.zero_min, -3);
  EXPECT_EQ(groups[0].range.zero_max, 0);
  EXPECT_STREQ(name_of(groups[1].role), "weights");
  EXPECT_TRUE(groups[1].per_channel);
  EXPECT_EQ(groups[1].range.scale_max, 2.0f);
  EXPECT_STREQ(name_of(groups[2].role), "biases");
  EXPECT_TRUE(groups[0].formats.empty());
  for (auto& op : n.operators) op.options.rounding = Rounding::qformat;
  EXPECT_THAT(quantization_groups(n)[0].formats, ElementsAre("Q6.1"));
}

}  // namespace
}  // namespace dse::nn::summary_test
