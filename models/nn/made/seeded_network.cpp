#include "models/nn/made/seeded_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/made/splitmix.h"

namespace dse::nn {
namespace {

struct Moments {
  double mean = 0, variance = 1;
};

/// The range of an int8 tensor and the moments of its real values.
struct Estimate {
  Moments moments;
  Quantization quantization;
};

Quantization quantization_for(double lo, double hi) {
  lo = std::min(lo, 0.0);
  hi = std::max(hi, lo + 1e-6);
  const auto scale = static_cast<float>((hi - lo) / 255.0);
  const double zero = std::round(-128.0 - lo / static_cast<double>(scale));
  return {{scale}, {static_cast<std::int64_t>(std::clamp(zero, -128.0, 127.0))}, 0};
}

/// Moments and range of act(x) for x roughly normal.
Estimate activated(Moments m, Activation a) {
  const double reach = 3.5 * std::sqrt(m.variance), lo = m.mean - reach, hi = m.mean + reach;
  switch (a) {
    case Activation::none:
      break;
    case Activation::relu_n1_to_1:  // variance of the standard normal cut at +-1: 0.516
      return {{std::clamp(m.mean, -1.0, 1.0), 0.516 * std::min(m.variance, 1.0)},
              quantization_for(std::max(lo, -1.0), std::min(std::max(hi, 0.0), 1.0))};
    case Activation::relu:
    case Activation::relu6: {
      // At mean 0: mean sqrt(v / 2 pi), variance v (1/2 - 1/2 pi) = 0.341 v; far above 0 both are unchanged.
      const double square = m.mean * m.mean, above = m.mean > 0 ? square / (square + m.variance) : 0.0;
      const Moments cut{(m.mean + std::sqrt(square + 0.636619772 * m.variance)) / 2,
                        m.variance * (0.341 + 0.659 * above)};
      const double top = std::max(hi, std::sqrt(m.variance) / 8);
      return {cut, quantization_for(0.0, a == Activation::relu6 ? std::min(top, 6.0) : top)};
    }
  }
  return {m, quantization_for(lo, std::max(hi, 0.0))};
}

class Builder {
 public:
  explicit Builder(const NetworkSpec& spec) : spec_(spec), random_(spec.seed) {}

  Network build() {
    net_.name = spec_.name;
    const double s = static_cast<double>(spec_.input_scale);
    // Uniform over -128 .. 127: mean -1/2, variance (256^2 - 1) / 12.
    Estimate input{{s * (-0.5 - static_cast<double>(spec_.input_zero_point)), s * s * 5461.25},
                   {{spec_.input_scale}, {spec_.input_zero_point}, 0}};
    net_.inputs = {add_activation("input", spec_.input_shape, TensorKind::input, input)};
    for (const auto& layer : spec_.layers) add_layer(layer);
    for (std::size_t i = 0; i < spec_.layers.size(); ++i)
      if (std::none_of(spec_.layers.begin(), spec_.layers.end(),
                       [&](const auto& l) { return reads(l, static_cast<int>(i)); }))
        net_.outputs.push_back(outputs_[i]);
    return std::move(net_);
  }

 private:
  static bool reads(const LayerSpec& l, int layer) {
    return l.from == layer || (l.kind == OperatorKind::add && l.with == layer);
  }

  int add_tensor(Tensor t, const Estimate& e) {
    net_.tensors.push_back(std::move(t));
    estimates_.push_back(e);
    return static_cast<int>(net_.tensors.size()) - 1;
  }
  int add_activation(const std::string& name, const std::vector<std::int64_t>& shape, TensorKind kind,
                     const Estimate& e) {
    Tensor t;
    t.name = name, t.shape = shape, t.kind = kind, t.quantization = e.quantization;
    return add_tensor(std::move(t), e);
  }
  int source(int layer) const { return layer < 0 ? net_.inputs[0] : outputs_[static_cast<std::size_t>(layer)]; }
  const Estimate& estimate(int tensor) const { return estimates_[static_cast<std::size_t>(tensor)]; }

  void add_layer(const LayerSpec& l) {
    Operator op;
    op.kind = l.kind, op.name = l.name, op.options = l.options;
    const int in = source(l.from);
    op.inputs = {in};
    Estimate out = estimate(in);
    if (has_filters(l.kind)) {
      add_weights(l, op);
      out = activated({0, 1}, l.options.activation);
    } else if (l.kind == OperatorKind::add) {
      op.inputs.push_back(source(l.with));
      const Moments a = out.moments, b = estimate(op.inputs[1]).moments;
      out = activated({a.mean + b.mean, a.variance + b.variance}, l.options.activation);
    } else if (l.kind == OperatorKind::average_pool_2d) {
      out.moments.variance /= l.options.filter_h * l.options.filter_w;
    } else if (l.kind == OperatorKind::mean) {
      const auto& image = net_.tensors[static_cast<std::size_t>(in)].shape;
      out.moments.variance /= static_cast<double>(image[1] * image[2]);
    } else if (l.kind == OperatorKind::softmax) {
      op.options.axis = std::max(0, static_cast<int>(l.shape.size()) - 1);
      out = {{0, 1}, {{1.0f / 256}, {-128}, 0}};
    }
    if (family_of(l.kind) != OperatorFamily::pool)
      op.options.filter_h = op.options.filter_w = 0;  // weights have their own shape
    op.outputs = {add_activation(l.name, l.shape, TensorKind::activation, out)};
    outputs_.push_back(op.outputs[0]);
    net_.operators.push_back(std::move(op));
  }

