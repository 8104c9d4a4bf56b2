// DEQUANTIZE -> operator -> QUANTIZE, from the file to the bytes, against loops that share no code with the project.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "quantized_files.h"

namespace dse::nn::test::quantized_test {
namespace {

using ::testing::HasSubstr;

/// A file with one DEQUANTIZE -> node -> QUANTIZE.
struct Pair {
  OnnxModel m{13};
  Pair(const std::vector<std::pair<std::string, Map>>& inputs, const Map& y) {
    for (const auto& [name, map] : inputs) {
      m.input(name, {1, map.c, map.h, map.w}, map.lo < 0 ? i8 : u8);
      dequantize(name, map);
    }
    add_quantization(m, "y", y);
    m.node("QuantizeLinear", {"y_f", "y_s", "y_z"}, {"y"}).output("y");
  }
  void dequantize(const std::string& name, const Map& map) {
    add_quantization(m, name, map);
    m.node("DequantizeLinear", {name, name + "_s", name + "_z"}, {name + "_f"});
  }
};

TEST(QuantizedPairs, ResidualBlockEqualsTheLoops) {
  // DQ -> Conv -> Relu -> Q, DQ -> Add -> Q, max pool, DQ -> GlobalAveragePool -> Q, Flatten, DQ -> Gemm -> Q.
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Map x = map_of(6, 8, 8, 0.02, 11, true, seed);
    Map a = like(0.05, -20, true), s = like(0.07, -9, true), p = like(0, 0, true), g = like(0.011, 4, true);
    Map y = like(0.09, 1, true);
    const auto w = integers(6 * 6 * 9, -127, 127, seed + 1);
    const auto w2 = integers(6 * 10, -127, 127, seed + 2);
    const auto scales = scales_of(6, seed + 3), scales2 = scales_of(10, seed + 4);
    const auto bias = integers(6, -3000, 3000, seed + 5);
    const auto real_bias = noise(10, seed + 6);

    OnnxModel m;
    m.input("x", {1, 6, 8, 8}, i8).output("y");
    const auto dequantize = [&](const std::string& name, const Map& map) {
      add_quantization(m, name, map);
      m.node("DequantizeLinear", {name, name + "_s", name + "_z"}, {name + "_f"});
    };
    const auto quantize = [&](const std::string& name) {
      m.node("QuantizeLinear", {name + "_r", name + "_s", name + "_z"}, {name});
    };
    dequantize("x", x);
    add_weights(m, {6, 6, 3, 3}, w, scales);
    m.node("DequantizeLinear", {"w", "w_s", "w_z"}, {"w_f"}, {{"axis", 0}});
    m.int32s("b", {bias.begin(), bias.end()});
    std::vector<float> bias_scales;
    for (const double v : scales) bias_scales.push_back(static_cast<float>(x.scale * v));
    m.floats("b_s", {6}, bias_scales).int32s("b_z", std::vector<std::int32_t>(6, 0));
    m.node("DequantizeLinear", {"b", "b_s", "b_z"}, {"b_f"}, {{"axis", 0}});
    m.node("Conv", {"x_f", "w_f", "b_f"}, {"conv"}, {{"pads", {1, 1, 1, 1}}, {"kernel_shape", {3, 3}}});
    m.node("Relu", {"conv"}, {"a_r"});
    dequantize("a", a);
    quantize("a");
    m.node("Add", {"a_f", "x_f"}, {"s_r"});
    dequantize("s", s);
    quantize("s");
    m.node("MaxPool", {"s_f"}, {"p_f"}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
    m.node("GlobalAveragePool", {"p_f"}, {"g_r"});
    dequantize("g", g);
    quantize("g");
    m.node("Flatten", {"g_f"}, {"flat"});
    m.int8s("v", {10, 6}, [&] {
      std::vector<int> turned;  // transB
      for (int o = 0; o < 10; ++o)
        for (int i = 0; i < 6; ++i) turned.push_back(w2[static_cast<std::size_t>(i * 10 + o)]);
      return turned;
    }());
    m.floats("v_s", {10}, {scales2.begin(), scales2.end()}).int8s("v_z", {10}, std::vector<int>(10, 0));
    m.node("DequantizeLinear", {"v", "v_s", "v_z"}, {"v_f"}, {{"axis", 0}});
    m.floats("c", {10}, real_bias);
    m.node("Gemm", {"flat", "v_f", "c"}, {"y_r"}, {{"transB", 1}});
    add_quantization(m, "y", y);
    quantize("y");

    const auto n = import(m);
    ASSERT_TRUE(n.network) << n.errors;
    EXPECT_EQ(types(*n.network), "conv add max_pool global_average_pool reshape fully_connected");
    for (const auto& op : n->operators) EXPECT_EQ(op.evaluation, Evaluation::kernel) << op.name;

    a.c = 6;
    loops::conv(x, w, scales, {0}, {bias.begin(), bias.end()}, {3, 1, 1, 1, 1, 1, 1, 1}, a);
    loops::relu(a);
    loops::add(a, x, 1, s);
    loops::max_pool(s, {2, 2, 1, 0, 0, 0, 0, 1}, p);
    loops::global_average_pool(p, g);
    std::vector<std::int32_t> integer_bias;
    for (std::size_t i = 0; i < 10; ++i)
      integer_bias.push_back(static_cast<std::int32_t>(std::nearbyint(
          static_cast<double>(real_bias[i]) / (g.scale * static_cast<double>(static_cast<float>(scales2[i]))))));
    loops::matmul(g.q, 6, w2, scales2, integer_bias, g, y);
    EXPECT_EQ(run(n, {x.bytes_last()}), narrow(y.q)) << "seed " << seed;
  }
}

TEST(QuantizedPairs, ElementwiseOperatorsEqualTheLoops) {
  struct Case {
    const char* type;
    std::function<void(const Map&, const Map&, Map&)> expected;
    int operands;
    std::vector<Attribute> attributes;
  };
  const auto by_table = [](double (*f)(double)) {
    return [f](const Map& a, const Map&, Map& y) { loops::table(a, f, y); };
  };
  const std::vector<Case> cases = {
      {"Add", [](const Map& a, const Map& b, Map& y) { loops::add(a, b, 1, y); }, 2, {}},
      {"Sub", [](const Map& a, const Map& b, Map& y) { loops::add(a, b, -1, y); }, 2, {}},
      {"Mul", [](const Map& a, const Map& b, Map& y) { loops::mul(a, b, y); }, 2, {}},
      {"Sigmoid", by_table([](double v) { return 1 / (1 + std::exp(-v)); }), 1, {}},
      {"Tanh", by_table([](double v) { return std::tanh(v); }), 1, {}},
      {"HardSwish", by_table([](double v) { return v * std::fmax(0, std::fmin(1, v / 6 + 0.5)); }), 1, {}},
      {"LeakyRelu",
       by_table([](double v) { return v < 0 ? v * static_cast<double>(0.125f) : v; }),
       1,
       {{"alpha", 0.125f}}},
      {"Relu",
       [](const Map& a, const Map&, Map& y) {
         loops::requantise(a, y);
         loops::relu(y);
       },
       1,
       {}},
      {"GlobalAveragePool", [](const Map& a, const Map&, Map& y) { loops::global_average_pool(a, y); }, 1, {}},
      {"AveragePool",
       [](const Map& a, const Map&, Map& y) {
         loops::average_pool(a, {3, 2, 1, 1, 1, 1, 1, 1}, false, y);
       },
       1,
       {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}}},
      {"AveragePool",
       [](const Map& a, const Map&, Map& y) {
         loops::average_pool(a, {3, 2, 1, 1, 1, 1, 1, 1}, true, y);
       },
       1,
       {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}, {"count_include_pad", 1}}},
  };
  for (const auto& c : cases)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const bool is_signed = seed % 2 == 0;
      const Map a = map_of(5, 7, 6, 0.047, is_signed ? -7 : 99, is_signed, seed);
      const Map b = map_of(5, 7, 6, 0.013, is_signed ? 30 : 140, is_signed, seed + 50);
      Map y = like(0.029, is_signed ? -2 : 100, is_signed);
      std::vector<std::pair<std::string, Map>> inputs{{"a", a}};
      if (c.operands == 2) inputs.emplace_back("b", b);
      Pair file(inputs, y);
      file.m.node(c.type, c.operands == 2 ? Names{"a_f", "b_f"} : Names{"a_f"}, {"y_f"}, c.attributes);
      if (std::string(c.type) == "HardSwish") file.m.proto.mutable_opset_import(0)->set_version(14);
      const auto n = import(file.m);
      ASSERT_TRUE(n.network) << c.type << ": " << n.errors;
      EXPECT_EQ(n->operators.size(), 1u) << c.type << ": " << types(*n.network);
      c.expected(a, b, y);
      std::vector<std::vector<std::uint8_t>> bytes{a.bytes_last()};
      if (c.operands == 2) bytes.push_back(b.bytes_last());
      EXPECT_EQ(run(n, bytes), y.bytes_last()) << c.type << ", seed " << seed;
    }
}

