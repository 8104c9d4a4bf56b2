#include "models/nn/made/seeded_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/circulant/layer.h"
#include "models/nn/made/ranges.h"
#include "models/nn/made/splitmix.h"

namespace dse::nn {
namespace {

class Builder {
 public:
  explicit Builder(const NetworkSpec& spec) : spec_(spec), random_(spec.seed), ranges_(estimate_ranges(spec)) {}

  Network build() {
    net_.name = spec_.name;
    net_.inputs = {add_activation("input", spec_.input_shape, TensorKind::input, -1)};
    for (const auto& layer : spec_.layers) add_layer(layer);
    for (const int layer : output_layers(spec_)) net_.outputs.push_back(source(layer));
    return std::move(net_);
  }

 private:
  int add_tensor(Tensor t) {
    net_.tensors.push_back(std::move(t));
    return static_cast<int>(net_.tensors.size()) - 1;
  }
  int add_activation(const std::string& name, const std::vector<std::int64_t>& shape, TensorKind kind, int layer) {
    Tensor t;
    t.name = name, t.shape = shape, t.kind = kind, t.type = spec_.type, t.quantization = range(layer).quantization;
    if (t.type == DataType::int16) t.quantization = in_16_bits(t.quantization);
    return add_tensor(std::move(t));
  }
  int source(int layer) const { return layer < 0 ? net_.inputs[0] : outputs_[static_cast<std::size_t>(layer)]; }
  const Estimate& range(int layer) const { return ranges_[static_cast<std::size_t>(layer + 1)]; }

  void add_layer(const LayerSpec& l) {
    Operator op;
    op.kind = operator_of(l), op.name = l.name, op.options = l.options;
    op.inputs = {source(l.from)};
    for (const int other : l.with) op.inputs.push_back(source(other));
    if (has_filters(l.kind)) add_weights(l, op);
    if (l.kind == OperatorKind::softmax) op.options.axis = std::max(0, static_cast<int>(l.shape.size()) - 1);
    if (family_of(l.kind) != OperatorFamily::pool)
      op.options.filter_h = op.options.filter_w = 0;  // weights have their own shape
    op.outputs = {add_activation(l.name, l.shape, TensorKind::activation, static_cast<int>(outputs_.size()))};
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
    const bool depthwise = l.kind == OperatorKind::depthwise_conv_2d, dense = l.kind == OperatorKind::fully_connected;
    Tensor w;
    w.name = l.name + "/weights", w.kind = TensorKind::constant;
    w.shape = weights_shape(l, in.shape);
    const auto channels = static_cast<std::size_t>(depthwise ? w.shape.back() : w.shape.front()),
               size = static_cast<std::size_t>(w.elements()) / channels;
    const std::vector<int> filters = draw_filters(channels, size);
    w.data.resize(filters.size());
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < size; ++i)
        w.data[depthwise ? i * channels + c : c * size + i] = static_cast<std::uint8_t>(filters[c * size + i]);
    w.quantization.scale = weight_scales(filters, channels, size, range(l.from).moments.variance, dense);
    w.quantization.zero_point.assign(w.quantization.scale.size(), 0);
    w.quantization.axis = depthwise ? 3 : 0;
    const float in_scale = in.quantization.scale[0];
    const std::vector<float> scales = w.quantization.scale;
    op.inputs.push_back(add_tensor(std::move(w)));
    op.inputs.push_back(l.bias ? add_bias(l, in_scale, scales) : -1);
  }

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

  int add_bias(const LayerSpec& l, float in_scale, const std::vector<float>& weight_scales) {
    const auto channels = static_cast<std::size_t>(l.shape.back()), per = static_cast<std::size_t>(l.options.block);
    Tensor b;
    const bool wide = spec_.type == DataType::int16;  // as TensorFlow Lite has it: 64 bits beside activations of 16
    const std::size_t bytes = wide ? 8 : 4;
    b.name = l.name + "/bias", b.kind = TensorKind::constant, b.type = wide ? DataType::int64 : DataType::int32;
    b.shape = {static_cast<std::int64_t>(channels)};
    b.data.resize(bytes * channels);
    for (const float s : weight_scales) b.quantization.scale.push_back(in_scale * s);
    b.quantization.zero_point.assign(weight_scales.size(), 0);
    for (std::size_t c = 0; c < channels; ++c) {
      const double real = (static_cast<double>(random_.draw() % 2001) - 1000.0) / 4000.0;
      const double unit = static_cast<double>(b.quantization.scale[weight_scales.size() == 1 ? 0 : c / per]);
      const auto q = static_cast<std::int64_t>(std::clamp(std::round(real / unit), -1073741824.0, 1073741824.0));
      std::memcpy(&b.data[bytes * c], &q, bytes);  // little-endian
    }
    return add_tensor(std::move(b));
  }

  const NetworkSpec& spec_;
  SplitMix64 random_;
  Network net_;
  std::vector<Estimate> ranges_;  // per layer, the input first
  std::vector<int> outputs_;      // per layer
};

}  // namespace

std::vector<std::int64_t> weights_shape(const LayerSpec& l, const std::vector<std::int64_t>& in) {
  const std::int64_t out_c = l.shape.back(), h = l.options.filter_h, w = l.options.filter_w;
  const bool dense = l.kind == OperatorKind::fully_connected;
  std::int64_t in_c = in.back();
  if (dense) {
    in_c = 1;
    for (std::size_t d = in.size() == 2 ? 1 : 0; d < in.size(); ++d) in_c *= in[d];
  }
  if (l.options.block > 1) return circulant::weights_shape({out_c, in_c, l.options.block, 1}, h, w, !dense);
  if (dense) return {out_c, in_c};
  if (l.kind == OperatorKind::depthwise_conv_2d) return {1, h, w, out_c};
  return {out_c, h, w, in_c};
}

std::vector<int> output_layers(const NetworkSpec& spec) {
  std::vector<bool> read(spec.layers.size());
  const auto reads = [&](int layer) {
    if (layer >= 0) read[static_cast<std::size_t>(layer)] = true;
  };
  for (const auto& l : spec.layers) {
    reads(l.from);
    for (const int other : l.with) reads(other);
  }
  std::vector<int> outputs;
  for (std::size_t i = 0; i < read.size(); ++i)
    if (!read[i]) outputs.push_back(static_cast<int>(i));
  return outputs;
}

Network seeded_network(const NetworkSpec& spec) { return Builder(spec).build(); }

}  // namespace dse::nn
