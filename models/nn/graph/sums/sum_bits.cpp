#include "models/nn/graph/sums/sum_bits.h"

#include <algorithm>
#include <cstring>
#include <limits>

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

/// Values of the type less the zero point.
Span span_of(DataType type, std::int32_t zero) {
  const ActivationRange r = type_range(type);
  return {static_cast<double>(r.min) - zero, static_cast<double>(r.max) - zero};
}

double element(const std::vector<std::uint8_t>& bytes, std::size_t i, std::int32_t type) {
  if (type == DSE_I8) return static_cast<std::int8_t>(bytes[i]);
  if (type == DSE_U8) return bytes[i];
  std::int16_t v = 0;
  std::memcpy(&v, &bytes[2 * i], 2);
  return v;
}

double bias_of(const Operator& op, std::size_t channel) {
  const std::size_t words = static_cast<std::size_t>(dse_record_bytes(&op.kernel)) / 4;
  if (words == 3) return op.channel_params[3 * channel];
  std::int64_t bias = 0;
  std::memcpy(&bias, &op.channel_params[words * channel], 8);
  return static_cast<double>(bias);
}

int weighted_bits(const Network& n, const Operator& op) {
  const dse_op& k = op.kernel;
  const auto weights = filter_major_weights(n, op);
  const auto channels = static_cast<std::size_t>(k.out_c);
  if (weights.empty() || channels == 0) return 0;
  const std::size_t each = weights.size() / static_cast<std::size_t>(dse_type_bytes(k.weight_type)) / channels;
  const Span x = span_of(n.tensors[static_cast<std::size_t>(op.inputs[0])].type, k.in_zero);
  const double factor = dse_in_factors(&k) > 0 ? 1 << (DSE_FACTOR_DIGITS + DSE_FACTOR_MOST) : 1;
  int bits = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    Bounds sum;
    for (std::size_t i = c * each; i < (c + 1) * each; ++i) {
      const double w = (element(weights, i, k.weight_type) - k.weights_zero) * factor;
      sum.add(std::min(w * x.low, w * x.high), std::max(w * x.low, w * x.high));
    }
    const double b = bias_of(op, c);
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
  const bool weighted = has_filters(op.kind) || family_of(op.kind) == OperatorFamily::transpose_conv;
  return weighted ? weighted_bits(n, op) : 0;
}

}  // namespace dse::nn
