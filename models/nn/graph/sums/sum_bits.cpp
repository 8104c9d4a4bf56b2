#include "models/nn/graph/sums/sum_bits.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "models/nn/kernels/dse_factors.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// Sums lie within [-below, above].
struct Bounds {
  double above = 0, below = 0;
  void add(double low, double high) { above += std::max(0.0, high), below += std::max(0.0, -low); }
  int bits() const {
    int b = 1;
    for (double room = 1; above > room - 1 || below > room; room *= 2) ++b;
    return b;
  }
};

struct Span {
  double low, high;
};

/// Values of the type less the zero point, which is one of them: from at most to at least 0.
Span span_of(DataType type, std::int32_t zero) {
  const ActivationRange r = type_range(type);
  return {static_cast<double>(r.min) - zero, static_cast<double>(r.max) - zero};
}

double bias_of(const Operator& op, std::size_t channel) {
  const std::size_t words = static_cast<std::size_t>(dse_record_bytes(&op.kernel)) / 4;
  if (words == 3) return op.channel_params[3 * channel];
  std::int64_t bias = 0;
  std::memcpy(&bias, &op.channel_params[words * channel], 8);
  return static_cast<double>(bias);
}

/// Sums of the positive weights of each filter, and of the magnitudes of the negative ones.
template <class T>
std::vector<Bounds> filters_of(const std::vector<std::uint8_t>& bytes, std::size_t channels, std::int32_t zero,
                               bool channel_first) {
  std::vector<Bounds> out(channels);
  const std::size_t count = bytes.size() / sizeof(T), each = count / channels;
  for (std::size_t i = 0; i < count; ++i) {
    T raw{};
    std::memcpy(&raw, &bytes[i * sizeof(T)], sizeof(T));
    const double w = static_cast<double>(raw) - zero;
    out[channel_first ? i / each : i % channels].add(w, w);
  }
  return out;
}

int weighted_bits(const Network& n, const Operator& op) {
  const dse_op& k = op.kernel;
  // Weights that the derivation made over are filter after filter; of depthwise convolutions those of the file are not.
  const bool made = !op.weights.empty();
  const auto& bytes = made ? op.weights : n.tensors[static_cast<std::size_t>(op.inputs[1])].data;
  const bool channel_first = made || op.kind != OperatorKind::depthwise_conv_2d;
  const auto channels = static_cast<std::size_t>(k.out_c);
  if (bytes.empty() || channels == 0) return 0;
  const auto read = k.weight_type == DSE_I16  ? filters_of<std::int16_t>
                    : k.weight_type == DSE_U8 ? filters_of<std::uint8_t>
                                              : filters_of<std::int8_t>;
  const auto filters = read(bytes, channels, k.weights_zero, channel_first);
  const Span x = span_of(n.tensors[static_cast<std::size_t>(op.inputs[0])].type, k.in_zero);
  const double factor = dse_in_factors(&k) > 0 ? 1 << (DSE_FACTOR_DIGITS + DSE_FACTOR_MOST) : 1;
  int bits = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto [positive, negative] = filters[c];
    const double b = bias_of(op, c);
    Bounds sum;
    sum.above = (positive * x.high - negative * x.low) * factor,
    sum.below = (negative * x.high - positive * x.low) * factor;
    sum.add(b, b);
    bits = std::max(bits, sum.bits());
  }
  return bits;
}

int matrix_bits(const Network& n, const Operator& op) {
  const dse_op& k = op.kernel;
  const Span a = span_of(n.tensors[static_cast<std::size_t>(op.inputs[0])].type, k.in_zero);
  const Span b = span_of(n.tensors[static_cast<std::size_t>(op.inputs[1])].type, k.in2_zero);
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  Bounds sum;
  sum.add(low * k.in_c, high * k.in_c);
  return sum.bits();
}

}  // namespace

int sum_bits(const Network& n, const Operator& op) {
  if (op.evaluation != Evaluation::kernel || op.cycles >= 0) return 0;
  if (family_of(op.kind) == OperatorFamily::batch_matmul) return matrix_bits(n, op);
  const bool weighted = has_filters(op.kind);
  return weighted ? weighted_bits(n, op) : 0;
}

}  // namespace dse::nn
