// Derivations of data movement, reductions, resizing and recurrent operators: what they refuse, and in which words;
// what calls they make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "models/nn/network.h"

namespace dse::nn::test::flat_derivation_test {
namespace {

using Shape = std::vector<std::int64_t>;
using testing::HasSubstr;

/// A network of one operator under construction.
struct Draft {
  Network n;
  Operator op;

  explicit Draft(OperatorKind kind) { op.kind = kind; }
  int add(TensorKind kind, Shape shape, DataType type, float scale, std::int64_t zero) {
    Tensor t;
    t.name = "t" + std::to_string(n.tensors.size());
    t.shape = std::move(shape), t.type = type, t.kind = kind;
    t.quantization = {{scale}, {zero}, 0, {}};
    if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.bytes()), 1);
    n.tensors.push_back(t);
    return static_cast<int>(n.tensors.size()) - 1;
  }
  Draft& in(Shape shape, DataType type = DataType::int8, float scale = 0.5f, std::int64_t zero = 0) {
    op.inputs.push_back(add(TensorKind::input, std::move(shape), type, scale, zero));
    n.inputs.push_back(op.inputs.back());
    return *this;
  }
  Draft& constant(Shape shape, DataType type = DataType::int8, float scale = 0.5f) {
    op.inputs.push_back(add(TensorKind::constant, std::move(shape), type, scale, 0));
    return *this;
  }
  Draft& out(Shape shape, DataType type = DataType::int8, float scale = 0.5f, std::int64_t zero = 0) {
    op.outputs.push_back(add(TensorKind::activation, std::move(shape), type, scale, zero));
    n.outputs.push_back(op.outputs.back());
    return *this;
  }
  Draft& with(const std::function<void(OperatorOptions&)>& set) {
    set(op.options);
    return *this;
  }
  NetworkPtr finish(Diagnostics& diags) const {
    Network copy = n;
    copy.operators.push_back(op);
    return finish_network(std::move(copy), diags, "draft");
  }
};

NetworkPtr accepted(const Draft& d) {
  Diagnostics diags;
  const NetworkPtr n = d.finish(diags);
  EXPECT_TRUE(n) << diags.text();
  return n;
}

std::string refusal(const Draft& d) {
  Diagnostics diags;
  EXPECT_FALSE(d.finish(diags));
  return diags.text();
}

TEST(FlatDerivation, PartsOfOtherShapesAreRefused) {
  const auto concat = [](Shape a, Shape b, Shape whole, int axis) {
    return Draft(OperatorKind::concatenation).in(a).in(b).out(whole).with([&](auto& o) { o.axis = axis; });
  };
  EXPECT_TRUE(accepted(concat({2, 3}, {2, 4}, {2, 7}, 1)));
  EXPECT_THAT(refusal(concat({2, 3}, {2, 4}, {2, 8}, 1)), HasSubstr("the parts make 7 of 8 elements along axis 1"));
  EXPECT_THAT(refusal(concat({2, 3}, {2, 4}, {2, 6}, 1)), HasSubstr("is no part of"));
  EXPECT_THAT(refusal(concat({2, 3}, {3, 4}, {2, 7}, 1)), HasSubstr("[3, 4] is no part of"));
  EXPECT_THAT(refusal(concat({2, 3}, {2}, {2, 7}, 1)), HasSubstr("[2] is no part of"));
  EXPECT_THAT(refusal(concat({2, 3}, {2, 4}, {2, 7}, 2)), HasSubstr("axis 2 of a tensor of 2 dimensions"));
  EXPECT_THAT(refusal(concat({2, 3}, {2, 4}, {2, 7}, -1)), HasSubstr("axis -1"));
}

TEST(FlatDerivation, APartOfAnotherScaleIsRequantisedWhereTheModeSaysHow) {
  const auto concat = [](Rounding r, DataType a, float scale_a) {
    return Draft(OperatorKind::concatenation)
        .in({1, 2}, a, scale_a)
        .in({1, 2}, DataType::int16)
        .out({1, 4}, DataType::int16)
        .with([&](auto& o) { o.axis = 1, o.rounding = r; });
  };
  for (const Rounding r : {Rounding::tflite, Rounding::single})
    EXPECT_THAT(refusal(concat(r, DataType::int16, 0.25f)), HasSubstr("are quantised differently"));
  for (const Rounding r : {Rounding::onnx, Rounding::qformat}) {
    for (const DataType type : {DataType::int8, DataType::int16}) {
      const NetworkPtr n = accepted(concat(r, type, 2.0f));
      ASSERT_TRUE(n);
      const auto first =
          type == DataType::int8 ? std::vector<std::uint8_t>{5, 0xfd} : std::vector<std::uint8_t>{5, 0, 0xfd, 0xff};
      const auto bytes = interpret(*n, {first, {7, 0, 9, 0}});
      EXPECT_EQ(bytes[2], (std::vector<std::uint8_t>{20, 0, 0xf4, 0xff, 7, 0, 9, 0}));
    }
  }
}

