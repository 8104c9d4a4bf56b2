// Shapes that a TensorFlow Lite file computes are constants to the importer; a transposed convolution takes the shape
// of its output tensor.
#include <gmock/gmock.h>

#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"
#include "tests/nn/same_network.h"
#include "tests/nn/tflite/tflite_writer.h"

namespace dse::nn::test::tflite_shapes_test {
namespace {

using testing::HasSubstr;
namespace fb = tflite;

/// Adds tensors and operators to a model that was written.
class Bending {
 public:
  explicit Bending(fb::ModelT& model) : model_(model), graph_(*model.subgraphs[0]) {}

  int tensor(std::vector<std::int32_t> shape, fb::TensorType type = fb::TensorType::INT32) {
    auto t = std::make_unique<fb::TensorT>();
    t->name = "bent" + std::to_string(graph_.tensors.size()), t->shape = std::move(shape), t->type = type;
    graph_.tensors.push_back(std::move(t));
    return static_cast<int>(graph_.tensors.size() - 1);
  }
  int list(const std::vector<std::int32_t>& values, bool scalar = false) {
    const int t = tensor(scalar ? std::vector<std::int32_t>{} : std::vector{static_cast<std::int32_t>(values.size())});
    auto b = std::make_unique<fb::BufferT>();
    for (const auto v : values)
      for (int i = 0; i < 4; ++i) b->data.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(v) >> 8 * i));
    model_.buffers.push_back(std::move(b));
    graph_.tensors.back()->buffer = static_cast<std::uint32_t>(model_.buffers.size() - 1);
    return t;
  }
  /// Puts `code` in front of the operator at `at`, which moves on. @returns its output.
  int insert(std::size_t& at, std::int32_t code, std::vector<int> inputs, std::vector<std::int32_t> shape,
             fb::TensorType type = fb::TensorType::INT32) {
    auto c = std::make_unique<fb::OperatorCodeT>();
    c->builtin_code = code, c->deprecated_builtin_code = static_cast<std::int8_t>(code);
    model_.operator_codes.push_back(std::move(c));
    auto op = std::make_unique<fb::OperatorT>();
    op->opcode_index = static_cast<std::uint32_t>(model_.operator_codes.size() - 1);
    op->inputs = std::move(inputs), op->outputs = {tensor(std::move(shape), type)};
    if (code == 45) {
      fb::StridedSliceOptionsT o;
      o.shrink_axis_mask = 1;
      op->builtin_options.Set(o);
    }
    const int out = op->outputs[0];
    graph_.operators.insert(graph_.operators.begin() + static_cast<std::ptrdiff_t>(at++), std::move(op));
    return out;
  }
  int batch_of(std::size_t& at, int tensor_of, std::int32_t rank) {
    const int shape = insert(at, 77, {tensor_of}, {rank});
    return insert(at, 45, {shape, list({0}), list({1}), list({1})}, {});
  }
  fb::OperatorT& op(std::size_t i) { return *graph_.operators[i]; }
  /// The RESHAPE at `at` (by reference: its place once `shape` is made) takes its shape from a tensor.
  void reshape_by(int shape, const std::size_t& at) { op(at).inputs = {op(at).inputs[0], shape}; }

 private:
  fb::ModelT& model_;
  fb::SubGraphT& graph_;
};

constexpr std::size_t kReshape = 6;  // of every_operator()

NetworkPtr read(const std::vector<std::uint8_t>& bytes, std::string* said = nullptr) {
  Diagnostics diags;
  auto n = import_tflite(bytes, "m", diags);
  if (said) *said = diags.text();
  return n;
}

TEST(TfliteShapes, ShapeSliceAndPackAreAConstant) {
  const auto plain = every_operator();
  const auto bytes = to_tflite(*plain, [](fb::ModelT& model) {
    Bending b(model);
    std::size_t at = kReshape;
    const int batch = b.batch_of(at, b.op(at).inputs[0], 4);
    b.reshape_by(b.insert(at, 83, {batch, b.list({36}, true)}, {2}), at);
  });
  std::string said;
  const auto n = read(bytes, &said);
  ASSERT_TRUE(n) << said;
  EXPECT_EQ(n->structure_hash(), plain->structure_hash());
}

