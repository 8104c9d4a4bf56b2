// Concatenations in the project's own format: shapes, one quantisation for all they tie together, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/nn/import.h"
#include "tests/nn/golden/golden.h"
#include "tests/nn/same_network.h"

namespace dse::nn::test::concatenation_test {
namespace {

using testing::HasSubstr;

std::string network(const std::string& layers, const std::string& input = "") {
  return "format: 1\nname: n\ninput: {shape: [1, 6, 5, 2]" + input + "}\nlayers:\n" + layers;
}

NetworkPtr read(const std::string& text, bool prefer_float = false) {
  Diagnostics diags;
  LoadOptions options = every_tensor();
  options.prefer_float = prefer_float;
  auto n = import_yaml(text, "n.yaml", diags, options);
  EXPECT_TRUE(n) << diags.text();
  return n;
}

std::string errors(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(import_yaml(text, "n.yaml", diags));
  return diags.text();
}

int output_of(const Network& n, const std::string& layer) {
  if (layer == "input") return n.inputs.at(0);
  for (const auto& op : n.operators)
    if (op.name == layer) return op.outputs.at(0);
  ADD_FAILURE() << "no layer " << layer;
  return 0;
}

const Tensor& tensor(const Network& n, const std::string& layer) {
  return n.tensors[static_cast<std::size_t>(output_of(n, layer))];
}

void expect_alike(const Network& n, const std::vector<std::string>& layers) {
  const Quantization& first = tensor(n, layers.at(0)).quantization;
  for (const auto& layer : layers) {
    EXPECT_EQ(tensor(n, layer).quantization.scale, first.scale) << layer;
    EXPECT_EQ(tensor(n, layer).quantization.zero_point, first.zero_point) << layer;
  }
}

/// Lower and upper end of what a tensor can hold.
std::pair<double, double> range(const Network& n, const std::string& layer) {
  const Quantization& q = tensor(n, layer).quantization;
  const auto scale = static_cast<double>(q.scale.at(0)), zero = static_cast<double>(q.zero_point.at(0));
  return {scale * (-128 - zero), scale * (127 - zero)};
}

/// Elements of the parts side by side, pixel by pixel.
std::vector<std::uint8_t> side_by_side(const Network& n, const TensorBytes& bytes,
                                       const std::vector<std::string>& parts) {
  std::vector<std::uint8_t> whole;
  const auto& shape = tensor(n, parts.at(0)).shape;
  for (std::int64_t pixel = 0; pixel < shape[1] * shape[2]; ++pixel)
    for (const auto& part : parts) {
      const Tensor& t = tensor(n, part);
      const std::int64_t size = t.shape[3] * (t.type == DataType::float32 ? 4 : 1);
      const auto first = bytes[static_cast<std::size_t>(output_of(n, part))].begin() + pixel * size;
      whole.insert(whole.end(), first, first + size);
    }
  return whole;
}

void expect_joins(const Network& n, const std::string& layer, const std::vector<std::string>& parts) {
  for (int seed = 0; seed < 3; ++seed) {
    const auto bytes = interpret(
        n, {seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[0])], 0, static_cast<std::uint64_t>(seed))});
    EXPECT_EQ(bytes[static_cast<std::size_t>(output_of(n, layer))], side_by_side(n, bytes, parts)) << layer;
  }
}

const char* const branches = R"(  - conv: {name: stem, filters: 4, kernel: 3, activation: relu6}
  - conv: {name: a, filters: 3, kernel: 1, activation: relu_n1_to_1}
  - conv: {name: b, from: stem, filters: 5, kernel: 3}
  - max_pool: {name: c, from: stem, kernel: 3, stride: 1, padding: same}
  - concatenation: {name: mix, from: b, with: [a, c]}
)";

TEST(Concatenation, JoinsItsPartsInOrder) {
  for (const bool floating : {false, true}) {
    const auto n = read(network(branches), floating);
    ASSERT_TRUE(n);
    EXPECT_EQ(tensor(*n, "mix").shape, (std::vector<std::int64_t>{1, 6, 5, 12}));
    ASSERT_EQ(n->outputs, (std::vector<int>{output_of(*n, "mix")}));
    expect_joins(*n, "mix", {"b", "a", "c"});
  }
  const auto unnamed = read(network("  - conv: {filters: 3, kernel: 1}\n  - concatenation: {with: [input]}\n"));
  ASSERT_TRUE(unnamed);
  EXPECT_EQ(unnamed->operators.back().name, "concatenation0");
  expect_joins(*unnamed, "concatenation0", {"conv0", "input"});
}

