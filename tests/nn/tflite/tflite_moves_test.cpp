// Operators that dissolve as a file is read, weights of other types than their activations, files for one machine.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "models/nn/import.h"
#include "models/nn/tflite/write/writing.h"

namespace dse::nn::test::tflite_moves_test {
namespace {

using testing::HasSubstr;
namespace fb = tflite;
using Extents = std::vector<std::int32_t>;

/// A file, tensor by tensor and operator by operator.
class File {
 public:
  File() {
    model.version = 3;
    model.buffers.push_back(std::make_unique<fb::BufferT>());
    model.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
  }
  fb::SubGraphT& graph() { return *model.subgraphs[0]; }

  int tensor(Extents shape, fb::TensorType type, float scale = 0, std::vector<float> scales = {}) {
    auto t = std::make_unique<fb::TensorT>();
    t->name = "t" + std::to_string(graph().tensors.size()), t->shape = std::move(shape), t->type = type;
    if (scale != 0) scales = {scale};
    if (!scales.empty()) {
      t->quantization = std::make_unique<fb::QuantizationParametersT>();
      t->quantization->zero_point.assign(scales.size(), 0);
      t->quantization->scale = std::move(scales);
    }
    graph().tensors.push_back(std::move(t));
    return static_cast<int>(graph().tensors.size() - 1);
  }
  template <class T>
  int constant(Extents shape, fb::TensorType type, const std::vector<T>& values, std::vector<float> scales = {}) {
    const int t = tensor(std::move(shape), type, 0, std::move(scales));
    auto b = std::make_unique<fb::BufferT>();
    b->data.resize(values.size() * sizeof(T));
    std::memcpy(b->data.data(), values.data(), b->data.size());
    model.buffers.push_back(std::move(b));
    graph().tensors.back()->buffer = static_cast<std::uint32_t>(model.buffers.size() - 1);
    return t;
  }
  int list(const std::vector<std::int32_t>& values) {
    return constant(Extents{static_cast<std::int32_t>(values.size())}, fb::TensorType::INT32, values);
  }
  fb::OperatorT& op(std::int32_t code, std::vector<int> inputs, int output, const std::string& custom = {}) {
    auto c = std::make_unique<fb::OperatorCodeT>();
    c->builtin_code = code, c->deprecated_builtin_code = static_cast<std::int8_t>(std::min(code, 127));
    c->custom_code = custom;
    model.operator_codes.push_back(std::move(c));
    auto op = std::make_unique<fb::OperatorT>();
    op->opcode_index = static_cast<std::uint32_t>(model.operator_codes.size() - 1);
    op->inputs = std::move(inputs), op->outputs = {output};
    graph().operators.push_back(std::move(op));
    return *graph().operators.back();
  }
  NetworkPtr read(int input, int output, const LoadOptions& options = LoadOptions::floating()) {
    if (graph().inputs.empty()) graph().inputs = {input};
    graph().outputs = {output};
    Diagnostics diags;
    auto n = import_tflite(pack_tflite(model), "m", diags, options);
    said = diags.text();
    return n;
  }

