// Types, weights and biases of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV; per channel the record of
// bias, multiplier and shift.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/graph/sums/factors.h"
#include "models/nn/kernels/dse_factors.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

bool affine(const Derivation& d) {
  return d.op.options.rounding == Rounding::tflite || d.op.options.rounding == Rounding::single;
}

template <class T>
const T& at(const std::vector<T>& v, std::int64_t channel) {
  return v.size() == 1 ? v[0] : v[static_cast<std::size_t>(channel)];
}

bool check_weights(Derivation& d, std::int64_t channels, int channel_axis) {
  const Tensor& w = d.input(1);
  if (w.kind != TensorKind::constant) return d.fail(fmt::format("weights '{}' are not constant", w.name));
  if (w.data.empty()) return d.fail(fmt::format("weights '{}' have no values", w.name));
  const auto& q = w.quantization;
  const auto per = static_cast<std::int64_t>(d.op.channels_per_scale()), scales = (channels + per - 1) / per;
  const auto fits = [&](std::size_t count) { return count == 1 || static_cast<std::int64_t>(count) == scales; };
  if (!fits(q.scale.size()))
    return d.fail(fmt::format("weights '{}' have {} scales for {} output channels", w.name, q.scale.size(), channels));
  if (std::max(q.scale.size(), q.zero_point.size()) > 1 && q.axis != channel_axis)
    return d.fail(fmt::format("weights '{}' are quantised along axis {}, not {}", w.name, q.axis, channel_axis));
  for (const float s : q.scale)
    if (!std::isfinite(s) || s < 0.0f) return d.fail(fmt::format("weights '{}' have scale {}", w.name, s));
  if (!q.zero_point.empty() && !fits(q.zero_point.size()))
    return d.fail(
        fmt::format("weights '{}' have {} zero points for {} output channels", w.name, q.zero_point.size(), channels));
  const bool shifted = d.op.options.rounding == Rounding::onnx || w.type == DataType::uint8;
  const ActivationRange range = type_range(w.type);
  for (const auto z : q.zero_point)
    if (shifted ? z < range.min || z > range.max : z != 0)
      return d.fail(fmt::format("weights '{}' have zero point {}{}", w.name, z, shifted ? "" : ", not 0"));
  if (d.op.options.rounding != Rounding::qformat && !q.correction.empty())
    return d.fail(fmt::format("weights '{}' have correction factors outside Q formats", w.name));
  if (!q.correction.empty() && !fits(q.correction.size()))
    return d.fail(fmt::format("weights '{}' have {} correction factors for {} output channels", w.name,
                              q.correction.size(), channels));
  for (const auto f : q.correction)
    if (f < 1) return d.fail(fmt::format("weights '{}' have correction factor {}", w.name, f));
  return true;
}

/// One zero point goes to the kernel; differing ones are taken off here, which makes the weights int16.
void take_off_zero_points(Derivation& d, std::int64_t channels) {
  const auto& zeros = d.input(1).quantization.zero_point;
  dse_op& k = d.op.kernel;
  k.weights_zero = zeros.empty() ? 0 : static_cast<std::int32_t>(zeros[0]);
  if (std::all_of(zeros.begin(), zeros.end(), [&](auto z) { return z == zeros[0]; })) return;
  const bool is_signed = d.input(1).type == DataType::int8;
  const std::vector<std::uint8_t> raw = filter_major_weights(d.network, d.op);
  const std::size_t filter = raw.size() / static_cast<std::size_t>(channels);
  std::vector<std::uint8_t> wide(2 * raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const int v = is_signed ? static_cast<std::int8_t>(raw[i]) : raw[i];
    const auto w = static_cast<std::int16_t>(v - zeros[i / filter]);
    std::memcpy(&wide[2 * i], &w, 2);
  }
  d.op.weights = std::move(wide);
  k.weight_type = DSE_I16;
  k.weights_zero = 0;
}

