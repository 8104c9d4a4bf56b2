// A rewritten network gives the bytes of the one in the file.
#include "models/nn/rewrite/rewrites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "drawn_networks.h"
#include "models/nn/graph/derivation.h"
#include "models/nn/import.h"
#include "models/nn/passes/passes.h"
#include "models/nn/tflite/write_tflite.h"

namespace dse::nn::test::rewrite_rewrites_test {
namespace {

constexpr int drawn = 1500;

int count(const Network& n, OperatorKind kind) {
  return static_cast<int>(
      std::count_if(n.operators.begin(), n.operators.end(), [&](const Operator& op) { return op.kind == kind; }));
}

std::vector<std::vector<std::uint8_t>> inputs_of(const Network& n, std::uint64_t seed) {
  std::vector<std::vector<std::uint8_t>> inputs;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    inputs.push_back(seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], static_cast<int>(i), seed));
  return inputs;
}

std::vector<std::vector<std::uint8_t>> outputs_of(const Network& n, std::uint64_t seed) {
  const auto all = interpret(n, inputs_of(n, seed));
  std::vector<std::vector<std::uint8_t>> out;
  for (const int t : n.outputs) out.push_back(all[static_cast<std::size_t>(t)]);
  return out;
}

std::string words(const Network& n) {
  std::string out;
  for (const auto& op : n.operators) out += op.name + " ";
  for (const auto& r : n.rewrites) out += "\n  " + r.what + " " + r.where + ": " + r.text;
  return out;
}

struct Seen {
  int networks = 0, rewritten = 0, before = 0, after = 0, written = 0;
};

/// Operators of `kind` before and after, over many networks.
Seen run(Habit habit, OperatorKind kind) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < drawn && !testing::Test::HasFatalFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Diagnostics refused;
    const auto plain = finish_network(drawn_network(random, habit), refused, "drawn");
    if (!plain) continue;  // what the kernels do not do
    ++seen.networks;
    const auto better = rewritten(plain);
    seen.rewritten += better != plain;
    seen.before += count(*plain, kind), seen.after += count(*better, kind);
    const auto expected = outputs_of(*plain, seed);
    EXPECT_EQ(outputs_of(*better, seed), expected) << "seed " << seed << "\n"
                                                   << words(*plain) << "\n"
                                                   << words(*better);
    EXPECT_LE(count(*better, kind), count(*plain, kind));
    // Nothing is left to do, and nothing that was in the file has lost its place.
    EXPECT_EQ(rewritten(finish_network(unfinished(*better), refused, "again"))->structure_hash(),
              better->structure_hash());
    EXPECT_EQ(better->inputs, plain->inputs);
    EXPECT_EQ(better->outputs, plain->outputs);
    // Written and read again it is the same network.
    Diagnostics unwritten, unread;
    const auto bytes = write_tflite(*without_leftovers(*better), unwritten);
    if (bytes.empty()) continue;  // other roundings
    ++seen.written;
    const auto copy = import_tflite(bytes, "copy.tflite", unread);
    EXPECT_TRUE(copy) << unread.text();
    if (!copy) break;
    EXPECT_EQ(copy->structure_hash(), better->structure_hash()) << "seed " << seed << "\n"
                                                                << words(*better) << "\n"
                                                                << words(*copy);
    EXPECT_EQ(outputs_of(*copy, seed), expected) << "seed " << seed;
    if (testing::Test::HasFailure()) break;
  }
  return seen;
}

TEST(Rewrites, PadsFoldByteForByte) {
  const auto seen = run(Habit::pads, OperatorKind::pad);
  EXPECT_GT(seen.networks, drawn / 2);
  EXPECT_GT(seen.rewritten, drawn / 4);
  EXPECT_LT(seen.after, seen.before * 3 / 4);
  EXPECT_GT(seen.after, 0);  // some cannot go: other values, channels, averages that do not count them
  EXPECT_GT(seen.written, drawn / 4);
}

TEST(Rewrites, TransposesCancelByteForByte) {
  const auto seen = run(Habit::transposes, OperatorKind::transpose);
  EXPECT_GT(seen.networks, drawn / 4);
  EXPECT_LT(seen.after, seen.before * 3 / 4);
  EXPECT_GT(seen.written, drawn / 8);
}

TEST(Rewrites, ReductionsTakeTransposesByteForByte) {
  const auto seen = run(Habit::reductions, OperatorKind::transpose);
  EXPECT_GT(seen.networks, drawn / 2);
  EXPECT_LT(seen.after, seen.before);
}