TEST(Concatenation, TiedTensorsShareTheWidestRange) {
  const auto n = read(network(branches)),
             apart = read(network(std::string(branches).erase(std::string(branches).find("  - concatenation"))));
  ASSERT_TRUE(n && apart);
  // The pool keeps the quantisation of the stem, so the stem is in it, too.
  expect_alike(*n, {"mix", "a", "b", "c", "stem"});
  std::pair<double, double> widest{0, 0};
  for (const auto* layer : {"a", "b", "c", "stem"}) {
    widest.first = std::min(widest.first, range(*apart, layer).first);
    widest.second = std::max(widest.second, range(*apart, layer).second);
  }
  EXPECT_NEAR(range(*n, "mix").first, widest.first, 0.05);
  EXPECT_NEAR(range(*n, "mix").second, widest.second, 0.05);
  EXPECT_LT(range(*apart, "a").second, 1.01);
  EXPECT_GT(range(*n, "a").second, 3);
}

TEST(Concatenation, ChainsAreOneGroup) {
  const auto n = read(network(R"(  - conv: {name: a, filters: 3, kernel: 1}
  - conv: {name: b, filters: 2, kernel: 3, activation: relu}
  - concatenation: {name: ab, from: a, with: [b]}
  - conv: {name: c, filters: 4, kernel: 3}
  - concatenation: {name: abc, from: ab, with: [c]}
  - pad: {name: wide, padding: 1}
  - reshape: {name: flat, shape: [1, 504]}
  - add: {name: apart, from: c, with: c}
)"));
  ASSERT_TRUE(n);
  expect_alike(*n, {"a", "b", "c", "ab", "abc", "wide", "flat"});
  EXPECT_NE(tensor(*n, "apart").quantization.scale, tensor(*n, "c").quantization.scale);
  expect_joins(*n, "ab", {"a", "b"});
  expect_joins(*n, "abc", {"a", "b", "c"});
}

TEST(Concatenation, TheInputAndSoftmaxKeepTheirs) {
  const auto n = read(network(R"(  - conv: {name: a, filters: 3, kernel: 1}
  - max_pool: {name: p, from: input, kernel: 1}
  - concatenation: {name: ap, from: a, with: [p]}
  - softmax: {name: s}
  - conv: {name: d, filters: 2, kernel: 1}
  - concatenation: {name: sd, from: d, with: [s]}
)",
                              ", scale: 0.02, zero_point: 7"));
  ASSERT_TRUE(n);
  expect_alike(*n, {"input", "p", "a", "ap"});
  EXPECT_EQ(tensor(*n, "input").quantization.scale, std::vector<float>{0.02f});
  EXPECT_EQ(tensor(*n, "input").quantization.zero_point, std::vector<std::int64_t>{7});
  expect_alike(*n, {"s", "d", "sd"});
  EXPECT_EQ(tensor(*n, "s").quantization.scale, std::vector<float>{1.0f / 256});
  expect_joins(*n, "ap", {"a", "p"});
  expect_joins(*n, "sd", {"d", "s"});
}

TEST(Concatenation, NobodyCanTieASoftmaxToTheInput) {
  const std::string layers = R"(  - softmax: {name: s}
  - conv: {name: a, filters: 3, kernel: 1}
  - concatenation: {name: sa, with: [s]}
  - max_pool: {kernel: 1}
  - concatenation: {with: [input]}
)";
  EXPECT_THAT(errors(network(layers)), HasSubstr("n.yaml:9:5: error: layer 4 (concatenation): needs one quantisation"));
  const auto n = read(network(layers, ", scale: 0.00390625, zero_point: -128"));
  ASSERT_TRUE(n);
  expect_alike(*n, {"input", "s", "a", "sa", "concatenation1"});
  EXPECT_TRUE(read(network(layers), true)) << "nothing is quantised";
}

