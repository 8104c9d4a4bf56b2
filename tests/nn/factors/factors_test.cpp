// Dynamic rescaling against a model of its own in exact arithmetic, and what it promises.
#include "models/nn/graph/sums/factors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "drawn_chain.h"
#include "models/nn/dsenet.h"
#include "models/nn/graph/finish.h"
#include "models/nn/kernels/dse_factors.h"
#include "models/nn/passes/dynamic_rescaling.h"

namespace dse::nn::test::factors_test {
namespace {

__extension__ typedef __int128 Exact;

int fraction(const Tensor& t) {
  return -static_cast<int>(std::lround(std::log2(static_cast<double>(t.quantization.scale[0]))));
}
std::int64_t limit(const Tensor& t) { return t.type == DataType::int16 ? 32768 : 128; }

/// v / 2^t to the nearest integer, ties upwards.
Exact shifted(Exact v, int t) {
  if (t <= 0) return v * (Exact{1} << -t);
  return (v + (Exact{1} << (t - 1))) >> t;
}

/// The network in mantissas and factors, element by element, with no kernel of the project.
class Model {
 public:
  Model(const Network& n, const std::vector<std::uint8_t>& input) : n_(n), bytes_(n.tensors.size()) {
    bytes_[static_cast<std::size_t>(n.inputs[0])] = input;
  }

  std::int64_t element(int tensor, std::int64_t i) const {
    const Tensor& t = n_.tensors[static_cast<std::size_t>(tensor)];
    const auto& from = t.kind == TensorKind::constant ? t.data : bytes_[static_cast<std::size_t>(tensor)];
    const auto size = static_cast<std::size_t>(size_of(t.type));
    std::uint64_t v = 0;
    for (std::size_t b = 0; b < size; ++b)
      v |= static_cast<std::uint64_t>(from.at(static_cast<std::size_t>(i) * size + b)) << (8 * b);
    const int spare = 64 - 8 * static_cast<int>(size);
    return static_cast<std::int64_t>(v << spare) >> spare;
  }
  void take(int tensor, const std::vector<std::uint8_t>& bytes) { bytes_[static_cast<std::size_t>(tensor)] = bytes; }

  /// Factor of an element, by a walk over the entries.
  int factor(int factors, std::int64_t i) const {
    if (factors < 0) return 0;
    const std::int64_t count = n_.tensors[static_cast<std::size_t>(factors)].elements();
    for (std::int64_t j = 0;; ++j) {
      const auto entry = element(factors, j);
      if (i < entry >> 4 || j + 1 == count) return static_cast<int>(entry & 15) - 8;
    }
  }

  /// The exact sum of an output, in steps of 2^-(n_x + n_w + 8), corrected, between the limits of the activation.
  Exact sum(const Operator& op, std::int64_t y, std::int64_t x, std::int64_t c) const {
    const dse_op& k = op.kernel;
    const int factors = op.inputs.size() > 3 ? op.inputs[3] : -1;
    const bool depthwise = op.kind == OperatorKind::depthwise_conv_2d;
    const std::int64_t groups = std::max(1, k.groups), per_group = k.in_c / groups;
    const std::int64_t channels = depthwise ? 1 : per_group;
    const std::int64_t first = depthwise ? c / k.multiplier : c / (k.out_c / groups) * per_group;
    Exact s = 0;
    for (std::int64_t ky = 0; ky < k.kernel_h; ++ky)
      for (std::int64_t kx = 0; kx < k.kernel_w; ++kx)
        for (std::int64_t i = 0; i < channels; ++i) {
          const std::int64_t row = y * k.stride_h - k.pad_top + ky * k.dilation_h;
          const std::int64_t column = x * k.stride_w - k.pad_left + kx * k.dilation_w;
          if (row < 0 || row >= k.in_h || column < 0 || column >= k.in_w) continue;
          const std::int64_t at = (row * k.in_w + column) * k.in_c + first + i, tap = ky * k.kernel_w + kx;
          const std::int64_t w = depthwise ? tap * k.out_c + c : (c * k.kernel_h * k.kernel_w + tap) * channels + i;
          s += Exact{element(op.inputs[0], at)} * element(op.inputs[1], w) * (1 << (factor(factors, at) + 8));
        }
    if (op.inputs[2] >= 0) s += Exact{element(op.inputs[2], c)} * 256;
    const Quantization& q = n_.tensors[static_cast<std::size_t>(op.inputs[1])].quantization;
    s *= q.correction.size() == 1 ? q.correction[0] : q.correction[static_cast<std::size_t>(c)];
    // Limits are whole steps of the output's format.
    const int n_y = fraction(n_.tensors[static_cast<std::size_t>(op.outputs[0])]);
    const auto real = [&](int v) { return Exact{std::llround(std::ldexp(v, n_y))} * (Exact{1} << (steps(op) - n_y)); };
    const Activation a = op.options.activation;
    if (a == Activation::relu_n1_to_1) return std::clamp(s, real(-1), real(1));
    if (a == Activation::relu6) return std::clamp(s, Exact{0}, real(6));
    return a == Activation::relu ? std::max(s, Exact{0}) : s;
  }
  /// Fraction bits of a sum.
  int steps(const Operator& op) const {
    return fraction(n_.tensors[static_cast<std::size_t>(op.inputs[0])]) +
           fraction(n_.tensors[static_cast<std::size_t>(op.inputs[1])]) + 8;
  }