TEST(TfliteShapes, ArithmeticOnShapes) {
  // {1, 36} = {dim 0, dim 1 * dim 2 * dim 3} of [1, 3, 3, 4] by GATHER, CAST, MUL, FLOOR_DIV, MAXIMUM, CONCATENATION.
  const auto plain = every_operator();
  const auto bytes = to_tflite(*plain, [](fb::ModelT& model) {
    Bending b(model);
    std::size_t at = kReshape;
    const int shape = b.insert(at, 77, {b.op(at).inputs[0]}, {4}, fb::TensorType::INT64);
    const int narrow = b.insert(at, 53, {shape}, {4});
    const int sides = b.insert(at, 36, {narrow, b.list({1, 2, 3})}, {3});
    const int product = b.insert(at, 81, {sides, b.list({0})}, {1});              // 36
    const int twice = b.insert(at, 18, {product, b.list({2}, true)}, {1});        // 72
    const int odd = b.insert(at, 0, {twice, b.list({1}, true)}, {1});             // 73
    const int half = b.insert(at, 90, {odd, b.list({2}, true)}, {1});             // 36
    const int most = b.insert(at, 55, {half, b.list({7}, true)}, {1});            // 36
    const int first = b.insert(at, 65, {narrow, b.list({0}), b.list({1})}, {1});  // 1
    b.reshape_by(b.insert(at, 2, {first, most}, {2}), at);
  });
  std::string said;
  const auto n = read(bytes, &said);
  ASSERT_TRUE(n) << said;
  EXPECT_EQ(n->structure_hash(), plain->structure_hash());
}

TEST(TfliteShapes, WhatHasNoValueIsRefusedByName) {
  for (const std::int32_t code : {42, 90, 104, 36}) {  // DIV, FLOOR_DIV, FLOOR_MOD by 0; GATHER beyond the end
    const auto bytes = to_tflite(*every_operator(), [&](fb::ModelT& model) {
      Bending b(model);
      std::size_t at = kReshape;
      b.reshape_by(b.insert(at, code, {b.list({1, 36}), code == 36 ? b.list({0, 9}) : b.list({0}, true)}, {2}), at);
    });
    std::string said;
    EXPECT_FALSE(read(bytes, &said));
    EXPECT_THAT(said, HasSubstr("operator 6 (")) << code;
  }
}

/// What was read, written and read again is the same network.
void expect_round_trip(const std::vector<std::uint8_t>& bytes) {
  std::string said;
  const auto n = read(bytes, &said);
  ASSERT_TRUE(n) << said;
  Diagnostics diags;
  const auto again = read(write_tflite(*n, diags), &said);
  ASSERT_TRUE(again) << diags.text() << said;
  EXPECT_EQ(again->structure_hash(), n->structure_hash());
}

TEST(TfliteShapes, AreConstantsHoweverTheirOperandsLie) {
  // The numbers that say how to reshape or to slice may have any shape. Once written they are lists, or are gone.
  for (const std::int32_t code : {22, 70, 65, 45}) {  // RESHAPE, EXPAND_DIMS, SLICE, STRIDED_SLICE
    expect_round_trip(to_tflite(*every_operator(), [&](fb::ModelT& model) {
      Bending b(model);
      std::size_t at = kReshape;
      std::vector<int> inputs{b.list({7})};
      for (int i = 0; i < (code == 45 ? 3 : code == 65 ? 2 : 1); ++i) {
        inputs.push_back(b.list({code == 45 || code == 65 ? i > 0 : 1}));
        model.subgraphs[0]->tensors.back()->shape = {1, 1};
      }
      b.insert(at, code, inputs, code == 45 ? std::vector<std::int32_t>{} : std::vector<std::int32_t>{1});
    }));
  }
}

TEST(TfliteShapes, WhatIsTakenBeforeItIsMadeIsRefused) {
  const auto bytes = to_tflite(*every_operator(), [](fb::ModelT& model) {
    Bending b(model);
    std::size_t at = kReshape;
    const int late = b.tensor({1});
    b.insert(at, 0, {late, b.list({1})}, {1});
    b.insert(at, 0, {b.list({1}), b.list({2})}, {1});
    b.op(at - 1).outputs = {late};
  });
  std::string said;
  EXPECT_FALSE(read(bytes, &said));
  EXPECT_THAT(said, HasSubstr("is read before it is made"));
}

TEST(TfliteShapes, ActivationsAreNotFoldedAway) {
  const auto bytes = to_tflite(*every_operator(), [](fb::ModelT& model) {
    Bending b(model);
    std::size_t at = kReshape;
    b.insert(at, 0, {b.list({-5}), b.list({2})}, {1});
    fb::AddOptionsT relu;
    relu.fused_activation_function = fb::ActivationFunctionType::RELU;
    b.op(at - 1).builtin_options.Set(relu);
  });
  std::string said;
  const auto n = read(bytes, &said);
  if (n)
    EXPECT_EQ(n->operators.size(), every_operator()->operators.size() + 1);
  else
    EXPECT_THAT(said, HasSubstr("operator 6 (ADD)"));
}

