// The TensorFlow Lite importer: what it must read, what it must refuse and how, and that no damage makes it crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "models/nn/import.h"
#include "tests/nn/tflite/tflite_writer.h"

namespace dse::nn::test::tflite_test {
namespace {

using testing::HasSubstr;

std::string refusal(const std::vector<std::uint8_t>& bytes) {
  Diagnostics diags;
  EXPECT_FALSE(import_tflite(bytes, "m.tflite", diags));
  EXPECT_TRUE(diags.has_errors());
  return diags.text();
}

std::string refusal(const Damage& damage) { return refusal(to_tflite(*every_operator(), damage)); }

tflite::OperatorT& op(tflite::ModelT& m, std::size_t i) { return *m.subgraphs[0]->operators[i]; }
tflite::TensorT& tensor(tflite::ModelT& m, std::size_t i) { return *m.subgraphs[0]->tensors[i]; }

TEST(Tflite, ReadsBackWhatWasWritten) {
  const auto original = every_operator();
  ASSERT_TRUE(original);
  Diagnostics diags;
  const auto copy = import_tflite(to_tflite(*original), "every.tflite", diags);
  ASSERT_TRUE(copy) << diags.text();
  EXPECT_EQ(copy->name, "every");
  EXPECT_EQ(copy->structure_hash(), original->structure_hash());
  EXPECT_EQ(copy->operators[1].name, "depthwise0");
  const std::vector<std::vector<std::uint8_t>> input = {seeded_input(original->tensors[0], 0, 7)};
  EXPECT_EQ(interpret(*copy, input), interpret(*original, input));
}

TEST(Tflite, ReadsOperatorCodesOfOldAndNewFiles) {
  for (const bool old : {false, true}) {
    Diagnostics diags;
    const auto bytes = to_tflite(*every_operator(), [&](auto& m) {
      for (auto& c : m.operator_codes) {
        if (old)
          c->builtin_code = 0;
        else
          c->deprecated_builtin_code = 0;
      }
    });
    EXPECT_TRUE(import_tflite(bytes, "m.tflite", diags)) << diags.text();
  }
}

TEST(Tflite, TheShapeInputOfAReshapeIsNoOperand) {
  // Files carry the new shape a second time, as a constant input.
  const auto bytes = to_tflite(*every_operator(), [](auto& m) {
    auto shape = std::make_unique<tflite::TensorT>();
    shape->name = "shape", shape->type = tflite::TensorType::INT32, shape->shape = {2},
    shape->buffer = static_cast<std::uint32_t>(m.buffers.size());
    m.buffers.push_back(std::make_unique<tflite::BufferT>());
    m.buffers.back()->data = {1, 0, 0, 0, 36, 0, 0, 0};
    op(m, 6).inputs.push_back(static_cast<int>(m.subgraphs[0]->tensors.size()));
    m.subgraphs[0]->tensors.push_back(std::move(shape));
  });
  Diagnostics diags;
  const auto n = import_tflite(bytes, "m.tflite", diags);
  ASSERT_TRUE(n) << diags.text();
  EXPECT_EQ(n->operators[6].inputs.size(), 1u);
  EXPECT_EQ(n->structure_hash(), every_operator()->structure_hash());
}

TEST(Tflite, NamesUnsupportedOperatorsAndTypes) {
  EXPECT_THAT(refusal([](auto& m) {
                m.operator_codes[2]->deprecated_builtin_code = 107;
                m.operator_codes[2]->builtin_code = 107;
              }),
              HasSubstr("m.tflite: error: operator 3 (GATHER_ND): this operator is not supported"));
  EXPECT_THAT(refusal([](auto& m) {
                m.operator_codes[2]->deprecated_builtin_code = 127;
                m.operator_codes[2]->builtin_code = 150;
              }),
              HasSubstr("operator 3 (GELU)"));
  EXPECT_THAT(refusal([](auto& m) {
                m.operator_codes[0]->builtin_code = 32;
                m.operator_codes[0]->custom_code = "Mine";
              }),
              HasSubstr("operator 0 (CUSTOM 'Mine')"));
  EXPECT_THAT(refusal([](auto& m) { m.operator_codes[0]->builtin_code = 99999; }), HasSubstr("operator code 99999"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 0).type = tflite::TensorType::FLOAT16; }),
              HasSubstr("type FLOAT16 is not supported"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 0).type = tflite::TensorType::UINT8; }),
              HasSubstr("operator 0 (CONV_2D): output 'stem' has type INT8"));
  EXPECT_THAT(refusal([](auto& m) { m.version = 2; }), HasSubstr("schema version 2"));
  EXPECT_THAT(refusal([](auto& m) {
                op(m, 0).builtin_options.AsConv2DOptions()->fused_activation_function =
                    tflite::ActivationFunctionType::TANH;
              }),
              HasSubstr("fused activation 4"));
}

