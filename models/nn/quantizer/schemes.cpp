#include "models/nn/quantizer/schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dse::nn::quantizer {
namespace {

constexpr double bias_limit = 0x1p30;       // room for the sum of products in 32 bits
constexpr double wide_bias_limit = 0x1p46;  // in 64, of which 48 count

/// One observer per channel, or one for all.
std::vector<Range> channel_ranges(const ChannelLayout& l, const std::vector<float>& values, bool per_channel,
                                  const Statistic& statistic) {
  const std::size_t count = per_channel ? l.channels : 1;
  std::vector<Range> ranges(count);
  std::vector<float> one;
  for (std::size_t c = 0; c < count; ++c) {
    one.clear();
    // Runs of `inner` elements, `channels` of them in turn.
    const std::size_t run = per_channel ? l.inner : values.size(), step = per_channel ? l.inner * l.channels : run;
    for (std::size_t e = c * run; e < values.size(); e += step)
      one.insert(one.end(), values.begin() + static_cast<std::ptrdiff_t>(e),
                 values.begin() + static_cast<std::ptrdiff_t>(e + run));
    Observer o;
    o.add(one);
    ranges[c] = o.range(statistic);
  }
  return ranges;
}

Tensor like(const Tensor& t, DataType type) {
  Tensor out;
  out.name = t.name, out.shape = t.shape, out.kind = TensorKind::constant, out.type = type;
  out.data.resize(static_cast<std::size_t>(t.elements() * size_of(type)));
  return out;
}

std::string scale_text(const std::vector<float>& scales) {
  const auto [lo, hi] = std::minmax_element(scales.begin(), scales.end());
  return *lo == *hi ? fmt::format("scale {:.4g}", *lo) : fmt::format("scale {:.3g} to {:.3g}", *lo, *hi);
}

}  // namespace

void put(Tensor& t, std::size_t element, std::int64_t value) {
  const auto size = static_cast<std::size_t>(size_of(t.type));
  for (std::size_t b = 0; b < size; ++b)
    t.data[element * size + b] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * b));
}

ChannelLayout channel_layout(const Operator& op, const Tensor& weights) {
  const auto elements = static_cast<std::size_t>(weights.elements());
  if (op.kind == OperatorKind::depthwise_conv_2d)
    return {static_cast<std::size_t>(weights.shape.back()), 1, static_cast<int>(weights.shape.size()) - 1};
  const auto channels = static_cast<std::size_t>(weights.shape.front());
  return {channels, elements / channels, 0};
}

Quantization affine_quantization(Range range) {
  const double lo = std::min(range.min, 0.0);
  double hi = std::max(range.max, 0.0);
  if (!(hi - lo > 1e-30)) hi = lo + 1;
  const auto scale = static_cast<float>((hi - lo) / 255.0);
  const double zero = std::round(-128.0 - lo / static_cast<double>(scale));
  return {{scale}, {static_cast<std::int64_t>(std::clamp(zero, -128.0, 127.0))}, 0, {}};
}

EncodedWeights affine_weights(const Operator& op, const Tensor& weights, const std::vector<float>& values,
                              const QuantizeOptions& options, const std::vector<double>& least_scales) {
  const ChannelLayout l = channel_layout(op, weights);
  const bool wide = op.options.spectral;  // Fourier transforms have 16 bits
  const double limit = wide ? 32767 : 127;
  EncodedWeights out{like(weights, wide ? DataType::int16 : DataType::int8), {}, {}};
  const auto ranges = channel_ranges(l, values, options.per_channel, options.weights);
  Quantization& q = out.tensor.quantization;
  q.axis = l.axis;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    double scale = ranges[c].largest() / limit;
    for (std::size_t b = 0; b < least_scales.size() && !wide; ++b)
      if (ranges.size() == 1 || b / op.channels_per_scale() == c) scale = std::max(scale, least_scales[b]);
    if (!(scale > 1e-30)) scale = 1;  // all weights are 0
    q.scale.push_back(static_cast<float>(scale));
    q.zero_point.push_back(0);
  }
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto scale = static_cast<double>(q.scale[ranges.size() == 1 ? 0 : e / l.inner % l.channels]);
    const auto real = static_cast<double>(values[e]);
    const double integer = std::clamp(std::round(real / scale), -limit, limit);
    put(out.tensor, e, static_cast<std::int64_t>(integer));
    out.fidelity.add(real, integer * scale, -limit * scale, limit * scale, scale);
  }
  out.format = scale_text(q.scale);
  return out;
}