TEST(TfliteShapes, ConstantsAsOutputsAreCopiedOnce) {
  Network n;
  n.name = "ends";
  const auto tensor = [&](const char* name, std::vector<std::int64_t> shape, TensorKind kind, DataType type) {
    Tensor t;
    t.name = name, t.shape = std::move(shape), t.kind = kind, t.type = type;
    if (type == DataType::int8) t.quantization = {{0.5f}, {0}, 0};
    if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.bytes()), 3);
    n.tensors.push_back(t);
  };
  tensor("x", {1, 4}, TensorKind::input, DataType::int8);
  tensor("filter", {2, 4}, TensorKind::constant, DataType::int8);
  tensor("bias", {2}, TensorKind::constant, DataType::int32);
  tensor("y", {1, 2}, TensorKind::activation, DataType::int8);
  Operator op;
  op.kind = OperatorKind::fully_connected, op.inputs = {0, 1, 2}, op.outputs = {3};
  n.operators.push_back(op);
  n.inputs = {0}, n.outputs = {2, 3, 2};
  Diagnostics diags;
  const auto first = finish_network(n, diags, "ends");
  ASSERT_TRUE(first) << diags.text();
  ASSERT_EQ(first->operators.size(), 3U);
  std::string said;
  const auto again = read(write_tflite(*first, diags), &said);
  ASSERT_TRUE(again) << said;
  EXPECT_EQ(again->structure_hash(), first->structure_hash());
}

/// [1, 3, 4, 2] -> transposed convolution, stride 2 -> [1, 6, 8, 2].
Network transposed() {
  Network n;
  n.name = "transposed";
  const auto tensor = [&](std::vector<std::int64_t> shape, TensorKind kind, DataType type, float scale) {
    Tensor t;
    t.name = "t" + std::to_string(n.tensors.size()), t.shape = std::move(shape), t.kind = kind, t.type = type;
    t.quantization = {{scale}, {0}, 0};
    if (kind == TensorKind::constant) t.data.assign(static_cast<std::size_t>(t.bytes()), 3);
    n.tensors.push_back(t);
  };
  tensor({1, 3, 4, 2}, TensorKind::input, DataType::int8, 0.5f);
  tensor({2, 2, 2, 2}, TensorKind::constant, DataType::int8, 0.1f);
  tensor({1, 6, 8, 2}, TensorKind::activation, DataType::int8, 1.0f);
  Operator op;
  op.kind = OperatorKind::transpose_conv, op.inputs = {0, 1, -1}, op.outputs = {2};
  op.options.stride_h = op.options.stride_w = 2;
  n.operators.push_back(op);
  n.inputs = {0}, n.outputs = {2};
  return n;
}

TEST(TfliteShapes, TransposedConvolutionsTakeTheShapeOfTheirOutput) {
  Diagnostics diags;
  const auto plain = finish_network(transposed(), diags, "transposed");
  ASSERT_TRUE(plain) << diags.text();
  for (const bool known : {true, false}) {
    const auto bytes = to_tflite(*plain, [&](fb::ModelT& model) {
      Bending b(model);
      std::size_t at = 0;
      const int x = model.subgraphs[0]->inputs[0];
      // The batch by its shape, which is known; or by a sum over values, which nobody knows before it runs.
      const int batch =
          known ? b.batch_of(at, x, 4) : b.insert(at, 53, {b.insert(at, 74, {x, b.list({0, 1, 2, 3})}, {})}, {});
      const int shape = b.insert(at, 83, {batch, b.list({6}, true), b.list({8}, true), b.list({2}, true)}, {4});
      b.op(at).inputs[0] = shape;
    });
    std::string said;
    const auto n = read(bytes, &said);
    ASSERT_TRUE(n) << said;
    EXPECT_EQ(n->structure_hash(), plain->structure_hash()) << known;
    const auto x = seeded_input(n->tensors[static_cast<std::size_t>(n->inputs[0])], 0, 1);
    EXPECT_EQ(interpret(*n, {x})[static_cast<std::size_t>(n->outputs[0])], interpret(*plain, {x})[2]);
  }
}

}  // namespace
}  // namespace dse::nn::test::tflite_shapes_test
