#include "models/nn/made/ranges.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dse::nn {
namespace {

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
              std::max(lo, -1.0),
              std::min(std::max(hi, 0.0), 1.0)};
    case Activation::relu:
    case Activation::relu6: {
      // At mean 0: mean sqrt(v / 2 pi), variance v (1/2 - 1/2 pi) = 0.341 v; far above 0 both are unchanged.
      const double square = m.mean * m.mean, above = m.mean > 0 ? square / (square + m.variance) : 0.0;
      const Moments cut{(m.mean + std::sqrt(square + 0.636619772 * m.variance)) / 2,
                        m.variance * (0.341 + 0.659 * above)};
      const double top = std::max(hi, std::sqrt(m.variance) / 8);
      return {cut, 0.0, a == Activation::relu6 ? std::min(top, 6.0) : top};
    }
  }
  return {m, lo, std::max(hi, 0.0)};
}

/// What stands at `layer` in a list whose first entry is the network's input.
template <class T>
const T& at_layer(const std::vector<T>& list, int layer) {
  return list[static_cast<std::size_t>(layer + 1)];
}

const std::vector<std::int64_t>& shape_of(const NetworkSpec& spec, int layer) {
  return layer < 0 ? spec.input_shape : spec.layers[static_cast<std::size_t>(layer)].shape;
}

/// Of values drawn from the parts as often as they have channels.
Moments joined(const NetworkSpec& spec, const LayerSpec& l, const std::vector<Estimate>& known) {
  double channels = 0, sum = 0, squares = 0;
  const auto take = [&](int part) {
    const Moments& m = at_layer(known, part).moments;
    const auto c = static_cast<double>(shape_of(spec, part).back());
    channels += c, sum += c * m.mean, squares += c * (m.variance + m.mean * m.mean);
  };
  take(l.from);
  for (const int part : l.with) take(part);
  const double mean = sum / channels;
  return {mean, std::max(squares / channels - mean * mean, 1e-12)};
}

Estimate estimate_of(const NetworkSpec& spec, const LayerSpec& l, const std::vector<Estimate>& known) {
  Estimate out = at_layer(known, l.from);
  if (has_filters(l.kind)) return activated({0, 1}, l.options.activation);
  switch (l.kind) {
    case OperatorKind::add: {
      const Moments a = out.moments, b = at_layer(known, l.with.at(0)).moments;
      return activated({a.mean + b.mean, a.variance + b.variance}, l.options.activation);
    }
    case OperatorKind::softmax:
      return {{0, 1}, 0, 1, true, softmax_quantization()};
    case OperatorKind::average_pool_2d:
      out.moments.variance /= l.options.filter_h * l.options.filter_w;
      break;
    case OperatorKind::mean: {
      const auto& image = shape_of(spec, l.from);
      out.moments.variance /= static_cast<double>(image[1] * image[2]);
      break;
    }
    case OperatorKind::concatenation:
      out.moments = joined(spec, l, known);
      break;
    default:
      break;
  }
  return out;
}

/// Whether output and inputs have one quantisation.
bool keeps_quantization(const LayerSpec& l) {
  return !has_filters(l.kind) && l.kind != OperatorKind::add && l.kind != OperatorKind::softmax;
}

}  // namespace

Quantization softmax_quantization() { return {{1.0f / 256}, {-128}, 0}; }

Quantization in_16_bits(const Quantization& of_8) {
  const double reach = 128 + std::abs(static_cast<double>(of_8.zero_point[0]));
  return {{static_cast<float>(reach * static_cast<double>(of_8.scale[0]) / 32768)}, {0}, 0};
}

std::vector<int> shared_quantization(const NetworkSpec& spec) {
  std::vector<int> leader(spec.layers.size() + 1);  // by layer + 1: an earlier one of the same group, or itself
  std::iota(leader.begin(), leader.end(), -1);
  const auto find = [&](int layer) {
    while (at_layer(leader, layer) != layer) {
      auto& up = leader[static_cast<std::size_t>(layer + 1)];
      layer = up = at_layer(leader, up);
    }
    return layer;
  };
  const auto join = [&](int a, int b) {
    a = find(a), b = find(b);
    leader[static_cast<std::size_t>(std::max(a, b) + 1)] = std::min(a, b);
  };
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& l = spec.layers[i];
    if (!keeps_quantization(l)) continue;
    join(static_cast<int>(i), l.from);
    for (const int part : l.with) join(static_cast<int>(i), part);
  }
  for (std::size_t i = 0; i < leader.size(); ++i) leader[i] = find(static_cast<int>(i) - 1);
  return leader;
}

std::vector<Estimate> estimate_ranges(const NetworkSpec& spec) {
  const double s = static_cast<double>(spec.input_scale);
  // Uniform over -128 .. 127: mean -1/2, variance (256^2 - 1) / 12.
  std::vector<Estimate> known{{{s * (-0.5 - static_cast<double>(spec.input_zero_point)), s * s * 5461.25},
                               0,
                               0,
                               true,
                               {{spec.input_scale}, {spec.input_zero_point}, 0}}};
  for (const auto& l : spec.layers) known.push_back(estimate_of(spec, l, known));

  const std::vector<int> leader = shared_quantization(spec);
  std::vector<Estimate> group(known.size());  // at its leader
  for (std::size_t i = 0; i < known.size(); ++i) {
    Estimate& g = group[static_cast<std::size_t>(leader[i] + 1)];
    g.lo = std::min(g.lo, known[i].lo), g.hi = std::max(g.hi, known[i].hi);
    if (known[i].given && !g.given) g.given = true, g.quantization = known[i].quantization;
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Estimate& g = group[static_cast<std::size_t>(leader[i] + 1)];
    known[i].quantization = g.given ? g.quantization : quantization_for(g.lo, g.hi);
  }
  return known;
}

}  // namespace dse::nn