  fb::ModelT model;
  std::string said;
};

std::vector<std::uint8_t> bytes_of(const std::vector<float>& values) {
  std::vector<std::uint8_t> out(4 * values.size());
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

std::vector<std::uint8_t> run(const Network& n, const std::vector<std::uint8_t>& x) {
  return interpret(n, {x})[static_cast<std::size_t>(n.outputs[0])];
}

constexpr std::int32_t kDense = 9, kDequantize = 6, kGather = 36, kTile = 69, kBroadcast = 130, kCustom = 32, kAdd = 0;
const std::vector<float> kX = {1, -2, 0.5f, 3};

/// y = W x with weights of another type.
std::vector<std::uint8_t> dense(const std::function<int(File&)>& weights, std::size_t operators, std::string* said) {
  File f;
  const int x = f.tensor({1, 4}, fb::TensorType::FLOAT32), y = f.tensor({1, 2}, fb::TensorType::FLOAT32);
  const int w = weights(f);
  auto& op = f.op(kDense, {x, w, -1}, y);
  op.builtin_options.Set(fb::FullyConnectedOptionsT());
  const auto n = f.read(x, y);
  if (said) *said = f.said;
  EXPECT_TRUE(n) << f.said;
  if (!n) return {};
  EXPECT_EQ(n->operators.size(), operators);
  EXPECT_EQ(n->tensors[static_cast<std::size_t>(n->operators.back().inputs[1])].type, DataType::float32);
  return run(*n, bytes_of(kX));
}

TEST(TfliteMoves, WeightsOfOtherTypesAreFloats) {
  const auto real = dense(
      [](File& f) {
        return f.constant<float>({2, 4}, fb::TensorType::FLOAT32, {0.5f, 1, -1, 0, 2, -0.5f, 1.5f, 0.25f});
      },
      1, nullptr);
  // FLOAT16 behind a DEQUANTIZE.
  const std::vector<std::uint16_t> halves = {0x3800, 0x3c00, 0xbc00, 0, 0x4000, 0xb800, 0x3e00, 0x3400};
  const auto half = [&](File& f) {
    const int w = f.tensor({2, 4}, fb::TensorType::FLOAT32);
    f.op(kDequantize, {f.constant({2, 4}, fb::TensorType::FLOAT16, halves)}, w);
    return w;
  };
  std::string said;
  EXPECT_EQ(dense(half, 1, &said), real);
  EXPECT_EQ(said, "");
  // INT8 as they are (dynamic range), per tensor and per channel; INT8 behind a DEQUANTIZE.
  const std::vector<std::int8_t> per_tensor = {2, 4, -4, 0, 8, -2, 6, 1};
  EXPECT_EQ(dense(
                [&](File& f) {
                  return f.constant({2, 4}, fb::TensorType::INT8, per_tensor, {0.25f});
                },
                1, &said),
            real);
  EXPECT_THAT(said, HasSubstr("note: weights of INT8 for FLOAT32 activations are read as FLOAT32"));
  const std::vector<std::int8_t> per_channel = {1, 2, -2, 0, 8, -2, 6, 1};
  EXPECT_EQ(dense(
                [&](File& f) {
                  return f.constant({2, 4}, fb::TensorType::INT8, per_channel, {0.5f, 0.25f});
                },
                1, nullptr),
            real);
  const auto behind = [&](File& f) {
    const int w = f.tensor({2, 4}, fb::TensorType::FLOAT32);
    f.op(kDequantize, {f.constant({2, 4}, fb::TensorType::INT8, per_tensor, {0.25f})}, w);
    return w;
  };
  EXPECT_EQ(dense(behind, 1, nullptr), real);
}

TEST(TfliteMoves, AConstantOfAnotherTypeRefusesItsReadersOnly) {
  File f;
  const int x = f.tensor({4}, fb::TensorType::FLOAT32), y = f.tensor({4}, fb::TensorType::FLOAT32);
  f.op(kAdd, {x, f.constant<double>({4}, fb::TensorType::FLOAT64, {1, 2, 3, 4})}, y);
  LoadOptions all = LoadOptions::floating();
  EXPECT_FALSE(f.read(x, y, all));
  EXPECT_THAT(f.said, HasSubstr("operator 0 (ADD): 't2': type FLOAT64 is not supported"));
  EXPECT_THAT(f.said, testing::Not(HasSubstr("fill")));
  all.keep_unsupported = true;
  EXPECT_TRUE(f.read(x, y, all)) << f.said;
}

/// x of 12 x 2 picked along axis 0, INT8.
std::size_t picked(const std::vector<std::int32_t>& indices) {
  File f;
  const auto count = static_cast<std::int32_t>(indices.size());
  const int x = f.tensor({12, 2}, fb::TensorType::INT8, 0.5f), y = f.tensor({count, 2}, fb::TensorType::INT8, 0.5f);
  f.op(kGather, {x, f.list(indices)}, y).builtin_options.Set(fb::GatherOptionsT());
  const auto n = f.read(x, y, {});
  EXPECT_TRUE(n) << f.said;
  if (!n) return 0;
  std::vector<std::uint8_t> in, expected;
  for (std::uint8_t i = 0; i < 24; ++i) in.push_back(i);
  for (const auto i : indices)
    for (int k = 0; k < 2; ++k) expected.push_back(static_cast<std::uint8_t>(2 * i + k));
  EXPECT_EQ(run(*n, in), expected) << testing::PrintToString(indices);
  return n->operators.size();
}

TEST(TfliteMoves, GatherOfKnownIndices) {
  EXPECT_EQ(picked({3, 4, 5}), 1u);
  EXPECT_EQ(picked({0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}), 3u);
  EXPECT_EQ(picked({11, 9, 7}), 1u);
  EXPECT_EQ(picked({1, 0, 7, 7}), 4u);
  File f;
  const int x = f.tensor({12, 2}, fb::TensorType::INT8, 0.5f), y = f.tensor({1, 2}, fb::TensorType::INT8, 0.5f);
  f.op(kGather, {x, f.tensor({1}, fb::TensorType::INT32)}, y).builtin_options.Set(fb::GatherOptionsT());
  f.graph().inputs = {x, 2};
  EXPECT_FALSE(f.read(x, y, {}));
  EXPECT_THAT(f.said, HasSubstr("operator 0 (GATHER): indices 't2' are no constant"));
}

TEST(TfliteMoves, TilesAreCopies) {
  const auto repeated = [](std::int32_t code, const std::vector<std::int32_t>& list, Extents out, OperatorKind kind) {
    File f;
    const int x = f.tensor({2, 3}, fb::TensorType::INT8, 0.5f), y = f.tensor(out, fb::TensorType::INT8, 0.5f);
    f.op(code, {x, f.list(list)}, y);
    const auto n = f.read(x, y, {});
    EXPECT_TRUE(n) << f.said;
    EXPECT_EQ(n ? n->operators.at(0).kind : OperatorKind::other, kind);
    return n ? run(*n, {1, 2, 3, 4, 5, 6}) : std::vector<std::uint8_t>{};
  };
  EXPECT_EQ(repeated(kTile, {1, 1}, {2, 3}, OperatorKind::reshape), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(repeated(kBroadcast, {1, 2, 3}, {1, 2, 3}, OperatorKind::reshape),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(repeated(kTile, {1, 2}, {2, 6}, OperatorKind::concatenation),
            (std::vector<std::uint8_t>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(repeated(kTile, {3, 1}, {6, 3}, OperatorKind::concatenation),
            (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
}

TEST(TfliteMoves, TilesOfConstantsAreConstants) {
  for (const std::int32_t code : {kTile, kBroadcast}) {
    File f;
    const int x = f.tensor({2, 3}, fb::TensorType::FLOAT32), y = f.tensor({2, 3}, fb::TensorType::FLOAT32);
    const int c = f.constant<float>({1, 3}, fb::TensorType::FLOAT32, {1, 2, 3});
    const int t = f.tensor({2, 3}, fb::TensorType::FLOAT32);
    f.op(code, {c, f.list(code == kTile ? std::vector<std::int32_t>{2, 1} : std::vector<std::int32_t>{2, 3})}, t);
    f.op(kAdd, {x, t}, y);
    const auto n = f.read(x, y);
    ASSERT_TRUE(n) << f.said;
    EXPECT_EQ(n->operators.size(), 1u);
    EXPECT_EQ(run(*n, bytes_of({0, 0, 0, 1, 1, 1})), bytes_of({1, 2, 3, 2, 3, 4}));
  }
}

TEST(TfliteMoves, FilesForOneMachineAreToldSo) {
  const auto said = [](const std::string& code) {
    File f;
    const int x = f.tensor({4}, fb::TensorType::INT8, 0.5f), y = f.tensor({4}, fb::TensorType::INT8, 0.5f);
    f.op(kCustom, {x}, y, code);
    EXPECT_FALSE(f.read(x, y, {}));
    return f.said;
  };
  EXPECT_THAT(said("edgetpu-custom-op"), HasSubstr("compiled for the Edge TPU"));
  EXPECT_THAT(said("ethos-u"), HasSubstr("compiled for an Ethos-U NPU (Vela)"));
  EXPECT_THAT(said("XC_conv2d_v2"), HasSubstr("compiled for xcore"));
  EXPECT_THAT(said("ETHOS"), HasSubstr("this operator is not supported"));
}

}  // namespace
}  // namespace dse::nn::test::tflite_moves_test