  /// Filters in the order [channel][element], less their means.
  std::vector<int> draw_filters(std::size_t channels, std::size_t size) {
    std::vector<int> w(channels * size);
    for (auto& q : w) q = static_cast<int>(random_.draw() % 255) - 127;
    if (size == 1) return w;
    for (std::size_t c = 0; c < channels; ++c) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += w[c * size + i];
      const int mean = static_cast<int>(std::lround(static_cast<double>(sum) / static_cast<double>(size)));
      for (std::size_t i = 0; i < size; ++i) w[c * size + i] = std::clamp(w[c * size + i] - mean, -127, 127);
    }
    return w;
  }

  void add_weights(const LayerSpec& l, Operator& op) {
    const Tensor& in = net_.tensors[static_cast<std::size_t>(op.inputs[0])];
    const std::int64_t in_c = l.kind == OperatorKind::fully_connected ? in.elements() / in_rows(in) : in.shape.back();
    const std::int64_t out_c = l.shape.back(), kh = l.options.filter_h, kw = l.options.filter_w;
    const bool depthwise = l.kind == OperatorKind::depthwise_conv_2d, dense = l.kind == OperatorKind::fully_connected;
    Tensor w;
    w.name = l.name + "/weights", w.kind = TensorKind::constant;
    w.shape = dense       ? std::vector<std::int64_t>{out_c, in_c}
              : depthwise ? std::vector<std::int64_t>{1, kh, kw, out_c}
                          : std::vector<std::int64_t>{out_c, kh, kw, in_c};
    const auto channels = static_cast<std::size_t>(out_c), size = static_cast<std::size_t>(w.elements()) / channels;
    const std::vector<int> filters = draw_filters(channels, size);
    w.data.resize(filters.size());
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < size; ++i)
        w.data[depthwise ? i * channels + c : c * size + i] = static_cast<std::uint8_t>(filters[c * size + i]);
    w.quantization.scale = weight_scales(filters, channels, size, estimate(op.inputs[0]).moments.variance, dense);
    w.quantization.zero_point.assign(w.quantization.scale.size(), 0);
    w.quantization.axis = depthwise ? 3 : 0;
    const float in_scale = in.quantization.scale[0];
    const std::vector<float> scales = w.quantization.scale;
    op.inputs.push_back(add_tensor(std::move(w), {}));
    op.inputs.push_back(l.bias ? add_bias(l.name, channels, in_scale, scales) : -1);
  }

  static std::int64_t in_rows(const Tensor& t) { return t.shape.size() == 2 ? t.shape[0] : 1; }

  static std::vector<float> weight_scales(const std::vector<int>& w, std::size_t channels, std::size_t size,
                                          double variance, bool per_tensor) {
    std::vector<float> scales(per_tensor ? 1 : channels);
    for (std::size_t s = 0; s < scales.size(); ++s) {
      const std::size_t n = per_tensor ? w.size() : size;
      double energy = 0;
      for (std::size_t i = 0; i < n; ++i) energy += static_cast<double>(w[s * size + i]) * w[s * size + i];
      if (per_tensor) energy /= static_cast<double>(channels);
      scales[s] = static_cast<float>(1.0 / std::sqrt(std::max(energy, 1.0) * variance));
    }
    return scales;
  }

  int add_bias(const std::string& layer, std::size_t channels, float in_scale,
               const std::vector<float>& weight_scales) {
    Tensor b;
    b.name = layer + "/bias", b.kind = TensorKind::constant, b.type = DataType::int32;
    b.shape = {static_cast<std::int64_t>(channels)};
    b.data.resize(4 * channels);
    for (const float s : weight_scales) b.quantization.scale.push_back(in_scale * s);
    b.quantization.zero_point.assign(weight_scales.size(), 0);
    for (std::size_t c = 0; c < channels; ++c) {
      const double real = (static_cast<double>(random_.draw() % 2001) - 1000.0) / 4000.0;
      const double unit = static_cast<double>(b.quantization.scale[weight_scales.size() == 1 ? 0 : c]);
      const auto q = static_cast<std::int32_t>(std::clamp(std::round(real / unit), -1073741824.0, 1073741824.0));
      std::memcpy(&b.data[4 * c], &q, 4);
    }
    return add_tensor(std::move(b), {});
  }

  const NetworkSpec& spec_;
  SplitMix64 random_;
  Network net_;
  std::vector<Estimate> estimates_;  // per tensor
  std::vector<int> outputs_;         // per layer
};

}  // namespace

Network seeded_network(const NetworkSpec& spec) { return Builder(spec).build(); }

}  // namespace dse::nn