TEST(FlatDerivation, PartsAreSeenAsImagesWhereTheyAreOnes) {
  const NetworkPtr n =
      accepted(Draft(OperatorKind::split).in({1, 4, 5, 6}).out({1, 4, 5, 2}).out({1, 4, 5, 4}).with([](auto& o) {
        o.axis = 3;
      }));
  ASSERT_TRUE(n);
  const auto& calls = n->operators[0].calls;
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].op.out_h, 4);
  EXPECT_EQ(calls[1].op.out_w, 5);
  EXPECT_EQ(calls[1].op.out_c, 4);
  EXPECT_EQ(calls[1].operands[DSE_IN0].offset, 2);
  EXPECT_EQ(calls[1].operands[DSE_IN0].view.stride_w, 6);
  EXPECT_EQ(calls[1].operands[DSE_OUT].view.stride_w, 4);
}

TEST(FlatDerivation, TransposeNeedsAPermutation) {
  const auto transpose = [](Shape permutation, Shape out) {
    return Draft(OperatorKind::transpose).in({2, 3, 4}).out(out).with([&](auto& o) { o.permutation = permutation; });
  };
  EXPECT_TRUE(accepted(transpose({2, 0, 1}, {4, 2, 3})));
  EXPECT_THAT(refusal(transpose({2, 0, 1}, {4, 3, 2})), HasSubstr("the operator makes [4, 2, 3]"));
  EXPECT_THAT(refusal(transpose({2, 0, 0}, {4, 2, 2})), HasSubstr("is not a permutation"));
  EXPECT_THAT(refusal(transpose({3, 0, 1}, {4, 2, 3})), HasSubstr("is not a permutation"));
  EXPECT_THAT(refusal(transpose({1, 0}, {3, 2, 4})), HasSubstr("permutation [1, 0] of a tensor of 3 dimensions"));
}

TEST(FlatDerivation, SlicesStayInside) {
  const auto slice = [](std::int64_t begin, std::int64_t end, std::int64_t stride, std::int64_t count) {
    return Draft(OperatorKind::strided_slice).in({9}).out({count}).with([&](auto& o) {
      o.begin = {begin}, o.end = {end}, o.strides = {stride};
    });
  };
  EXPECT_TRUE(accepted(slice(8, -1, -4, 3)));
  EXPECT_TRUE(accepted(slice(0, 9, INT32_MAX / 64, 1)));
  for (const auto& bad : {slice(0, 10, 1, 10), slice(9, 9, 1, 1), slice(-1, 3, 1, 4), slice(4, 2, 1, 1),
                          slice(0, 3, 0, 3), slice(0, 9, INT64_MIN + 1, 1), slice(INT64_MIN, INT64_MAX, 1, 9)})
    EXPECT_THAT(refusal(bad), HasSubstr("slice from"));
  EXPECT_THAT(refusal(slice(0, 9, 2, 4)), HasSubstr("the operator makes [5]"));
}

TEST(FlatDerivation, BordersFit) {
  const auto pad = [](OperatorKind kind, std::int64_t before, std::int64_t after, std::int64_t out, bool symmetric) {
    return Draft(kind).in({4}).out({out}).with(
        [&](auto& o) { o.pad_before = {before}, o.pad_after = {after}, o.mirror_symmetric = symmetric; });
  };
  EXPECT_TRUE(accepted(pad(OperatorKind::mirror_pad, 3, 3, 10, false)));
  EXPECT_TRUE(accepted(pad(OperatorKind::mirror_pad, 4, 4, 12, true)));
  EXPECT_THAT(refusal(pad(OperatorKind::mirror_pad, 4, 0, 8, false)), HasSubstr("is not within 0 to 3"));
  EXPECT_THAT(refusal(pad(OperatorKind::pad, -1, 2, 5, false)), HasSubstr("padding -1 along axis 0"));
  EXPECT_THAT(refusal(pad(OperatorKind::pad, INT64_MAX, 0, 5, false)), HasSubstr("is not within"));
  EXPECT_THAT(refusal(pad(OperatorKind::pad, 1, 1, 7, false)), HasSubstr("the operator makes [6]"));
}

TEST(FlatDerivation, ReductionsAlongAxesThatExist) {
  const auto mean = [](Shape axes, Shape out) {
    return Draft(OperatorKind::mean).in({2, 3, 4}).out(out).with([&](auto& o) { o.axes = axes; });
  };
  EXPECT_TRUE(accepted(mean({0, 2}, {3})));
  EXPECT_TRUE(accepted(mean({0, 2}, {1, 3, 1})));
  EXPECT_THAT(refusal(mean({3}, {2, 3, 4})), HasSubstr("axis 3 of a tensor of 3 dimensions"));
  EXPECT_THAT(refusal(mean({-1}, {2, 3})), HasSubstr("axis -1"));
  EXPECT_THAT(refusal(mean({0}, {3, 5})), HasSubstr("the operator makes [1, 3, 4]"));
  EXPECT_THAT(refusal(Draft(OperatorKind::reduce_max).in({4}).out({1}, DataType::int8, 0.25f).with([](auto& o) {
                o.axes = {0};
              })),
              HasSubstr("quantised differently"));
}