/// x [1, 6, 6, 2] -> PAD by (1, 1, 1, 1) of `value` -> an operator with windows of 3 x 3.
struct Padded {
  Network n;
  Padded(OperatorKind kind, std::int64_t zero, std::int64_t value, OperatorOptions o = {}) {
    const auto add = [&](TensorKind k, std::vector<std::int64_t> shape) {
      Tensor t;
      t.name = "t" + std::to_string(n.tensors.size());
      t.kind = k, t.shape = std::move(shape);
      t.quantization = {{0.1f}, {zero}, 0, {}};
      n.tensors.push_back(std::move(t));
      return static_cast<int>(n.tensors.size()) - 1;
    };
    const int x = add(TensorKind::input, {1, 6, 6, 2}), v = add(TensorKind::constant, {1});
    n.tensors[1].data = {static_cast<std::uint8_t>(value)};
    const int padded = add(TensorKind::activation, {1, 8, 8, 2}), y = add(TensorKind::activation, {1, 6, 6, 2});
    Operator pad, op;
    pad.kind = OperatorKind::pad, pad.inputs = {x, v}, pad.outputs = {padded};
    pad.options.pad_before = pad.options.pad_after = {0, 1, 1, 0};
    op.kind = kind, op.inputs = {padded}, op.outputs = {y}, op.options = o;
    op.options.filter_h = op.options.filter_w = 3;
    if (kind == OperatorKind::depthwise_conv_2d) {
      const int w = add(TensorKind::constant, {1, 3, 3, 2});
      n.tensors[static_cast<std::size_t>(w)].quantization.zero_point = {0};
      n.tensors[static_cast<std::size_t>(w)].data.assign(18, 3);
      op.inputs = {padded, w, -1};
    }
    n.inputs = {x}, n.outputs = {y};
    n.operators = {pad, op};
  }
  /// @returns whether the padding went.
  bool folds() {
    Diagnostics d;
    const auto plain = finish_network(n, d, "padded");
    EXPECT_TRUE(plain) << d.text();
    const auto better = rewritten(plain);
    EXPECT_EQ(outputs_of(*better, 1), outputs_of(*plain, 1));
    return better->operators.size() == 1;
  }
};

TEST(Rewrites, OnlyPaddingThatIsZeroGoesIntoConvolutions) {
  EXPECT_TRUE(Padded(OperatorKind::depthwise_conv_2d, 5, 5).folds());
  EXPECT_FALSE(Padded(OperatorKind::depthwise_conv_2d, 5, 4).folds());
}

TEST(Rewrites, PaddingGoesIntoMaximaOnlyBelowAllValues) {
  OperatorOptions relu;
  relu.activation = Activation::relu;
  EXPECT_TRUE(Padded(OperatorKind::max_pool_2d, 5, -128).folds());
  EXPECT_FALSE(Padded(OperatorKind::max_pool_2d, 5, 5).folds());
  EXPECT_TRUE(Padded(OperatorKind::max_pool_2d, 5, 5, relu).folds());  // cut away by the rectifier
  EXPECT_FALSE(Padded(OperatorKind::max_pool_2d, 5, 6, relu).folds());
}

TEST(Rewrites, PaddingGoesIntoAveragesThatCountIt) {
  EXPECT_TRUE(Padded(OperatorKind::average_pool_2d, 5, 5).folds());
  EXPECT_FALSE(Padded(OperatorKind::average_pool_2d, 5, 0).folds());
  // What SAME adds does not count: together they have no words.
  OperatorOptions same;
  same.same_padding = true;
  Padded both(OperatorKind::average_pool_2d, 5, 5, same);
  both.n.tensors[3].shape = {1, 8, 8, 2};
  EXPECT_FALSE(both.folds());
}

TEST(Rewrites, PaddingThatLeavesTheNetworkStays) {
  Padded p(OperatorKind::depthwise_conv_2d, 5, 5);
  p.n.outputs.push_back(2);
  EXPECT_FALSE(p.folds());
}

TEST(Rewrites, PaddingAsSameIsSame) {
  Diagnostics d;
  const auto n = import_network(Padded(OperatorKind::depthwise_conv_2d, 5, 5).n, d, "p", {});
  ASSERT_TRUE(n) << d.text();
  ASSERT_EQ(n->operators.size(), 1u);
  EXPECT_TRUE(n->operators[0].options.same_padding);
  EXPECT_FALSE(n->operators[0].options.explicit_padding);
  ASSERT_EQ(n->rewrites.size(), 1u);
  EXPECT_EQ(n->rewrites[0].where, "pad0");
  LoadOptions as_is;
  as_is.as_in_file = true;
  const auto plain = import_network(Padded(OperatorKind::depthwise_conv_2d, 5, 5).n, d, "p", as_is);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->operators.size(), 2u);
  EXPECT_TRUE(plain->rewrites.empty());
}

}  // namespace
}  // namespace dse::nn::test::rewrite_rewrites_test
