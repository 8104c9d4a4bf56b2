#include "drawn_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "models/nn/graph/finish.h"
#include "models/nn/passes/dynamic_rescaling.h"
#include "models/nn/quantize.h"

namespace dse::nn::test {
namespace {

class Chain {
 public:
  Chain(unsigned seed, int most) : random_(seed), most_(most) {}

  Network draw() {
    Tensor in = activation("in", {1, pick(2, most_), pick(2, most_), pick(1, most_)}, pick(3, 8));
    in.kind = TensorKind::input;
    int x = put(std::move(in));
    n_.inputs = {x};
    n_.name = "drawn";
    const int layers = pick(2, 5);
    for (int l = 0; l < layers; ++l) {
      const int before = x;
      x = chance(30) ? moved(x) : product(x);
      if (chance(15)) n_.outputs.push_back(product(before));  // a fork
    }
    x = chance(50) ? fully_connected(reshaped(x)) : product(x);
    if (std::find(n_.outputs.begin(), n_.outputs.end(), x) == n_.outputs.end()) n_.outputs.push_back(x);
    return std::move(n_);
  }

 private:
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  const Tensor& at(int t) const { return n_.tensors[static_cast<std::size_t>(t)]; }

  Tensor activation(const std::string& name, std::vector<std::int64_t> shape, int fraction) {
    Tensor t;
    t.name = fmt::format("{}{}", name, n_.tensors.size()), t.shape = std::move(shape);
    t.type = chance(25) ? DataType::int16 : DataType::int8;
    t.quantization = {{static_cast<float>(std::ldexp(1.0, -fraction))}, {0}, 0, {}};
    return t;
  }
  int put(Tensor t) {
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  static int fraction(const Tensor& t) {
    return -static_cast<int>(std::lround(std::log2(static_cast<double>(t.quantization.scale[0]))));
  }
  int constant(const std::string& name, std::vector<std::int64_t> shape, DataType type, int limit) {
    Tensor t;
    t.name = fmt::format("{}{}", name, n_.tensors.size()), t.shape = std::move(shape), t.type = type;
    t.kind = TensorKind::constant;
    const auto size = static_cast<std::size_t>(size_of(type));
    for (std::int64_t e = 0; e < t.elements(); ++e)
      for (std::size_t b = 0, v = static_cast<std::size_t>(pick(-limit, limit)); b < size; ++b)
        t.data.push_back(static_cast<std::uint8_t>(v >> (8 * b)));
    return put(std::move(t));
  }

  /// Weights of `shape`, a bias, and an output of a format in which about a random share of them fits.
  int weighted(OperatorKind kind, int x, std::vector<std::int64_t> shape, std::int64_t channels, std::int64_t products,
               std::vector<std::int64_t> out, OperatorOptions options) {
    const bool wide = chance(20);
    Operator op;
    op.kind = kind;
    op.options = std::move(options);
    op.options.rounding = Rounding::qformat, op.options.correction = Correction::correct_then_round;
    if (chance(40)) op.options.activation = static_cast<Activation>(pick(1, 3));
    const int weights = constant("w", std::move(shape), wide ? DataType::int16 : DataType::int8, wide ? 30000 : 127);
    const int n_w = (wide ? 15 : 7) + pick(-1, 1);
    auto& q = n_.tensors[static_cast<std::size_t>(weights)].quantization;
    q = {{static_cast<float>(std::ldexp(1.0, -n_w))}, {0}, 0, {}};
    q.axis = kind == OperatorKind::depthwise_conv_2d ? 3 : 0;
    const std::int64_t factors = chance(50) ? channels : 1;
    for (std::int64_t c = 0; c < factors; ++c) q.correction.push_back(pick(1, 3));
    const int bias = chance(80) ? constant("b", {channels}, DataType::int32, 1 << pick(4, 14)) : -1;
    Tensor y = activation("y", std::move(out), 0);
    const int grown = static_cast<int>(std::lround(std::log2(static_cast<double>(products)) / 2));
    const int n_x = fraction(at(x)) + (y.type == DataType::int16 ? 8 : 0) - (at(x).type == DataType::int16 ? 8 : 0);
    y.quantization.scale = {static_cast<float>(std::ldexp(1.0, -(n_x - grown + pick(-3, 3))))};
    op.inputs = {x, weights, bias};
    op.outputs = {put(std::move(y))};
    n_.operators.push_back(std::move(op));
    return n_.operators.back().outputs[0];
  }

  int product(int x) {
    const auto& in = at(x).shape;
    if (in.size() != 4) return fully_connected(x);
    OperatorOptions o;
    const int kernel_h = pick(1, 3), kernel_w = pick(1, 3);
    o.stride_h = pick(1, 2), o.stride_w = pick(1, 2), o.same_padding = true;
    if (chance(20)) o.dilation_h = o.dilation_w = 2, o.stride_h = o.stride_w = 1;
    const auto h = window(in[1], kernel_h, o.stride_h, o.dilation_h, true).out;
    const auto w = window(in[2], kernel_w, o.stride_w, o.dilation_w, true).out;
    if (chance(35)) {
      o.depth_multiplier = pick(1, 2);
      const auto c = in[3] * o.depth_multiplier;
      return weighted(OperatorKind::depthwise_conv_2d, x, {1, kernel_h, kernel_w, c}, c, kernel_h * kernel_w,
                      {1, h, w, c}, o);
    }
    const std::int64_t groups = in[3] % 2 == 0 && chance(20) ? 2 : 1, c = groups * pick(1, most_);
    return weighted(OperatorKind::conv_2d, x, {c, kernel_h, kernel_w, in[3] / groups}, c,
                    kernel_h * kernel_w * in[3] / groups, {1, h, w, c}, o);
  }

  int fully_connected(int x) {
    const std::int64_t in = at(x).shape.back(), out = pick(1, most_), rows = at(x).elements() / in;
    return weighted(OperatorKind::fully_connected, x, {out, in}, out, in, {rows, out}, {});
  }

  int reshaped(int x) {
    Operator op;
    op.kind = OperatorKind::reshape;
    return plain(std::move(op), x, {1, at(x).elements()});
  }

  /// What carries factors: the output has the input's type and scale.
  int moved(int x) {
    const auto in = at(x).shape;
    Operator op;
    if (in.size() != 4 || chance(25)) {
      op.kind = OperatorKind::reshape;
      return plain(std::move(op), x, in.size() == 4 ? std::vector<std::int64_t>{1, in[2], in[1], in[3]} : in);
    }
    if (chance(30)) {
      op.kind = OperatorKind::pad;
      op.options.pad_before = {0, pick(0, 2), 1, 0}, op.options.pad_after = {0, 1, pick(0, 1), 0};
      auto out = in;
      for (std::size_t d = 0; d < 4; ++d) out[d] += op.options.pad_before[d] + op.options.pad_after[d];
      return plain(std::move(op), x, out);
    }
    op.kind = chance(50) ? OperatorKind::max_pool_2d : OperatorKind::average_pool_2d;
    op.options.filter_h = op.options.filter_w = 2, op.options.same_padding = true;
    if (chance(50)) op.options.activation = Activation::relu;
    return plain(std::move(op), x, in);
  }

  int plain(Operator op, int x, std::vector<std::int64_t> out) {
    op.options.rounding = Rounding::qformat;
    Tensor y = at(x);
    y.kind = TensorKind::activation;
    y.name = fmt::format("m{}", n_.tensors.size()), y.shape = std::move(out);
    op.inputs = {x}, op.outputs = {put(std::move(y))};
    n_.operators.push_back(std::move(op));
    return n_.operators.back().outputs[0];
  }

  Network n_;
  std::mt19937 random_;
  int most_;
};

}  // namespace

Network drawn_chain(unsigned seed, int most) { return Chain(seed, most).draw(); }

NetworkPtr drawn_chain_with_factors(unsigned seed, int most) {
  OutputBatches batches;
  batches.by = static_cast<OutputBatches::By>(seed % 3);
  batches.number = 1 + seed / 3 % 17;
  Diagnostics d;
  auto n = finish_network(rescaled_dynamically(drawn_chain(seed, most), batches), d, "drawn");
  ensure(n != nullptr, d.text());
  return n;
}

}  // namespace dse::nn::test
