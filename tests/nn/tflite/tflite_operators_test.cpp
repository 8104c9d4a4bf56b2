// What the TensorFlow Lite importer makes of operands, options and state; what it keeps of operators that it cannot
// run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"
#include "tests/nn/same_network.h"
#include "tests/nn/tflite/tflite_writer.h"

namespace dse::nn::test::tflite_operators_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fb = tflite;
using Integers = std::vector<std::int64_t>;

/// x -> `kind` -> y, int8, with further operands as constants of the file.
class OneOperator {
 public:
  OneOperator(int builtin, std::vector<std::int32_t> in, std::vector<std::int32_t> out) {
    model_.version = 3;
    model_.buffers.push_back(std::make_unique<fb::BufferT>());
    model_.subgraphs.push_back(std::make_unique<fb::SubGraphT>());
    model_.operator_codes.push_back(std::make_unique<fb::OperatorCodeT>());
    model_.operator_codes[0]->builtin_code = builtin;
    graph().operators.push_back(std::make_unique<fb::OperatorT>());
    op().inputs = {tensor("x", std::move(in), fb::TensorType::INT8)};
    op().outputs = {tensor("y", std::move(out), fb::TensorType::INT8)};
    graph().inputs = op().inputs, graph().outputs = op().outputs;
  }
  fb::SubGraphT& graph() { return *model_.subgraphs[0]; }
  fb::OperatorT& op() { return *graph().operators[0]; }
  fb::ModelT& model() { return model_; }
  int tensor(const char* name, std::vector<std::int32_t> shape, fb::TensorType type) {
    auto t = std::make_unique<fb::TensorT>();
    t->name = name, t->shape = std::move(shape), t->type = type;
    t->quantization = std::make_unique<fb::QuantizationParametersT>();
    t->quantization->scale = {0.5f}, t->quantization->zero_point = {0};
    graph().tensors.push_back(std::move(t));
    return static_cast<int>(graph().tensors.size() - 1);
  }
  int bytes(std::vector<std::int32_t> shape, fb::TensorType type, std::vector<std::uint8_t> data) {
    const int t = tensor("constant", std::move(shape), type);
    auto b = std::make_unique<fb::BufferT>();
    b->data = std::move(data);
    model_.buffers.push_back(std::move(b));
    graph().tensors.back()->buffer = static_cast<std::uint32_t>(model_.buffers.size() - 1);
    return t;
  }
  int integers(std::vector<std::int32_t> shape, const std::vector<std::int32_t>& values) {
    std::vector<std::uint8_t> data;
    for (const auto v : values)
      for (int b = 0; b < 4; ++b) data.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(v) >> 8 * b));
    return bytes(std::move(shape), fb::TensorType::INT32, std::move(data));
  }
  OneOperator& operand(const std::vector<std::int32_t>& values) {
    op().inputs.push_back(integers({static_cast<std::int32_t>(values.size())}, values));
    return *this;
  }
  template <class O>
  OneOperator& options(O o) {
    op().builtin_options.Set(std::move(o));
    return *this;
  }
  NetworkPtr read(std::string* refused = nullptr, const LoadOptions& how = {}) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::CreateModel(builder, &model_), fb::ModelIdentifier());
    Diagnostics diags;
    const auto n =
        import_tflite({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}, "m", diags, how);
    EXPECT_EQ(n == nullptr, diags.has_errors());
    if (refused) *refused = diags.text();
    EXPECT_TRUE(n || refused) << diags.text();
    return n;
  }
  std::string refusal() {
    std::string text;
    EXPECT_FALSE(read(&text));
    return text;
  }

 private:
  fb::ModelT model_;
};

constexpr int strided_slice = 45, mean = 40, transpose = 39, split_v = 102, pad = 34, expand_dims = 70, arg_max = 56;

TEST(TfliteOperands, AxesCountFromTheEndAndComeOnce) {
  const auto n = OneOperator(mean, {1, 2, 3, 4}, {1, 4}).operand({-2, 1, 2}).read();
  ASSERT_TRUE(n);
  EXPECT_THAT(n->operators[0].options.axes, ElementsAre(1, 2));
  EXPECT_THAT(n->operators[0].inputs, ElementsAre(0));
  EXPECT_THAT(OneOperator(mean, {1, 2, 3, 4}, {1, 4}).operand({4}).refusal(),
              HasSubstr("axis 4 of a tensor of rank 4"));
}