TEST(FlatDerivation, ResizingKeepsBatchAndChannels) {
  const auto resize = [](Shape out) { return Draft(OperatorKind::resize_bilinear).in({2, 3, 4, 5}).out(out); };
  const NetworkPtr n = accepted(resize({2, 9, 1, 5}));
  ASSERT_TRUE(n);
  EXPECT_EQ(n->operators[0].calls.size(), 2u);  // one per image
  EXPECT_THAT(refusal(resize({2, 9, 1, 6})), HasSubstr("only height and width may change"));
  EXPECT_THAT(refusal(resize({9, 1, 5})), HasSubstr("not four dimensions"));
}

TEST(FlatDerivation, FixedOutputScalesAreChecked) {
  EXPECT_THAT(refusal(Draft(OperatorKind::log_softmax).in({4}).out({4})), HasSubstr("not 0.0625 and 127"));
  EXPECT_THAT(refusal(Draft(OperatorKind::l2_normalization).in({4}).out({4})), HasSubstr("not 0.0078125 and 0"));
}

Draft svdf() {
  Draft d =
      Draft(OperatorKind::svdf).in({1, 3}).constant({4, 3}).constant({4, 2}).constant({2}, DataType::int32, 0.25f);
  d.op.inputs.push_back(d.add(TensorKind::variable, {1, 8}, DataType::int8, 0.5f, 0));
  return d.out({1, 2}).with([](auto& o) { o.rank = 2; });
}

TEST(FlatDerivation, RecurrentOperatorsNeedConstantWeightsAndVariables) {
  EXPECT_EQ(accepted(svdf())->macs(), 4 * (3 + 2));
  Draft d = svdf();
  d.n.tensors[1].kind = TensorKind::input;
  EXPECT_THAT(refusal(d), HasSubstr("feature weights 't1' are not constant"));
  d = svdf();
  d.n.tensors[4].kind = TensorKind::input;
  EXPECT_THAT(refusal(d), HasSubstr("state 't4' is not a variable"));
  d = svdf();
  d.n.tensors[4].shape = {1, 9};
  EXPECT_THAT(refusal(d), HasSubstr("not 8 elements"));
  d = svdf();
  d.op.options.rank = 3;
  EXPECT_THAT(refusal(d), HasSubstr("4 filters of rank 3"));
  d = svdf();
  d.n.tensors[3].quantization.scale = {0.5f};
  EXPECT_THAT(refusal(d), HasSubstr("bias 't3' has scale 0.5"));
  d = svdf();
  d.op.options.rounding = Rounding::onnx;
  EXPECT_THAT(refusal(d), HasSubstr("not defined in mode onnx"));
}

TEST(FlatDerivation, AnLstmWithoutWeightsOrStatesIsRefused) {
  const auto lstm = [] {
    Draft d = Draft(OperatorKind::unidirectional_sequence_lstm).in({1, 2, 3});
    d.op.inputs.resize(24, -1);
    for (std::size_t g = 0; g < 4; ++g) {
      d.op.inputs[1 + g] = d.add(TensorKind::constant, {5, 3}, DataType::int8, 0.01f, 0);
      d.op.inputs[5 + g] = d.add(TensorKind::constant, {5, 5}, DataType::int8, 0.01f, 0);
    }
    d.op.inputs[18] = d.add(TensorKind::variable, {1, 5}, DataType::int8, 0.5f, 0);
    d.op.inputs[19] = d.add(TensorKind::variable, {1, 5}, DataType::int16, 1.0f / 2048, 0);
    return d.out({1, 2, 5});
  };
  EXPECT_EQ(accepted(lstm())->macs(), 2 * 4 * 5 * (3 + 5));
  Draft d = lstm();
  d.op.inputs[7] = -1;
  EXPECT_THAT(refusal(d), HasSubstr("has no recurrent weights"));
  d = lstm();
  d.op.inputs[19] = -1;
  EXPECT_THAT(refusal(d), HasSubstr("has no cell state"));
  d = lstm();
  d.op.inputs[10] = d.op.inputs[1];
  EXPECT_THAT(refusal(d), HasSubstr("peepholes"));
  d = lstm();
  d.n.tensors[static_cast<std::size_t>(d.op.inputs[19])].quantization.scale = {0.0005f};
  EXPECT_THAT(refusal(d), HasSubstr("not a power of two"));
}

}  // namespace
}  // namespace dse::nn::test::flat_derivation_test