/// TensorFlow Lite multiplies the scales of fully connected layers and of all uint8 operators in binary32.
bool float_product(const Derivation& d) {
  return affine(d) && d.input(1).quantization.scale.size() == 1 &&
         (d.op.kind == OperatorKind::fully_connected || d.input(0).type == DataType::uint8);
}

bool check_bias(Derivation& d, std::int64_t channels) {
  if (d.op.inputs[2] < 0) return true;
  const Tensor& b = d.input(2);
  if (b.kind != TensorKind::constant) return d.fail(fmt::format("bias '{}' is not constant", b.name));
  if (b.type != DataType::int32 && (b.type != DataType::int64 || d.op.options.rounding == Rounding::onnx))
    return d.fail(fmt::format("bias '{}' has type {}, not INT32", b.name, name_of(b.type)));
  if (b.type == DataType::int64 && d.op.kernel.acc_bytes != 8)
    return d.fail(fmt::format("bias '{}' has type INT64, but sums have 32 bits", b.name));
  if (b.elements() != channels)
    return d.fail(fmt::format("bias '{}' has {} elements for {} output channels", b.name, b.elements(), channels));
  if (b.data.empty()) return d.fail(fmt::format("bias '{}' has no values", b.name));
  // The reference refuses layers of this kind whose bias scale is off by more than 2 % of an output step.
  if (float_product(d) && b.quantization.scale.size() == 1) {
    const double product = static_cast<double>(scale_of(d.input(0))) * static_cast<double>(scale_of(d.input(1)));
    const double off = std::abs(product - static_cast<double>(b.quantization.scale[0]));
    if (!(off / static_cast<double>(scale_of(d.output())) <= 0.02))
      return d.fail(fmt::format("bias '{}' has scale {}, but input scale times weight scale is {}", b.name,
                                b.quantization.scale[0], product));
  }
  return true;
}

std::int64_t bias_at(const Tensor& b, std::int64_t c) {
  if (b.type == DataType::int32) {
    std::int32_t v = 0;
    std::memcpy(&v, b.data.data() + 4 * c, 4);
    return v;
  }
  std::int64_t v = 0;
  std::memcpy(&v, b.data.data() + 8 * c, 8);
  return v;
}

/// Multiplier and shift of a channel as the mode stores them.
bool channel_multiplier(Derivation& d, std::int64_t c, Multiplier& m) {
  const auto& q = d.input(1).quantization;
  const std::int64_t s = c / static_cast<std::int64_t>(d.op.channels_per_scale());
  const float in = scale_of(d.input(0)), w = at(q.scale, s), out = scale_of(d.output());
  if (d.op.options.rounding == Rounding::qformat) {
    const auto n_w = fraction_bits(w);
    if (!n_w) return d.fail(fmt::format("weights '{}' have scale {}, not a power of two", d.input(1).name, w));
    m.multiplier = q.correction.empty() ? 1 : at(q.correction, s);
    m.shift = *fraction_bits(in) + *n_w - *fraction_bits(out) + (compensates(d.op) ? DSE_FACTOR_DIGITS : 0);
    return check_qformat_shift(d, m.shift);
  }
  const float rounded = in * w;
  const double product =
      float_product(d) ? static_cast<double>(rounded) : static_cast<double>(in) * static_cast<double>(w);
  const double real = product / static_cast<double>(out);
  m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
  const int most = d.op.kernel.acc_bytes == 8 ? 14 : 30;
  if (m.shift > most)
    return d.fail(fmt::format("output channel {} has the real multiplier {}, above 2^{}", c, real, most));
  return true;
}

}  // namespace

std::optional<int> fraction_bits(float scale) {
  int e = 0;
  if (!std::isfinite(scale) || std::frexp(scale, &e) != 0.5f || e < -100 || e > 100) return std::nullopt;
  return 1 - e;
}

bool check_qformat_shift(Derivation& d, int t) {
  if (t >= -31 && t <= 46) return true;
  return d.fail(fmt::format("the Q formats of input, weights and output lie {} bits apart, not -31 to 46", t));
}