TEST(TfliteOperands, PermutationsNameEveryDimensionOnce) {
  const auto n = OneOperator(transpose, {2, 3, 4}, {4, 2, 3}).operand({-1, 0, 1}).read();
  ASSERT_TRUE(n);
  EXPECT_THAT(n->operators[0].options.permutation, ElementsAre(2, 0, 1));
  EXPECT_THAT(OneOperator(transpose, {2, 3}, {2, 3}).operand({0, 0}).refusal(), HasSubstr("names a dimension twice"));
}

TEST(TfliteOperands, OperandsThatAreNotConstantAreRefusedByName) {
  OneOperator m(mean, {1, 2, 3, 4}, {1, 4});
  const int axes = m.tensor("axes", {2}, fb::TensorType::INT32);
  m.op().inputs.push_back(axes), m.graph().inputs.push_back(axes);
  EXPECT_EQ(m.refusal(), "m: error: operator 0 (MEAN): axes 'axes' is no constant of type INT32 or INT64\n");
  LoadOptions keep;
  keep.keep_unsupported = true;
  std::string none;
  const auto n = m.read(&none, keep);
  ASSERT_TRUE(n) << none;
  EXPECT_EQ(n->operators[0].kind, OperatorKind::other);
  EXPECT_EQ(n->operators[0].type, "MEAN");
  EXPECT_THAT(n->operators[0].inputs, ElementsAre(0, axes));
  EXPECT_THAT(n->operators[0].unsupported, HasSubstr("no constant"));
}

TEST(TfliteOperands, AnOpenPartOfASplitIsTheRest) {
  OneOperator m(split_v, {1, 7}, {1, 2});
  m.op().outputs.push_back(m.tensor("z", {1, 5}, fb::TensorType::INT8));
  m.graph().outputs = m.op().outputs;
  const auto n = m.operand({2, -1}).operand({-1}).read();
  ASSERT_TRUE(n);
  EXPECT_EQ(n->operators[0].options.axis, 1);
  EXPECT_THAT(n->operators[0].options.sizes, ElementsAre(2, 5));
}

