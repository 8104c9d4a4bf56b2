// What fold_quantize_pairs knows of kinds and values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/nn/made/fill.h"
#include "models/nn/passes/quantize_pairs.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn::pairs {
namespace {

std::int64_t lowest(DataType t) { return t == DataType::uint8 ? 0 : -128; }
std::int64_t highest(DataType t) { return t == DataType::uint8 ? 255 : 127; }

/// Index into the per-channel lists for every element, in order.
template <class F>
void for_each_channel(const std::vector<std::int64_t>& shape, const Quantization& q, F&& f) {
  std::int64_t inner = 1, elements = 1;
  for (const auto d : shape) elements *= d;
  for (std::size_t d = static_cast<std::size_t>(q.axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  const auto channels = static_cast<std::int64_t>(q.scale.size());
  for (std::int64_t i = 0; i < elements; ++i)
    f(static_cast<std::size_t>(i), static_cast<std::size_t>(channels == 1 ? 0 : i / inner % channels));
}

std::int64_t integer_at(const Tensor& t, std::size_t i) {
  if (t.fill) return static_cast<std::int64_t>(t.fill->value);
  if (t.type == DataType::int32) {
    std::int32_t v = 0;
    std::memcpy(&v, t.data.data() + 4 * i, 4);
    return v;
  }
  if (t.type == DataType::int16) {
    std::int16_t v = 0;
    std::memcpy(&v, t.data.data() + 2 * i, 2);
    return v;
  }
  return t.type == DataType::uint8 ? std::int64_t{t.data[i]} : std::int64_t{static_cast<std::int8_t>(t.data[i])};
}

}  // namespace

bool moves_values(const Network&, const Operator& op) {
  using K = OperatorKind;
  switch (op.kind) {
    case K::max_pool_2d:
    case K::global_max_pool:
    case K::reshape:
    case K::transpose:
    case K::squeeze:
    case K::expand_dims:
    case K::mirror_pad:
    case K::slice:
    case K::strided_slice:
    case K::split:
    case K::resize_nearest_neighbor:
    case K::dropout:
    case K::identity:
    case K::reduce_max:
    case K::reduce_min:
      return true;
    case K::pad:  // with real 0, which is the zero point
      return op.inputs.size() == 1 && op.options.clip_min == 0;
    default:
      return false;
  }
}

bool computes(const Network& n, const Operator& op) {
  using K = OperatorKind;
  switch (op.kind) {
    case K::conv_2d:
    case K::transpose_conv:
      return at(n, op.inputs[1]).kind == TensorKind::activation;  // DEQUANTIZE of a constant makes one
    case K::gemm:
      return op.options.alpha == 1.0f && (op.inputs.size() < 3 || op.options.beta == 1.0f) && !op.options.adj_x;
    case K::batch_matmul:
    case K::add:
    case K::sub:
    case K::mul:
    case K::relu:
    case K::relu6:
    case K::clip:
    case K::logistic:
    case K::tanh:
    case K::leaky_relu:
    case K::hard_swish:
    case K::hard_sigmoid:
    case K::elu:
    case K::average_pool_2d:
    case K::global_average_pool:
    case K::mean:
    case K::concatenation:
    case K::softmax:
      return true;
    default:
      return false;
  }
}

bool is_quantized(const Tensor& t) {
  return (t.type == DataType::int8 || t.type == DataType::uint8) && t.quantization.scale.size() == 1 &&
         t.quantization.zero_point.size() == 1 && t.quantization.scale[0] > 0;
}

std::vector<std::uint8_t> quantized_values(const Tensor& real, DataType type, const Quantization& q) {
  const auto values = values_of(real);
  std::vector<std::uint8_t> out(values.size());
  for_each_channel(real.shape, q, [&](std::size_t i, std::size_t c) {
    const float scaled = std::nearbyint(values[i] / q.scale[c]);
    const auto lo = static_cast<float>(lowest(type)), hi = static_cast<float>(highest(type));
    const auto zero = static_cast<float>(q.zero_point[c]);
    // Not a number compares false both ways and ends at the lower limit.
    const float v = scaled + zero >= lo ? std::min(scaled + zero, hi) : lo;
    out[i] = static_cast<std::uint8_t>(static_cast<int>(v));
  });
  return out;
}

std::vector<float> dequantized_values(const Tensor& t) {
  std::vector<float> out(static_cast<std::size_t>(t.elements()));
  for_each_channel(t.shape, t.quantization, [&](std::size_t i, std::size_t c) {
    out[i] = static_cast<float>(integer_at(t, i) - t.quantization.zero_point[c]) * t.quantization.scale[c];
  });
  return out;
}

std::optional<Activation> activation_as(const Operator& op, const Tensor& out) {
  const auto real = [&](std::int64_t q) {
    return static_cast<double>(q - out.quantization.zero_point[0]) * static_cast<double>(out.quantization.scale[0]);
  };
  const double lowest_value = real(lowest(out.type)), highest_value = real(highest(out.type));
  double lo = 0, hi = std::numeric_limits<double>::infinity();
  switch (op.kind) {
    case OperatorKind::relu:
      break;
    case OperatorKind::relu6:
      hi = 6;
      break;
    case OperatorKind::clip:
      lo = static_cast<double>(op.options.clip_min);
      hi = static_cast<double>(op.options.clip_max);
      break;
    default:
      return std::nullopt;
  }
  const bool cuts_below = lo > lowest_value, cuts_above = hi < highest_value;
  if (!cuts_below && !cuts_above) return Activation::none;
  if (lo == 0 && !cuts_above) return Activation::relu;
  if (lo == 0 && hi == 6) return Activation::relu6;
  if (lo == -1 && hi == 1) return Activation::relu_n1_to_1;
  return std::nullopt;
}

std::optional<std::vector<std::int32_t>> integer_bias(const Tensor& bias, float in_scale, const Tensor& weights,
                                                      std::int64_t channels) {
  if (bias.kind != TensorKind::constant || bias.elements() != channels) return std::nullopt;
  const auto& w = weights.quantization.scale;
  if (w.size() != 1 && static_cast<std::int64_t>(w.size()) != channels) return std::nullopt;
  const bool real = bias.type == DataType::float32;
  const auto& own = bias.quantization;
  if (!real && (bias.type != DataType::int32 || own.scale.empty() || own.zero_point.size() != own.scale.size()))
    return std::nullopt;
  if (!real && own.scale.size() != 1 && static_cast<std::int64_t>(own.scale.size()) != channels) return std::nullopt;
  const auto values = real ? values_of(bias) : std::vector<float>{};
  std::vector<std::int32_t> out(static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double step = static_cast<double>(in_scale) * static_cast<double>(w[w.size() == 1 ? 0 : c]);
    double v = 0;
    if (real) {
      v = static_cast<double>(values[c]) / step;
    } else {
      const std::size_t i = own.scale.size() == 1 ? 0 : c;
      const double ratio = static_cast<double>(own.scale[i]) / step;
      const auto q = static_cast<double>(integer_at(bias, c) - own.zero_point[i]);
      // Scales are products that were rounded to binary32.
      v = std::abs(ratio - 1) < 1e-5 ? q : q * ratio;
    }
    if (!(std::abs(v) < 2147483647.0)) return std::nullopt;
    out[c] = static_cast<std::int32_t>(std::nearbyint(v));
  }
  return out;
}

void propagate_quantization(Network& n) {
  const auto copy = [&](int from, int to) {
    Tensor &a = at(n, from), &b = at(n, to);
    if (a.type == b.type && b.quantization.scale.empty() && b.kind != TensorKind::constant &&
        a.quantization.scale.size() == 1)
      b.quantization = a.quantization;
  };
  const auto moving = [&](const Operator& op) { return op.unsupported.empty() && moves_values(n, op); };
  for (const auto& op : n.operators)
    if (moving(op))
      for (const int t : op.outputs) copy(op.inputs[0], t);
  for (auto op = n.operators.rbegin(); op != n.operators.rend(); ++op)
    if (moving(*op))
      for (const int t : op->outputs) copy(t, op->inputs[0]);
  for (const auto& op : n.operators)
    if (moving(op))
      for (const int t : op.outputs) copy(op.inputs[0], t);
}

void fold_constants(Network& n) {
  std::vector<bool> dead(n.operators.size());
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const Operator& dq = n.operators[o];
    if (dq.kind != OperatorKind::dequantize || !dq.unsupported.empty()) continue;
    const int from = dq.inputs[0], to = dq.outputs[0];
    const bool is_output = std::find(n.outputs.begin(), n.outputs.end(), to) != n.outputs.end();
    if (at(n, from).kind != TensorKind::constant || is_output || at(n, from).quantization.scale.empty()) continue;
    const auto values = dequantized_values(at(n, from));
    at(n, to).kind = TensorKind::constant;
    set_values(at(n, to), values);
    dead[o] = true;
  }
  remove_dead(n, dead);
}

}  // namespace dse::nn::pairs