TEST(QuantizedPairs, MovedValuesNeedNoArithmetic) {
  const Map x = map_of(3, 4, 5, 0.05, 7, true, 1);
  Pair file({{"x", x}}, x);
  // NCHW -> [N, W, H, C]; the result is what the file says, so no images any more.
  file.m.node("Transpose", {"x_f"}, {"y_f"}, {{"perm", {0, 3, 2, 1}}});
  const auto n = import(file.m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(types(*n.network), "transpose");
  std::vector<int> expected;
  for (int w = 0; w < 5; ++w)
    for (int h = 0; h < 4; ++h)
      for (int c = 0; c < 3; ++c) expected.push_back(x.at(c, h, w));
  // No operator of the file asks for images, so the input stays as it is.
  EXPECT_EQ(run(n, {narrow(x.q)}), narrow(expected));
}

TEST(QuantizedPairs, FlattenOfAMapMovesIntoTheWeights) {
  const Map x = map_of(4, 3, 3, 0.05, -3, true, 9);
  Map y = like(0.4, 2, true);
  const auto w = integers(36 * 7, -127, 127, 10);
  OnnxModel m;
  m.input("x", {1, 4, 3, 3}, i8).output("y");
  add_quantization(m, "x", x);
  add_quantization(m, "y", y);
  m.node("MaxPool", {"x"}, {"p"}, {{"kernel_shape", {1, 1}}});  // an image
  m.node("Flatten", {"p"}, {"f"});
  add_weights(m, {36, 7}, w, {0.01});
  m.node("QLinearMatMul", {"f", "x_s", "x_z", "w", "w_s", "w_z", "y_s", "y_z"}, {"y"});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(types(*n.network), "max_pool reshape fully_connected");
  loops::matmul(x.q, 36, w, {static_cast<double>(0.01f)}, {}, x, y);
  EXPECT_EQ(run(n, {x.bytes_last()}), narrow(y.q));
}

TEST(QuantizedPairs, TransposedConvolutionAndMeans) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Map x = map_of(3, 4, 5, 0.05, -3, true, seed);
    Map t = like(0.4, 2, true), y = like(0.1, 5, true);
    const auto w = integers(3 * 4 * 9, -127, 127, seed + 10);
    const auto bias = integers(4, -5000, 5000, seed + 20);
    OnnxModel m;
    m.input("x", {1, 3, 4, 5}, i8).output("y");
    add_quantization(m, "x", x);
    add_quantization(m, "t", t);
    add_quantization(m, "y", y);
    add_weights(m, {3, 4, 3, 3}, w, {0.02});
    m.node("DequantizeLinear", {"x", "x_s", "x_z"}, {"xf"}).node("DequantizeLinear", {"w", "w_s", "w_z"}, {"wf"});
    m.int32s("b", {bias.begin(), bias.end()}).scalar("b_s", static_cast<float>(x.scale * 0.02)).int32s("b_z", {0});
    m.node("DequantizeLinear", {"b", "b_s"}, {"bf"});
    m.node("ConvTranspose", {"xf", "wf", "bf"}, {"tr"}, {{"strides", {2, 2}}, {"pads", {1, 0, 1, 1}}});
    m.node("QuantizeLinear", {"tr", "t_s", "t_z"}, {"t"}).node("DequantizeLinear", {"t", "t_s", "t_z"}, {"tf"});
    m.node("ReduceMean", {"tf"}, {"yr"}, {{"axes", {2, 3}}, {"keepdims", 0}});
    m.node("QuantizeLinear", {"yr", "y_s", "y_z"}, {"y"});
    const auto n = import(m);
    ASSERT_TRUE(n.network) << n.errors;
    EXPECT_EQ(types(*n.network), "transpose_conv mean");
    t.c = 4;
    loops::conv_transpose(x, w, static_cast<double>(0.02f), {bias.begin(), bias.end()}, {3, 2, 1, 1, 0, 1, 1, 1}, t);
    loops::global_average_pool(t, y);
    EXPECT_EQ(run(n, {x.bytes_last()}), narrow(y.q)) << "seed " << seed;
  }
}

