// The project's own container: what is written comes back, and what is damaged is refused.
#include "models/nn/dsenet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/nn/made/fill.h"

namespace dse::nn::dsenet_test {
namespace {

NetworkPtr shipped(const std::string& name, bool floating) {
  Diagnostics d;
  LoadOptions options;
  options.prefer_float = floating;
  return load_network(std::string(DSE_SOURCE_DIR) + "/configs/networks/" + name + ".yaml", d, options);
}

std::vector<std::vector<std::uint8_t>> inputs_of(const Network& n) {
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const int t : n.inputs) inputs.push_back(seeded_input(n.tensors[static_cast<std::size_t>(t)], 0, 1));
  return inputs;
}

NetworkPtr import(const std::vector<std::uint8_t>& bytes, Diagnostics& d) {
  LoadOptions options;
  options.allow_float = true;
  return import_dsenet(bytes, "net.dsenet", d, options);
}

TEST(Dsenet, WritesAndReadsIntegerAndFloatNetworks) {
  for (const bool floating : {false, true}) {
    const auto n = shipped("resnet8", floating);
    ASSERT_TRUE(n);
    const auto bytes = write_dsenet(*n);
    Diagnostics d;
    const auto back = import(bytes, d);
    ASSERT_TRUE(back) << d.text();
    EXPECT_EQ(write_dsenet(*back), bytes);
    EXPECT_EQ(back->structure_hash(), n->structure_hash());
    EXPECT_EQ(interpret(*back, inputs_of(*back)), interpret(*n, inputs_of(*n)));
  }
}

/// One operator with options of every sort, infinities among them.
TEST(Dsenet, KeepsEveryOption) {
  Network n;
  n.name = "odd \"name\"\n";
  Tensor x;
  x.name = "x", x.shape = {1, 2}, x.type = DataType::float32, x.kind = TensorKind::input;
  Tensor y = x;
  y.name = "y", y.kind = TensorKind::activation;
  n.tensors = {x, y};
  Operator op;
  op.kind = OperatorKind::clip, op.type = "Clip", op.inputs = {0}, op.outputs = {1};
  op.options.clip_min = -std::numeric_limits<float>::infinity(), op.options.clip_max = 0.1f;
  op.options.rounding = Rounding::qformat, op.options.activation = Activation::relu6;
  op.options.correction = Correction::correct_then_round;
  op.options.begin = {-1, std::numeric_limits<std::int64_t>::max()};
  n.operators = {op};
  n.inputs = {0}, n.outputs = {1};
  Diagnostics d;
  LoadOptions options;
  options.allow_float = true;
  const auto finished = finish_network(n, d, "test", options);
  ASSERT_TRUE(finished) << d.text();
  const auto back = import(write_dsenet(*finished), d);
  ASSERT_TRUE(back) << d.text();
  std::vector<std::string> differing;
  const OperatorOptions& o = back->operators[0].options;
  EXPECT_EQ(back->name, n.name);
  EXPECT_EQ(o.clip_min, op.options.clip_min);
  EXPECT_EQ(o.clip_max, op.options.clip_max);
  EXPECT_EQ(o.rounding, op.options.rounding);
  EXPECT_EQ(o.activation, op.options.activation);
  EXPECT_EQ(o.correction, op.options.correction);
  EXPECT_EQ(o.begin, op.options.begin);
  EXPECT_EQ(back->operators[0].type, "Clip");
}

TEST(Dsenet, RefusesWhatIsDamaged) {
  const auto bytes = write_dsenet(*shipped("ds-cnn", false));
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 997) {
    Diagnostics d;
    EXPECT_FALSE(import({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, d)) << size;
    EXPECT_EQ(d.list().size(), 1u);
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 400 ? 1 : 499) {
    auto changed = bytes;
    changed[at] ^= 0x20;
    Diagnostics d;
    EXPECT_FALSE(import(changed, d)) << at;
  }
}

TEST(Dsenet, NamesAnotherFormat) {
  auto bytes = write_dsenet(*shipped("ds-cnn", false));
  bytes[8] = 2;
  Diagnostics d;
  EXPECT_FALSE(import(bytes, d));
  EXPECT_THAT(d.text(), testing::HasSubstr("has format 2, this version reads 1"));
}

}  // namespace
}  // namespace dse::nn::dsenet_test
