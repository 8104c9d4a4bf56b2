// Rewritten networks compute what the originals do.
#include "models/nn/passes/passes.h"

#include <gmock/gmock.h>

#include <cmath>

#include "onnx_writer.h"

namespace dse::nn::test::passes_test {
namespace {

using ::testing::ElementsAre;

std::string kinds(const Network& n) {
  std::string text;
  for (const auto& op : n.operators) text += (text.empty() ? "" : " ") + std::string(key_of(op.kind));
  return text;
}

NetworkPtr finished(Network n) {
  Diagnostics d;
  LoadOptions options;
  options.allow_float = true;
  auto out = finish_network(std::move(n), d, "rewritten", options);
  EXPECT_TRUE(out) << d.text();
  return out;
}

/// [N, C, H, W] to [N, H, W, C] or back.
std::vector<float> turned(const std::vector<float>& x, const Shape& s, bool to_last) {
  std::vector<float> out(x.size());
  const auto [n, c, h, w] = std::tuple(s[0], s[1], s[2], s[3]);
  for (std::int64_t b = 0; b < n; ++b)
    for (std::int64_t i = 0; i < c; ++i)
      for (std::int64_t y = 0; y < h; ++y)
        for (std::int64_t z = 0; z < w; ++z) {
          const auto first = static_cast<std::size_t>(((b * c + i) * h + y) * w + z);
          const auto last = static_cast<std::size_t>(((b * h + y) * w + z) * c + i);
          (to_last ? out[last] : out[first]) = x[to_last ? first : last];
        }
  return out;
}

std::vector<std::vector<float>> evaluate(const Network& n, const std::vector<std::vector<float>>& inputs) {
  std::vector<std::vector<std::uint8_t>> bytes;
  for (const auto& i : inputs) bytes.push_back(bytes_of(i));
  const auto values = interpret(n, bytes);
  std::vector<std::vector<float>> out;
  for (const int t : n.outputs) out.push_back(floats_of(values[static_cast<std::size_t>(t)]));
  return out;
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  float most = 1e-6f;
  for (const float v : b) most = std::max(most, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-4f * most) << i;
}

/// The network as imported and as [N, H, W, C] make the same outputs. @returns the second one's kinds.
std::string compare_channels_last(const OnnxModel& m) {
  const auto first = import(m);
  EXPECT_TRUE(first.network) << first.errors;
  if (!first.network) return {};
  const auto last = finished(to_channels_last(*first.network));
  if (!last) return {};
  for (const auto& op : last->operators) EXPECT_FALSE(op.options.channels_first) << op.name;
  std::vector<std::vector<float>> a, b;
  for (std::size_t i = 0; i < first->inputs.size(); ++i) {
    const auto& shape = first->tensors[static_cast<std::size_t>(first->inputs[i])].shape;
    const auto& now = last->tensors[static_cast<std::size_t>(last->inputs[i])].shape;
    std::size_t elements = 1;
    for (const auto d : shape) elements *= static_cast<std::size_t>(d);
    a.push_back(noise(elements, 7 + i));
    b.push_back(shape == now ? a.back() : turned(a.back(), shape, true));
  }
  const auto expected = evaluate(*first.network, a);
  auto made = evaluate(*last, b);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& shape = first->tensors[static_cast<std::size_t>(first->outputs[i])].shape;
    const auto& now = last->tensors[static_cast<std::size_t>(last->outputs[i])].shape;
    if (shape != now) made[i] = turned(made[i], shape, false);
    expect_near(made[i], expected[i]);
  }
  return kinds(*last);
}

OnnxModel image(const Shape& x = {1, 3, 8, 6}) {
  OnnxModel m;
  m.input("x", x).floats("w", {4, 3, 3, 3}, noise(108, 1)).floats("b", {4}, noise(4, 2));
  m.node("Conv", {"x", "w", "b"}, {"c"}, {{"pads", {1, 1, 1, 1}}});  // [1, 4, 8, 6]
  return m;
}

TEST(ChannelsLast, ImagesStayImages) {
  OnnxModel m = image();
  m.floats("slope", {4, 1, 1}, noise(4, 3)).floats("scale", {1, 4, 1, 1}, noise(4, 4)).floats("row", {6}, noise(6, 5));
  m.node("PRelu", {"c", "slope"}, {"p"}).node("Mul", {"p", "scale"}, {"q"}).node("Add", {"q", "row"}, {"r"});
  m.node("Concat", {"r", "c"}, {"cat"}, {{"axis", 1}});
  m.node("Softmax", {"cat"}, {"s"}, {{"axis", 1}});
  m.node("LRN", {"s"}, {"l"}, {{"size", 3}});
  m.int64s("pads", {0, 1, 2, 0, 0, 0, 1, 3}).node("Pad", {"l", "pads"}, {"padded"});
  m.int64s("from", {1}).int64s("to", {9}).int64s("axis", {2});
  m.node("Slice", {"padded", "from", "to", "axis"}, {"cut"});
  m.node("Split", {"cut"}, {"y", "z"}, {{"axis", 3}}).output("z").output("y");
  EXPECT_EQ(compare_channels_last(m), "conv prelu mul add concat softmax lrn pad strided_slice split");
}

TEST(ChannelsLast, GroupsAndDepthwise) {
  OnnxModel m;
  m.input("x", {2, 6, 7, 7}).output("y");
  m.floats("d", {12, 1, 3, 3}, noise(108, 1))
      .floats("g", {4, 6, 2, 2}, noise(96, 2))
      .floats("t", {4, 3, 3, 3}, noise(108, 3));
  m.node("Conv", {"x", "d"}, {"a"}, {{"group", 6}, {"strides", {2, 1}}, {"pads", {1, 1, 1, 1}}});
  m.node("Conv", {"a", "g"}, {"b"}, {{"group", 2}});
  m.node("ConvTranspose", {"b", "t"}, {"y"}, {{"group", 2}, {"strides", {2, 2}}, {"pads", {1, 0, 0, 1}}});
  EXPECT_EQ(compare_channels_last(m), "depthwise conv transpose_conv");
}

TEST(ChannelsLast, FlattenMovesIntoTheWeights) {
  OnnxModel m = image();
  m.floats("v", {192, 5}, noise(960, 6)).floats("d", {5}, noise(5, 7)).output("y");
  m.node("MaxPool", {"c"}, {"p"}, {{"kernel_shape", {1, 1}}});
  m.node("Flatten", {"p"}, {"f"}).node("Relu", {"f"}, {"r"});
  m.node("Gemm", {"r", "v", "d"}, {"y"}, {{"alpha", 0.5f}, {"beta", 2.0f}});
  EXPECT_EQ(compare_channels_last(m), "conv max_pool reshape relu fully_connected");
}

TEST(ChannelsLast, FlattenWithoutWeightsTransposes) {
  OnnxModel m = image();
  m.output("y").node("Flatten", {"c"}, {"y"});
  EXPECT_EQ(compare_channels_last(m), "conv transpose reshape");
}

TEST(ChannelsLast, ReductionsAndReshapes) {
  OnnxModel m = image();
  m.output("y").output("z").output("s");
  m.node("GlobalAveragePool", {"c"}, {"g"}).node("Flatten", {"g"}, {"flat"});
  m.floats("v", {3, 4}, noise(12, 8)).node("Gemm", {"flat", "v"}, {"y"}, {{"transB", 1}});
  m.node("ReduceMean", {"c"}, {"z"}, {{"axes", {2, 3}}, {"keepdims", 0}});
  m.node("ReduceMax", {"c"}, {"s"}, {{"axes", {0}}, {"keepdims", 0}});  // [C, H, W]: needs the file's order
  EXPECT_EQ(compare_channels_last(m), "conv global_average_pool reshape fully_connected mean transpose reduce_max");
}

TEST(ChannelsLast, SqueezeAndExcite) {
  OnnxModel m = image();
  m.output("y").floats("v", {4, 4}, noise(16, 8));
  m.int64s("four", {1, 4, 1, 1});
  m.node("GlobalAveragePool", {"c"}, {"g"}).node("Flatten", {"g"}, {"flat"}).node("MatMul", {"flat", "v"}, {"e"});
  m.node("HardSigmoid", {"e"}, {"h"}).node("Reshape", {"h", "four"}, {"r"}).node("Mul", {"c", "r"}, {"y"});
  EXPECT_EQ(compare_channels_last(m),
            "conv global_average_pool reshape fully_connected hard_sigmoid reshape reshape mul");
}

TEST(ChannelsLast, TranspositionsOfTheFileCancel) {
  // A file made from [N, H, W, C]: transposed before and after every image operator.
  OnnxModel m;
  m.input("x", {1, 8, 6, 3}).output("y").floats("w", {4, 3, 3, 3}, noise(108, 1));
  m.node("Transpose", {"x"}, {"t"}, {{"perm", {0, 3, 1, 2}}}).node("Conv", {"t", "w"}, {"c"});
  m.node("Transpose", {"c"}, {"d"}, {{"perm", {0, 2, 3, 1}}}).node("Relu", {"d"}, {"y"});
  EXPECT_EQ(compare_channels_last(m), "conv relu");
}

TEST(ChannelsLast, ResizesAndWindows) {
  OnnxModel m = image();
  m.output("y").floats("roi", {0}, {}).floats("scales", {4}, {1, 1, 2, 3});
  m.node("Resize", {"c", "roi", "scales"}, {"u"}, {{"mode", "linear"}});
  m.node("AveragePool", {"u"}, {"y"}, {{"kernel_shape", {3, 2}}, {"strides", {2, 2}}, {"pads", {1, 0, 1, 1}}});
  EXPECT_EQ(compare_channels_last(m), "conv resize_bilinear average_pool");
}

TEST(FoldBatchNorm, IntoConvolutionsAndProducts) {
  OnnxModel m = image();
  const auto positive = [](std::size_t count, std::uint64_t seed) {
    auto v = noise(count, seed);
    for (float& x : v) x = 0.5f + std::abs(x);
    return v;
  };
  m.floats("scale", {4}, noise(4, 10)).floats("offset", {4}, noise(4, 11)).floats("mean", {4}, noise(4, 12));
  m.floats("variance", {4}, positive(4, 13))
      .floats("factor", {4, 1, 1}, noise(4, 14))
      .floats("summand", {1, 4, 1, 1}, noise(4, 15));
  m.node("BatchNormalization", {"c", "scale", "offset", "mean", "variance"}, {"n"});
  m.node("Mul", {"factor", "n"}, {"f"}).node("Add", {"f", "summand"}, {"s"}).node("Relu", {"s"}, {"r"});
  m.floats("t", {4, 3, 2, 2}, noise(48, 16)).node("ConvTranspose", {"r", "t"}, {"u"}, {{"group", 2}});  // 6 channels
  m.floats("six", {6, 1, 1}, noise(6, 17)).node("Mul", {"u", "six"}, {"v"}).node("GlobalAveragePool", {"v"}, {"g"});
  m.node("Flatten", {"g"}, {"flat"}).floats("w2", {6, 3}, noise(18, 18)).floats("b2", {1, 3}, noise(3, 19));
  m.node("Gemm", {"flat", "w2", "b2"}, {"h"}, {{"beta", 2.0f}}).floats("m3", {3}, noise(3, 20));
  m.node("Mul", {"h", "m3"}, {"i"}).node("Add", {"i", "m3"}, {"y"}).output("y");
  const auto before = import(m);
  ASSERT_TRUE(before.network) << before.errors;
  const auto after = finished(fold_batch_norm(*before.network));
  ASSERT_TRUE(after);
  EXPECT_EQ(kinds(*after), "conv relu transpose_conv global_average_pool reshape gemm");
  const auto x = noise(144, 21);
  expect_near(evaluate(*after, {x})[0], evaluate(*before.network, {x})[0]);
  // And all passes together, in the order in which a quantiser wants them.
  const auto all = finished(to_channels_last(fuse_activations(remove_identities(fold_batch_norm(*before.network)))));
  ASSERT_TRUE(all);
  EXPECT_EQ(kinds(*all), "conv transpose_conv global_average_pool reshape fully_connected");
  expect_near(evaluate(*all, {turned(x, {1, 3, 8, 6}, true)})[0], evaluate(*before.network, {x})[0]);
}

TEST(FoldBatchNorm, NotWhenSomethingReadsInBetween) {
  OnnxModel m = image();
  m.floats("f", {4, 1, 1}, noise(4, 3)).node("Mul", {"c", "f"}, {"y"}).output("y").output("c");
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(kinds(fold_batch_norm(*n.network)), "conv mul");
}

TEST(FuseActivations, OnlyBehindOperatorsThatHaveOne) {
  OnnxModel m = image();
  m.scalar("zero", 0).scalar("six", 6).scalar("five", 5);
  m.node("Clip", {"c", "zero", "six"}, {"a"}).node("Relu", {"a"}, {"r"}).node("Add", {"r", "c"}, {"d"});
  m.node("Clip", {"d", "zero", "five"}, {"y"}).output("y");
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  // c has two readers; [0, 5] is no fused activation.
  EXPECT_EQ(kinds(fuse_activations(*n.network)), "conv clip relu add clip");
  OnnxModel fused = image();
  fused.scalar("zero", 0).scalar("six", 6).node("Clip", {"c", "zero", "six"}, {"y"}).output("y");
  const auto f = import(fused);
  const Network after = fuse_activations(*f.network);
  EXPECT_EQ(kinds(after), "conv");
  EXPECT_EQ(after.operators[0].options.activation, Activation::relu6);
  const auto x = noise(144, 21);
  expect_near(evaluate(*finished(after), {x})[0], evaluate(*f.network, {x})[0]);
}

TEST(RemoveIdentities, OutputsKeepTheirNames) {
  OnnxModel m = image();
  m.node("Dropout", {"c"}, {"d"}).node("Identity", {"d"}, {"e"}).node("Relu", {"e"}, {"r"});
  m.node("Identity", {"r"}, {"y"}).node("Identity", {"x"}, {"z"}).output("y").output("z");
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  const auto after = finished(remove_identities(*n.network));
  ASSERT_TRUE(after);
  EXPECT_EQ(kinds(*after), "conv relu identity");
  EXPECT_EQ(after->tensors[static_cast<std::size_t>(after->outputs[0])].name, "y");
  EXPECT_EQ(after->tensors[static_cast<std::size_t>(after->outputs[1])].name, "z");
  const auto x = noise(144, 21);
  EXPECT_EQ(evaluate(*after, {x}), evaluate(*n.network, {x}));
}

}  // namespace
}  // namespace dse::nn::test::passes_test