TEST(Concatenation, EveryProblemIsReportedWithItsPlace) {
  const std::string text = errors(network(R"(  - conv: {name: a, filters: 3, kernel: 1}
  - max_pool: {name: small, kernel: 2}
  - reshape: {name: flat, shape: [1, 18]}
  - concatenation: {from: a, with: [input, small]}
  - concatenation: {from: a, with: [input, flat]}
  - concatenation: {from: a, with: [input, a]}
  - concatenation: {from: a, with: [input, input]}
  - concatenation: {from: a, with: [nowhere]}
  - concatenation: {from: a, with: input}
  - concatenation: {from: a, with: []}
  - concatenation: {from: a, with: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]}
  - concatenation: {from: a}
  - concatenation: {from: flat, with: [input]}
  - concatenation: {from: a, with: [input], axis: 2}
  - concatenation: {from: a, with: [later]}
  - conv: {name: later, from: a, filters: 3, kernel: 1}
)"));
  EXPECT_THAT(text, HasSubstr("n.yaml:8:44: error: layer 3 (concatenation): shapes [1, 6, 5, 3] and [1, 3, 2, 3] of "
                              "'small' differ in more than channels"));
  EXPECT_THAT(text,
              HasSubstr("n.yaml:9:44: error: layer 4 (concatenation): shapes [1, 6, 5, 3] and [1, 18] of 'flat'"));
  EXPECT_THAT(text, HasSubstr("n.yaml:10:44: error: layer 5 (concatenation): 'a' is a part already"));
  EXPECT_THAT(text, HasSubstr("n.yaml:11:44: error: layer 6 (concatenation): 'input' is a part already"));
  EXPECT_THAT(text, HasSubstr("n.yaml:12:37: error: layer 7 (concatenation): no earlier layer is called 'nowhere'"));
  EXPECT_THAT(text, HasSubstr("n.yaml:13:36: error: layer 8 (concatenation): 'with' must be a list of 1 to 15 words"));
  EXPECT_THAT(text, HasSubstr("n.yaml:14:36: error: layer 9 (concatenation): 'with' must be a list of 1 to 15 words"));
  EXPECT_THAT(text, HasSubstr("n.yaml:15:36: error: layer 10 (concatenation): 'with' must be a list of 1 to 15 words"));
  EXPECT_THAT(text, HasSubstr("n.yaml:16:20: error: layer 11 (concatenation): 'with' is missing"));
  EXPECT_THAT(text, HasSubstr("n.yaml:17:5: error: layer 12 (concatenation): the input has shape [1, 18]"));
  EXPECT_THAT(text, HasSubstr("n.yaml:18:45: error: layer 13 (concatenation): unknown key 'axis'"));
  EXPECT_THAT(text, HasSubstr("n.yaml:19:37: error: layer 14 (concatenation): no earlier layer is called 'later'"));
}

TEST(Concatenation, ComesBackFromATensorFlowLiteFile) {
  const auto n = read(network(branches));
  ASSERT_TRUE(n);
  expect_round_trip(*n);
}

/// Networks of branches that the tests of orders and plans read.
class Branched : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(Branched, IsBuiltAndComputes) {
  Diagnostics diags;
  const auto [name, operators] = GetParam();
  const auto n = load_network(std::string(DSE_SOURCE_DIR) + "/tests/support/branched/" + name + ".yaml", diags);
  ASSERT_TRUE(n) << diags.text();
  EXPECT_EQ(n->operators.size(), operators);
  const auto bytes = interpret(*n, {seeded_input(n->tensors[static_cast<std::size_t>(n->inputs[0])], 0, 0)});
  for (const auto& op : n->operators) {
    const auto& out = bytes[static_cast<std::size_t>(op.outputs[0])];
    // Means over rows and columns vary more than the estimate has it, so what reads them may saturate.
    if (op.kind == OperatorKind::softmax || op.kind == OperatorKind::fully_connected) continue;
    const auto top = std::count(out.begin(), out.end(), std::uint8_t{127});
    EXPECT_LT(static_cast<double>(top), 0.1 * static_cast<double>(out.size()) + 1) << op.name << " saturates";
    EXPECT_GE(std::set(out.begin(), out.end()).size(), std::min<std::size_t>(out.size() / 4, 20))
        << op.name << " vanishes";
  }
  expect_round_trip(*n);
}

INSTANTIATE_TEST_SUITE_P(Networks, Branched,
                         testing::Values(std::pair{"inception", 21u}, std::pair{"dense", 19u},
                                         std::pair{"residual", 15u}, std::pair{"nas_cell", 62u},
                                         std::pair{"random_wiring", 39u}),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace dse::nn::test::concatenation_test
