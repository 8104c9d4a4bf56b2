// QLinear operators, from the file to the bytes, against loops that share no code with the project.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "quantized_files.h"

namespace dse::nn::test::qlinear_test {
namespace {

struct ConvCase {
  const char* name;
  bool signed_in, signed_out;
  int in, out;
  Window window;
  bool per_channel, bias;
};

class QuantizedConv : public ::testing::TestWithParam<ConvCase> {};

TEST_P(QuantizedConv, EqualsTheLoops) {
  const ConvCase& c = GetParam();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Map x = map_of(c.in, 7, 6, 0.043, c.signed_in ? -5 : 117, c.signed_in, seed);
    Map y = like(0.31, c.signed_out ? 3 : 128, c.signed_out);
    const int taps = c.in / c.window.groups * c.window.kernel * c.window.kernel;
    const auto w = integers(static_cast<std::size_t>(c.out * taps), -127, 127, seed + 100);
    const auto scales = scales_of(c.per_channel ? static_cast<std::size_t>(c.out) : 1, seed + 200);
    std::vector<std::int32_t> bias;
    if (c.bias) bias = integers(static_cast<std::size_t>(c.out), -9000, 9000, seed + 300);

    OnnxModel m;
    m.input("x", {1, c.in, 7, 6}, c.signed_in ? i8 : u8).output("y");
    add_quantization(m, "x", x);
    add_quantization(m, "y", y);
    add_weights(m, {c.out, c.in / c.window.groups, c.window.kernel, c.window.kernel}, w, scales);
    Names inputs{"x", "x_s", "x_z", "w", "w_s", "w_z", "y_s", "y_z"};
    if (c.bias) m.int32s("b", bias), inputs.push_back("b");
    const auto& win = c.window;
    m.node("QLinearConv", inputs, {"y"},
           {{"strides", {win.stride, win.stride}},
            {"dilations", {win.dilation, win.dilation}},
            {"pads", {win.top, win.left, win.bottom, win.right}},
            {"group", win.groups}});
    const auto n = import(m);
    ASSERT_TRUE(n.network) << n.errors;
    y.c = c.out;
    std::vector<double> exact(scales);
    loops::conv(x, w, exact, {0}, bias, win, y);
    EXPECT_EQ(n->tensors[static_cast<std::size_t>(n->outputs[0])].shape, (Shape{1, y.h, y.w, y.c}));
    EXPECT_EQ(run(n, {x.bytes_last()}), y.bytes_last()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, QuantizedConv,
    ::testing::Values(ConvCase{"plain", true, true, 3, 4, {3, 1, 1, 1, 1, 1, 1, 1}, false, true},
                      ConvCase{"unsigned", false, false, 3, 4, {3, 2, 1, 0, 1, 1, 0, 1}, true, true},
                      ConvCase{"unsigned_in", false, true, 4, 6, {2, 1, 2, 0, 0, 0, 0, 1}, true, false},
                      ConvCase{"pointwise", true, false, 8, 5, {1, 1, 1, 0, 0, 0, 0, 1}, true, true},
                      ConvCase{"groups", true, true, 6, 4, {3, 1, 1, 1, 1, 1, 1, 2}, true, true},
                      ConvCase{"depthwise", true, true, 5, 5, {3, 2, 1, 1, 0, 0, 1, 5}, true, true},
                      ConvCase{"depthwise_two", false, false, 3, 6, {3, 1, 1, 1, 1, 1, 1, 3}, false, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(QuantizedLinear, UnsignedWeightsHaveAZeroPoint) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Map x = map_of(3, 5, 5, 0.043, 117, false, seed);
    Map y = like(0.31, 128, false);
    const auto w = integers(4 * 27, 0, 255, seed + 100);
    OnnxModel m;
    m.input("x", {1, 3, 5, 5}, u8).output("y");
    add_quantization(m, "x", x);
    add_quantization(m, "y", y);
    m.uint8s("w", {4, 3, 3, 3}, w).scalar("w_s", 0.02f).uint8s("w_z", {}, {131});
    m.node("QLinearConv", {"x", "x_s", "x_z", "w", "w_s", "w_z", "y_s", "y_z"}, {"y"}, {{"pads", {1, 1, 1, 1}}});
    const auto n = import(m);
    ASSERT_TRUE(n.network) << n.errors;
    y.c = 4;
    loops::conv(x, w, {static_cast<double>(0.02f)}, {131}, {}, {3, 1, 1, 1, 1, 1, 1, 1}, y);
    EXPECT_EQ(run(n, {x.bytes_last()}), y.bytes_last()) << "seed " << seed;
  }
}

TEST(QuantizedLinear, OperatorsOfTheOtherDomain) {
  const Map a = map_of(3, 4, 4, 0.05, 130, false, 1), b = map_of(3, 4, 4, 0.03, 100, false, 2);
  Map s = like(0.06, 120, false), p = like(0.04, 110, false), g = like(1.0 / 256, 0, false), y = like(0.02, 99, false);
  OnnxModel m;
  m.input("a", {1, 3, 4, 4}, u8).input("b", {1, 3, 4, 4}, u8).output("y");
  const std::pair<const char*, const Map*> all[] = {{"a", &a}, {"b", &b}, {"s", &s}, {"p", &p}, {"g", &g}, {"y", &y}};
  for (const auto& [name, map] : all) add_quantization(m, name, *map);
  const auto with = [](const char* name) { return Names{name, std::string(name) + "_s", std::string(name) + "_z"}; };
  const auto join = [](Names first, const Names& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  m.node("QLinearAdd", join(join(with("a"), with("b")), {"s_s", "s_z"}), {"s"}, {}, "com.microsoft");
  m.node("QLinearMul", join(join(with("s"), with("b")), {"p_s", "p_z"}), {"p"}, {}, "com.microsoft");
  m.node("QLinearSigmoid", join(with("p"), {"g_s", "g_z"}), {"g"}, {}, "com.microsoft");
  m.node("QLinearGlobalAveragePool", join(with("g"), {"y_s", "y_z"}), {"v"}, {}, "com.microsoft");
  m.node("QLinearConcat", join({"y_s", "y_z"}, join({"v", "y_s", "y_z"}, {"v", "y_s", "y_z"})), {"y"}, {{"axis", 1}},
         "com.microsoft");
  const auto n = import(m);
  ASSERT_TRUE(n.network) << n.errors;
  EXPECT_EQ(types(*n.network), "add mul logistic global_average_pool concat");
  loops::add(a, b, 1, s);
  loops::mul(s, b, p);
  loops::table(
      p, [](double v) { return 1 / (1 + std::exp(-v)); }, g);
  loops::global_average_pool(g, y);
  auto expected = narrow(y.q);
  expected.insert(expected.end(), expected.begin(), expected.begin() + 3);
  EXPECT_EQ(run(n, {a.bytes_last(), b.bytes_last()}), expected);
}

}  // namespace
}  // namespace dse::nn::test::qlinear_test