 private:
  const Network& n_;
  TensorBytes bytes_;
};

struct Seen {
  int batches = 0, clamped = 0, least = 0, compensated = 0, normalized = 0, carried = 0;
};

/// Every product and every normalisation of the network, given what the interpreter made before it.
void compare(const Network& n, unsigned seed, Seen& seen) {
  const auto input = seeded_input(n.tensors[static_cast<std::size_t>(n.inputs[0])], 0, seed);
  const auto bytes = interpret(n, {input});
  Model m(n, input);
  for (const Operator& op : n.operators) {
    for (const int t : op.outputs) m.take(t, bytes[static_cast<std::size_t>(t)]);
    const int out = op.outputs[0];
    const Tensor& y = n.tensors[static_cast<std::size_t>(out)];
    if (op.kind == OperatorKind::normalize) {
      ++seen.normalized;
      int largest = -8;
      const std::int64_t count = n.tensors[static_cast<std::size_t>(op.inputs[1])].elements();
      for (std::int64_t j = 0; j < count; ++j)
        largest = std::max(largest, static_cast<int>(m.element(op.inputs[1], j) & 15) - 8);
      ASSERT_EQ(m.element(op.outputs[1], 0), y.elements() * 16 + largest + 8);
      for (std::int64_t i = 0; i < y.elements(); ++i)
        ASSERT_EQ(m.element(out, i),
                  static_cast<std::int64_t>(shifted(m.element(op.inputs[0], i), largest - m.factor(op.inputs[1], i))));
      continue;
    }
    if (!has_filters(op.kind)) {
      seen.carried += op.inputs.size() == 1 && factors_by_tensor(n)[static_cast<std::size_t>(out)] >= 0;
      continue;
    }
    seen.compensated += op.inputs.size() > 3;
    const dse_op& k = op.kernel;
    const std::int64_t all = y.elements(), each = finds_factors(op) ? (all - 1) / op.options.output_batches + 1 : all;
    const auto mantissa = [&](std::int64_t i, int factor) {
      return shifted(m.sum(op, i / k.out_c / k.out_w, i / k.out_c % k.out_w, i % k.out_c),
                     m.steps(op) - fraction(y) + factor);
    };
    const std::int64_t half = limit(y);
    for (std::int64_t first = 0; first < all; first += each) {
      const std::int64_t end = std::min(all, first + each);
      int factor = 0;
      if (finds_factors(op)) {
        const auto fits = [&](int f) {
          for (std::int64_t i = first; i < end; ++i)
            if (mantissa(i, f) >= half || mantissa(i, f) < -half) return false;
          return true;
        };
        for (factor = -8; factor < 7 && !fits(factor);) ++factor;
        ASSERT_EQ(m.element(op.outputs[1], first / each), end * 16 + factor + 8) << "seed " << seed << ' ' << op.name;
        ++seen.batches, seen.least += factor == -8, seen.clamped += !fits(factor);
      }
      for (std::int64_t i = first; i < end; ++i)
        ASSERT_EQ(m.element(out, i), static_cast<std::int64_t>(std::clamp<Exact>(mantissa(i, factor), -half, half - 1)))
            << "seed " << seed << ' ' << op.name << " output " << i;
    }
  }
}

TEST(Factors, AreTheSmallestByWhichBatchesFitAndAreCompensatedExactly) {
  Seen seen;
  for (unsigned seed = 0; seed < 600 && !HasFatalFailure(); ++seed)
    compare(*drawn_chain_with_factors(seed), seed, seen);
  EXPECT_GT(seen.batches, 2000);
  EXPECT_GT(seen.clamped, 5);
  EXPECT_GT(seen.least, 20);
  EXPECT_GT(seen.compensated, 500);
  EXPECT_GT(seen.normalized, 50);
  EXPECT_GT(seen.carried, 100);
}

TEST(Factors, GoThroughAFile) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto n = drawn_chain_with_factors(seed);
    Diagnostics d;
    const auto back = import_dsenet(write_dsenet(*n), "test.dsenet", d);
    ASSERT_TRUE(back) << d.text();
    const std::vector<std::vector<std::uint8_t>> inputs = {
        seeded_input(n->tensors[static_cast<std::size_t>(n->inputs[0])], 0, seed)};
    const auto a = interpret(*n, inputs), b = interpret(*back, inputs);  // reading may have folded a padding
    ASSERT_EQ(n->outputs.size(), back->outputs.size());
    for (std::size_t o = 0; o < n->outputs.size(); ++o)
      EXPECT_EQ(a[static_cast<std::size_t>(n->outputs[o])], b[static_cast<std::size_t>(back->outputs[o])])
          << "seed " << seed;
  }
}