Tensor affine_bias(const Operator& op, const Tensor& bias, const std::vector<float>& values, float in_scale,
                   const Quantization& weights) {
  Tensor out = like(bias, op.options.spectral ? DataType::int64 : DataType::int32);
  const double limit = op.options.spectral ? wide_bias_limit : bias_limit;
  for (const float s : weights.scale) {
    out.quantization.scale.push_back(in_scale * s);
    out.quantization.zero_point.push_back(0);
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    const auto scale = static_cast<double>(
        out.quantization.scale[out.quantization.scale.size() == 1 ? 0 : c / op.channels_per_scale()]);
    put(out, c,
        static_cast<std::int64_t>(std::clamp(std::round(static_cast<double>(values[c]) / scale), -limit, limit)));
  }
  return out;
}

Quantization q_quantization(const QFormat& format) { return {{static_cast<float>(format.step())}, {0}, 0, {}}; }

EncodedWeights q_weights(const Operator& op, const Tensor& weights, const std::vector<float>& values, int bits,
                         const QuantizeOptions& options) {
  if (op.options.spectral) bits = 16;
  const ChannelLayout l = channel_layout(op, weights);
  EncodedWeights out{like(weights, bits == 16 ? DataType::int16 : DataType::int8), {}, {}};
  const auto ranges = channel_ranges(l, values, options.per_channel, options.weights);
  std::vector<std::int32_t> factors;
  Range rest;  // what is left after the division
  for (const auto& r : ranges) {
    const std::int32_t f = division_factor(std::min(r.largest(), 0x1p30), options.divisor);
    factors.push_back(f);
    rest = joined(rest, {r.min / f, r.max / f});
  }
  // A magnitude of exactly 1 saturates by one step: the division makes weights fully fractional by definition.
  const double below_one = 1.0 - std::ldexp(1.0, -bits);
  QFormat format = choose_format(std::max(rest.min, -1.0), std::min(rest.max, below_one), bits,
                                 options.fully_fractional ? 0 : -bits);
  Quantization& q = out.tensor.quantization;
  q = q_quantization(format);
  q.axis = l.axis;
  q.correction = factors;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const double factor = factors[factors.size() == 1 ? 0 : e / l.inner % l.channels];
    const auto real = static_cast<double>(values[e]);
    const std::int64_t integer = encode(real / factor, format);
    put(out.tensor, e, integer);
    const double step = format.step() * factor;
    out.fidelity.add(real, static_cast<double>(integer) * step, static_cast<double>(format.lowest()) * step,
                     static_cast<double>(format.highest()) * step, step);
  }
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  out.format = *most == 1        ? format.text()
               : *least == *most ? fmt::format("{} x {}", format.text(), *most)
                                 : fmt::format("{} x {} to {}", format.text(), *least, *most);
  return out;
}

Tensor q_bias(const Operator& op, const Tensor& bias, const std::vector<float>& values, double in_scale,
              const Quantization& weights, bool wide) {
  Tensor out = like(bias, wide ? DataType::int64 : DataType::int32);
  const double scale = in_scale * static_cast<double>(weights.scale[0]);
  out.quantization = {{static_cast<float>(scale)}, {0}, 0, weights.correction};
  const double limit = wide ? wide_bias_limit : bias_limit;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const double factor = weights.correction[weights.correction.size() == 1 ? 0 : c / op.channels_per_scale()];
    const double units = static_cast<double>(values[c]) / factor / scale;
    put(out, c, static_cast<std::int64_t>(std::clamp(std::round(units), -limit, limit)));
  }
  return out;
}

}  // namespace dse::nn::quantizer