bool derive_weighted_types(Derivation& d) {
  const DataType x = d.input(0).type, w = d.input(1).type, y = d.output().type;
  const Rounding mode = d.op.options.rounding;
  using enum DataType;
  const bool quantized =
      mode == Rounding::onnx
          ? d.quantized(d.op.inputs[0], "input", {int8, uint8}) && d.quantized(d.op.outputs[0], "output", {int8, uint8})
      : mode == Rounding::qformat
          ? d.quantized(d.op.inputs[0], "input", {int8, int16}) && d.quantized(d.op.outputs[0], "output", {int8, int16})
          : d.quantized(d.op.inputs[0], "input", {int8, uint8, int16}) && d.quantized(d.op.outputs[0], "output", {x});
  if (!quantized) return false;
  const bool known = mode == Rounding::onnx      ? w == int8 || w == uint8
                     : mode == Rounding::qformat ? w == int8 || w == int16
                                                 : w == (x == uint8 ? uint8 : int8);
  if (!known)
    return d.fail(fmt::format("weights '{}' of type {} do not go with {} activations in mode {}", d.input(1).name,
                              name_of(w), name_of(x), name_of(mode)));
  dse_op& k = d.op.kernel;
  k.rounding = static_cast<std::int32_t>(mode);
  k.correction = static_cast<std::int32_t>(d.op.options.correction);
  k.in_type = kernel_type(x), k.weight_type = kernel_type(w), k.out_type = kernel_type(y);
  k.in_zero = zero_of(d.input(0)), k.out_zero = zero_of(d.output());
  // TensorFlow Lite: int16 activations have sums of 64 bits, but convolutions with biases of 32 bits or none.
  const bool biased = d.has_input(2);
  const bool narrow = biased ? d.input(2).type == int32 : d.op.kind == OperatorKind::conv_2d;
  k.acc_bytes = mode == Rounding::qformat ? (x == int16 || w == int16 ? 8 : 4) : x == int16 && !narrow ? 8 : 4;
  if (mode != Rounding::qformat) return true;
  if (compensates(d.op)) k.acc_bytes = 8;
  for (const int t : {d.op.inputs[0], d.op.outputs[0]})
    if (!fraction_bits(scale_of(d.tensor(t))) || zero_of(d.tensor(t)) != 0)
      return d.fail(fmt::format("'{}' has scale {} and zero point {}, no Q format", d.tensor(t).name,
                                scale_of(d.tensor(t)), zero_of(d.tensor(t))));
  return true;
}

bool derive_channel_params(Derivation& d, std::int64_t channels, int channel_axis) {
  if (d.op.inputs.size() < 3) d.op.inputs.resize(3, -1);
  if (!check_weights(d, channels, channel_axis) || !check_bias(d, channels)) return false;
  take_off_zero_points(d, channels);
  const Tensor* bias = d.op.inputs[2] < 0 ? nullptr : &d.input(2);
  const bool wide = d.op.kernel.acc_bytes == 8;
  const std::int64_t most = wide ? std::int64_t{1} << 47 : std::numeric_limits<std::int32_t>::max();
  const std::size_t words = wide ? 4 : 3;
  d.op.channel_params.assign(words * static_cast<std::size_t>(channels), 0);
  for (std::int64_t c = 0; c < channels; ++c) {
    Multiplier m;
    if (!channel_multiplier(d, c, m)) return false;
    std::int32_t* p = &d.op.channel_params[words * static_cast<std::size_t>(c)];
    std::int64_t b = bias ? bias_at(*bias, c) : 0;
    if (compensates(d.op) && std::abs(b) <= most) b *= std::int64_t{1} << DSE_FACTOR_DIGITS;
    if (b > most || b < -most - (wide ? 0 : 1))
      return d.fail(fmt::format("bias {} of output channel {} does not fit the sums", b, c));
    std::memcpy(p, &b, wide ? 8 : 4);
    p[words - 2] = m.multiplier;
    p[words - 1] = m.shift;
  }
  set_activation(d);
  return true;
}

}  // namespace dse::nn