TEST(TfliteOperands, PaddingsBecomeBeforeAndAfter) {
  OneOperator m(pad, {1, 2, 3, 1}, {1, 5, 3, 1});
  m.op().inputs.push_back(m.integers({4, 2}, {0, 0, 1, 2, 0, 0, 0, 0}));
  const auto n = m.read();
  ASSERT_TRUE(n);
  EXPECT_THAT(n->operators[0].options.pad_before, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(n->operators[0].options.pad_after, ElementsAre(0, 2, 0, 0));
}

struct Slice {
  std::vector<std::int32_t> out, begin, end, strides;
  fb::StridedSliceOptionsT masks;
  Integers from, to, by;
};

TEST(TfliteOperands, MasksOfSlicesAreResolved) {
  const auto masks = [](int begin, int end, int ellipsis, int added, int single, bool offset = false) {
    fb::StridedSliceOptionsT o;
    o.begin_mask = begin, o.end_mask = end, o.ellipsis_mask = ellipsis, o.new_axis_mask = added;
    o.shrink_axis_mask = single, o.offset = offset;
    return o;
  };
  const Slice slices[] = {
      {{4, 2, 3}, {0, 1, 2}, {0, 3, 5}, {1, 1, 1}, masks(1, 1, 0, 0, 0), {0, 1, 2}, {4, 3, 5}, {1, 1, 1}},
      {{4, 5, 3}, {-1, -1, -3}, {-9, -9, 9}, {-1, -1, 1}, masks(0, 0, 0, 0, 0), {3, 4, 3}, {-1, -1, 6}, {-1, -1, 1}},
      {{5, 6}, {-1}, {0}, {1}, masks(0, 0, 0, 0, 1), {3, 0, 0}, {4, 5, 6}, {1, 1, 1}},
      {{4, 5}, {0, 2}, {0, 0}, {1, 1}, masks(0, 0, 1, 0, 2), {0, 0, 2}, {4, 5, 3}, {1, 1, 1}},
      {{4, 1, 5, 6}, {0, 0}, {9, 9}, {1, 1}, masks(0, 0, 0, 2, 0), {0, 0, 0}, {4, 5, 6}, {1, 1, 1}},
      {{2, 5, 6}, {1}, {2}, {1}, masks(0, 0, 0, 0, 0, true), {1, 0, 0}, {3, 5, 6}, {1, 1, 1}},
      {{2, 5, 6}, {0}, {4}, {3}, masks(0, 0, 0, 0, 0), {0, 0, 0}, {4, 5, 6}, {3, 1, 1}},
  };
  for (const Slice& s : slices) {
    const auto n = OneOperator(strided_slice, {4, 5, 6}, s.out)
                       .operand(s.begin)
                       .operand(s.end)
                       .operand(s.strides)
                       .options(s.masks)
                       .read();
    ASSERT_TRUE(n);
    EXPECT_EQ(n->operators[0].options.begin, s.from);
    EXPECT_EQ(n->operators[0].options.end, s.to);
    EXPECT_EQ(n->operators[0].options.strides, s.by);
    expect_round_trip(*n);
  }
  EXPECT_THAT(OneOperator(strided_slice, {4}, {1})
                  .operand({3})
                  .operand({1})
                  .operand({1})
                  .options(fb::StridedSliceOptionsT{})
                  .refusal(),
              HasSubstr("slice from 3 to 1 by 1 of an extent of 4 is empty"));
  EXPECT_THAT(OneOperator(strided_slice, {4}, {1})
                  .operand({3})
                  .operand({1})
                  .operand({0})
                  .options(fb::StridedSliceOptionsT{})
                  .refusal(),
              HasSubstr("stride 0"));
}

TEST(TfliteTensors, Int4IsUnpackedToInt8) {
  OneOperator m(9, {1, 3}, {1, 1});  // FULLY_CONNECTED
  m.op().inputs.push_back(m.bytes({1, 3}, fb::TensorType::INT4, {0x8f, 0x07}));
  const auto n = m.options(fb::FullyConnectedOptionsT{}).read();
  ASSERT_TRUE(n);
  EXPECT_EQ(n->tensors[2].type, DataType::int8);
  EXPECT_EQ(n->tensors[2].data, (std::vector<std::uint8_t>{0xff, 0xf8, 0x07}));
  const auto made = interpret(*n, {{1, 1, 2}});
  EXPECT_EQ(static_cast<std::int8_t>(made[1][0]), 3);  // (-1 - 8 + 14) / 2, halves away from zero
}

TEST(TfliteTensors, StrangeTypesStopOnlyWhoUsesThem) {
  OneOperator m(101, {1, 4}, {1, 4});  // ABS
  m.tensor("half", {4}, fb::TensorType::FLOAT16);
  EXPECT_TRUE(m.read());
  m.graph().tensors[0]->type = fb::TensorType::FLOAT16;
  EXPECT_THAT(m.refusal(), HasSubstr("operator 0 (ABS): 'x': type FLOAT16 is not supported"));
}

TEST(TfliteTensors, TensorsThatNobodyUsesMayBeEmpty) {
  OneOperator m(101, {1, 4}, {1, 4});
  m.tensor("internal", {0}, fb::TensorType::INT8);
  EXPECT_TRUE(m.read());
}

TEST(TfliteTensors, ZeroPointsWithoutScalesSayNothing) {
  OneOperator m(transpose, {6}, {6});
  m.operand({0});
  for (const int i : {0, 1})
    m.graph().tensors[i]->quantization->scale.clear(), m.graph().tensors[i]->quantization->zero_point = {i ? 220 : -36};
  const auto n = m.read();
  ASSERT_TRUE(n);
  for (const int i : {0, 1}) EXPECT_TRUE(n->tensors[i].quantization.zero_point.empty());
  expect_round_trip(*n);
}

TEST(TfliteTensors, NamesMayBeEmptyOrTwice) {
  OneOperator m(101, {1, 4}, {1, 4});
  m.graph().tensors[0]->name.clear(), m.graph().tensors[1]->name.clear();
  EXPECT_TRUE(m.read());
  m.graph().tensors[0]->name = m.graph().tensors[1]->name = "same";
  const auto n = m.read();
  ASSERT_TRUE(n);
  expect_round_trip(*n);
}

TEST(TfliteFile, ClaimsOfGigabytesAreOneError) {
  OneOperator m(101, {1, 4}, {1, 4});
  m.op().inputs[0] = m.bytes({4}, fb::TensorType::INT8, {1, 2, 3, 4});
  m.model().buffers[1]->data.clear();
  m.model().buffers[1]->offset = 4096, m.model().buffers[1]->size = std::uint64_t{2} << 30;
  EXPECT_EQ(
      m.refusal(),
      "m: error: tensor 2 ('constant'): its data (2147483648 bytes at 4096) lies outside the flatbuffer, which is "
      "not supported\n");
  OneOperator large(101, {1, 1 << 16, 1 << 15}, {1, 1 << 16, 1 << 15});
  EXPECT_THAT(large.refusal(), HasSubstr("tensor 0 ('x'): shape [1, 65536, 32768] has more than 64 M elements"));
  // A length in the file itself: no four bytes of it may make the reader believe in 2 GB.
  const auto good = to_tflite(*running_sum(0));
  int damaged = 0;
  for (std::size_t at = 8; at + 4 <= good.size(); at += 4) {
    auto bytes = good;
    bytes[at] = bytes[at + 1] = bytes[at + 2] = 0xf0, bytes[at + 3] = 0x7f;
    Diagnostics diags;
    const auto n = import_tflite(bytes, "m", diags);
    EXPECT_EQ(n == nullptr, diags.has_errors());
    damaged += diags.text().find("damaged flatbuffer") != std::string::npos;
  }
  EXPECT_GT(damaged, 50);
}

TEST(TfliteFile, CyclesAreOneError) {
  OneOperator m(101, {1, 4}, {1, 4});
  const int back = m.tensor("back", {1, 4}, fb::TensorType::INT8);
  auto second = std::make_unique<fb::OperatorT>();
  second->inputs = {1}, second->outputs = {back};
  m.op().inputs = {back};
  m.graph().operators.push_back(std::move(second));
  EXPECT_EQ(m.refusal(), "m: error: operator 0 (ABS): input 0 'back' is read before it is made\n");
}

TEST(TfliteFile, UnknownOperatorsAreKeptForInspection) {
  OneOperator m(32, {1, 4}, {1, 4});
  m.model().operator_codes[0]->custom_code = "Mine";
  EXPECT_THAT(m.refusal(), HasSubstr("operator 0 (CUSTOM 'Mine'): this operator is not supported"));
  LoadOptions keep;
  keep.keep_unsupported = true;
  std::string none;
  const auto n = m.read(&none, keep);
  ASSERT_TRUE(n) << none;
  EXPECT_EQ(n->operators[0].type, "CUSTOM 'Mine'");
  EXPECT_EQ(n->operators[0].evaluation, Evaluation::none);
  Diagnostics diags;
  EXPECT_THAT(write_tflite(*n, diags), IsEmpty());
  EXPECT_THAT(diags.text(), HasSubstr("operator 0 (CUSTOM 'Mine'): this operator is not supported"));
}

TEST(TfliteVariables, KeepTheirValuesAndStartWithWhatTheFileAssigns) {
  for (const std::uint8_t initial : {0, 10}) {
    const auto original = running_sum(initial);
    ASSERT_TRUE(original);
    expect_round_trip(*original);
    Diagnostics diags;
    const auto n = import_tflite(to_tflite(*original), "m", diags);
    ASSERT_TRUE(n) << diags.text();
    EXPECT_EQ(n->operators.size(), 3u);  // handles and initialisation are dissolved
    TensorBytes state = initial_state(*n);
    const auto y = static_cast<std::size_t>(n->outputs[0]);
    EXPECT_EQ(interpret(*n, {{1, 2, 3, 4}}, state)[y][3], initial + 4);
    EXPECT_EQ(interpret(*n, {{1, 2, 3, 4}}, state)[y][3], initial + 8);
  }
}

TEST(TfliteVariables, MismatchesAreRefused) {
  const auto refusal = [](const Damage& damage) {
    Diagnostics diags;
    EXPECT_FALSE(import_tflite(to_tflite(*running_sum(10), damage), "m", diags));
    return diags.text();
  };
  EXPECT_THAT(refusal([](auto& m) { m.subgraphs[1]->tensors[1]->shape = {4}; }),
              HasSubstr("(READ_VARIABLE): 'before' is INT8 of shape [1, 4], its variable is INT8 of shape [4]"));
  EXPECT_THAT(refusal([](auto& m) { m.subgraphs[1]->tensors[1]->buffer = 0; }),
              HasSubstr("(CALL_ONCE): its subgraph assigns 'v/initial', which is no constant"));
  EXPECT_THAT(
      refusal([](auto& m) { m.subgraphs[1]->operators[1]->opcode_index = m.subgraphs[0]->operators[3]->opcode_index; }),
      HasSubstr("(CALL_ONCE): its subgraph does more than assign constants: ADD"));
  EXPECT_THAT(refusal([](auto& m) {
                m.subgraphs[0]->operators[0]->builtin_options.AsCallOnceOptions()->init_subgraph_index = 7;
              }),
              HasSubstr("(CALL_ONCE): calls subgraph 7"));
  EXPECT_THAT(refusal([](auto& m) { m.subgraphs[0]->operators[2]->inputs[0] = 0; }),
              HasSubstr("(READ_VARIABLE): its variable is not made by a VAR_HANDLE"));
}

}  // namespace
}  // namespace dse::nn::test::tflite_operators_test