/// What is wrong with a drawn network after `damage` to its first operator that compensates.
std::string said_of(const std::function<void(Network&, Operator&)>& damage) {
  for (unsigned seed = 0;; ++seed) {
    OutputBatches rows;
    Network n = rescaled_dynamically(drawn_chain(seed), rows);
    for (auto& op : n.operators) {
      if (!compensates(op) || !finds_factors(op)) continue;
      damage(n, op);
      Diagnostics d;
      EXPECT_EQ(finish_network(std::move(n), d, "test"), nullptr);
      return d.text();
    }
  }
}

TEST(Factors, AreRefusedWhereTheyDoNotBelong) {
  using testing::HasSubstr;
  EXPECT_THAT(said_of([](Network&, Operator& op) { op.inputs.resize(3); }),
              HasSubstr("has factors, which this operator does not take"));
  EXPECT_THAT(said_of([](Network& n, Operator& op) { op.inputs[3] = n.inputs[0]; }),
              HasSubstr("are not the factors of"));
  EXPECT_THAT(
      said_of([](Network& n, Operator& op) { n.tensors[static_cast<std::size_t>(op.outputs[1])].shape = {77}; }),
      HasSubstr("is no tensor of"));
  EXPECT_THAT(said_of([](Network&, Operator& op) { op.options.output_batches = 0; }), HasSubstr("output_batches 0"));
  EXPECT_THAT(said_of([](Network&, Operator& op) { op.options.output_batches = 1 << 30; }),
              HasSubstr("cannot be made"));
  EXPECT_THAT(said_of([](Network&, Operator& op) { op.options.rounding = Rounding::tflite; }),
              HasSubstr("only products in mode qformat"));
  EXPECT_THAT(said_of([](Network&, Operator& op) { op.options.correction = Correction::round_then_correct; }),
              HasSubstr("correct-then-round"));
  EXPECT_THAT(said_of([](Network& n, Operator& op) { n.outputs = {op.outputs[0]}; }),
              HasSubstr("has factors, which nobody outside would know"));
}

TEST(Factors, SumsThatMayNotHoldAreStatic) {
  EXPECT_TRUE(sums_hold(DataType::int8, DataType::int8, 1 << 30));
  EXPECT_TRUE(sums_hold(DataType::int16, DataType::int16, (1 << 17) - 1));
  EXPECT_FALSE(sums_hold(DataType::int16, DataType::int16, 1 << 17));
}

TEST(Factors, BatchesOfAnOutput) {
  EXPECT_EQ(batch_count(100, 8), 8) << "13 each, 9 in the last";
  EXPECT_EQ(batch_count(100, 40), 34) << "three each";
  EXPECT_EQ(batch_count(5, 5), 5);
  Tensor t;
  t.shape = {1, 6, 4, 10};
  using By = OutputBatches::By;
  EXPECT_EQ((OutputBatches{By::rows, 0}.of(t)), 6);
  EXPECT_EQ((OutputBatches{By::channels, 0}.of(t)), 10);
  EXPECT_EQ((OutputBatches{By::number, 1000}.of(t)), 240);
}

}  // namespace
}  // namespace dse::nn::test::factors_test