TEST(Tflite, ChecksEveryIndex) {
  EXPECT_THAT(refusal([](auto& m) { op(m, 2).inputs[0] = 1000; }),
              HasSubstr("operator 2 (CONV_2D): input 0 is tensor 1000"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 2).inputs[0] = -1; }),
              HasSubstr("operator 2 (CONV_2D): input 0 is tensor -1"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 2).outputs[0] = 1000; }), HasSubstr("output is tensor 1000"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 2).opcode_index = 77; }), HasSubstr("operator 2: opcode 77"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 1).buffer = 400; }), HasSubstr("buffer 400"));
  EXPECT_THAT(refusal([](auto& m) { m.subgraphs[0]->inputs[0] = 1000; }), HasSubstr("network input is tensor 1000"));
  EXPECT_THAT(refusal([](auto& m) { m.subgraphs[0]->outputs[0] = -3; }), HasSubstr("network output is tensor -3"));
  EXPECT_THAT(refusal([](auto& m) { std::swap(m.subgraphs[0]->operators[0], m.subgraphs[0]->operators[1]); }),
              HasSubstr("read before it is made"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 4).outputs = op(m, 3).outputs; }), HasSubstr("already made"));
  EXPECT_THAT(refusal([](auto& m) { m.subgraphs.clear(); }), HasSubstr("no subgraph"));
}

TEST(Tflite, ChecksShapesAndQuantisation) {
  EXPECT_THAT(refusal([](auto& m) {
                tensor(m, 0).shape = {1, 6, 6, 3};
              }),
              HasSubstr("read 2 channels, the input has 3"));
  EXPECT_THAT(refusal([](auto& m) {
                tensor(m, 0).shape = {1, 1 << 30, 1 << 30, 1 << 30};
              }),
              HasSubstr("more than 64 M elements"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 0).shape = {1, 0, 6, 2}; }), HasSubstr("extent below 1"));
  EXPECT_THAT(refusal([](auto& m) {
                tensor(m, 0).shape = {2, 6, 6, 2};
              }),
              HasSubstr("the operator makes [2, 6, 6, 4]"));
  EXPECT_THAT(refusal([](auto& m) { m.buffers[1]->data.pop_back(); }), HasSubstr("constant has"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 0).quantization->scale[0] = -1.0f; }), HasSubstr("has scale -1"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 0).quantization.reset(); }), HasSubstr("0 scales"));
  EXPECT_THAT(refusal([](auto& m) { tensor(m, 1).quantization->scale.pop_back(); }),
              HasSubstr("3 scales for 4 output channels"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 0).builtin_options.AsConv2DOptions()->stride_h = 0; }),
              HasSubstr("stride or dilation 0"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 0).builtin_options.AsConv2DOptions()->dilation_h_factor = 1 << 30; }),
              HasSubstr("stride or dilation"));
  EXPECT_THAT(refusal([](auto& m) { op(m, 0).builtin_options.Reset(); }), HasSubstr("its options are missing"));
}

TEST(Tflite, RefusesForeignAndTruncatedFiles) {
  EXPECT_THAT(refusal(std::vector<std::uint8_t>{}), HasSubstr("not a TensorFlow Lite model"));
  EXPECT_THAT(refusal(std::vector<std::uint8_t>(100, 'x')), HasSubstr("not a TensorFlow Lite model"));
  auto bytes = to_tflite(*every_operator());
  bytes.resize(bytes.size() / 2);
  EXPECT_THAT(refusal(bytes), HasSubstr("damaged flatbuffer"));
}

TEST(Tflite, FilesThatFuzzingFoundAreHandled) {
  int files = 0;
  for (const auto& e : std::filesystem::directory_iterator(DSE_SOURCE_DIR "/tests/fuzz/corpus/tflite")) {
    std::ifstream in(e.path(), std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
    Diagnostics diags;
    const auto n = import_tflite(bytes, e.path().string(), diags);
    EXPECT_EQ(n == nullptr, diags.has_errors()) << e.path() << "\n" << diags.text();
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(Tflite, SurvivesAnyDamage) {
  const auto good = to_tflite(*every_operator());
  std::mt19937 random(1);
  int read = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    auto bytes = good;
    if (i % 4 == 0) bytes.resize(random() % bytes.size());
    for (unsigned flips = 1 + random() % 8; flips > 0 && !bytes.empty(); --flips) {
      auto& b = bytes[random() % bytes.size()];
      b = random() % 2 ? static_cast<std::uint8_t>(random()) : static_cast<std::uint8_t>(b ^ 1u << random() % 8);
    }
    Diagnostics diags;
    const auto n = import_tflite(bytes, "m.tflite", diags);
    ++(n ? read : refused);
    EXPECT_EQ(n == nullptr, diags.has_errors());
    if (n && n->macs() < 1'000'000) {
      std::vector<std::vector<std::uint8_t>> inputs;
      for (const int t : n->inputs) inputs.push_back(seeded_input(n->tensors[static_cast<std::size_t>(t)], 0, 0));
      interpret(*n, inputs);
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace dse::nn::test::tflite_test