TEST(QuantizedPairs, ConcatRequantisesItsParts) {
  const Map a = map_of(3, 4, 4, 0.05, 7, true, 1), b = map_of(2, 4, 4, 0.11, -7, true, 2);
  Map y = like(0.08, 1, true);
  Pair file({{"a", a}, {"b", b}}, y);
  // An operator on images first, so that the network becomes NHWC.
  file.m.node("MaxPool", {"a_f"}, {"a_p"}, {{"kernel_shape", {1, 1}}});
  file.m.node("Concat", {"a_p", "b_f"}, {"y_f"}, {{"axis", 1}});
  const auto n = import(file.m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(types(*n.network), "max_pool concat");
  Map ya = y, yb = y;
  loops::requantise(a, ya);
  loops::requantise(b, yb);
  y = ya;
  y.c = 5;
  y.q.insert(y.q.end(), yb.q.begin(), yb.q.end());
  EXPECT_EQ(run(n, {a.bytes_last(), b.bytes_last()}), y.bytes_last());
}

TEST(QuantizedPairs, WhatCannotBeFoldedStaysFloat) {
  const Map x = map_of(3, 4, 4, 0.05, 7, true, 1);
  Pair file({{"x", x}}, like(0.01, 0, true));
  file.m.node("Softmax", {"x_f"}, {"y_f"}, {{"axis", 1}});
  const auto n = import(file.m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(types(*n.network), "dequantize softmax quantize");
  const auto values = run(n, {narrow(x.q)});
  // By hand for the first pixel.
  double sum = 0, e[3];
  for (int c = 0; c < 3; ++c) sum += e[c] = std::exp(x.scale * (x.at(c, 0, 0) - x.zero));
  for (int c = 0; c < 3; ++c)
    EXPECT_EQ(static_cast<std::int8_t>(values[static_cast<std::size_t>(c * 16)]),
              static_cast<int>(std::nearbyint(std::fmin(127, e[c] / sum / static_cast<double>(0.01f)))));
}

TEST(QuantizedPairs, FloatInputAndOutputAreConverted) {
  OnnxModel m;
  m.input("x", {1, 2, 3, 3}).output("z");
  Map x = like(0.05, 3, true), y = like(0.2, -4, true);
  const auto w = integers(2 * 2, -127, 127, 4);
  add_quantization(m, "x", x);
  add_quantization(m, "y", y);
  m.node("QuantizeLinear", {"x", "x_s", "x_z"}, {"q"}).node("DequantizeLinear", {"q", "x_s", "x_z"}, {"f"});
  add_weights(m, {2, 2, 1, 1}, w, {0.02});
  m.node("DequantizeLinear", {"w", "w_s", "w_z"}, {"w_f"});
  m.node("Conv", {"f", "w_f"}, {"c"});
  m.node("QuantizeLinear", {"c", "y_s", "y_z"}, {"cq"}).node("DequantizeLinear", {"cq", "y_s", "y_z"}, {"z"});
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(types(*n.network), "quantize conv dequantize");
  const auto real = noise(18, 77);
  x.c = 2, x.h = x.w = 3, x.lo = -128, x.hi = 127;
  std::vector<float> last(18);
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 9; ++i) {
      const float v = real[static_cast<std::size_t>(c * 9 + i)] * 4;
      last[static_cast<std::size_t>(i * 2 + c)] = v;
      x.q.push_back(std::clamp(static_cast<int>(std::nearbyint(v / 0.05f)) + 3, -128, 127));
    }
  y.c = 2;
  loops::conv(x, w, {static_cast<double>(0.02f)}, {0}, {}, {}, y);
  const auto values = floats_of(run(n, {bytes_of(last)}));
  ASSERT_EQ(values.size(), 18u);
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 9; ++i)
      EXPECT_EQ(values[static_cast<std::size_t>(i * 2 + c)],
                static_cast<float>(y.q[static_cast<std::size_t>(c * 9 + i)] + 4) * 0.2f);
}

TEST(QuantizedPairs, ATensorHasOneScale) {
  OnnxModel m;
  m.input("x", {1, 2, 3, 3}, i8).output("y").output("z");
  m.scalar("s", 0.1f).scalar("t", 0.2f).int8s("zero", {}, {0});
  m.node("DequantizeLinear", {"x", "s", "zero"}, {"y"}).node("DequantizeLinear", {"x", "t", "zero"}, {"z"});
  EXPECT_THAT(import(m).errors, HasSubstr("'x' is read with two scales or zero points"));
}

}  // namespace
}  // namespace dse::nn::test::quantized_test
