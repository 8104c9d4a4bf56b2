// Scales and offsets per channel, folded into the weights before them.
#include <cmath>
#include <cstring>
#include <optional>

#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn {
namespace {

/// y[c] = x[c] * factor[c] + summand[c].
struct Affine {
  std::vector<double> factor, summand;
};

bool has_weights(const Operator& op) {
  return (has_filters(op.kind) || op.kind == OperatorKind::gemm) && op.options.activation == Activation::none &&
         op.unsupported.empty();
}

/// The dimension of the output that counts channels.
std::size_t channel_dim(const Operator& op, std::size_t rank) {
  const bool image = op.kind != OperatorKind::fully_connected && op.kind != OperatorKind::gemm;
  return image && op.options.channels_first ? 1 : rank - 1;
}

/// One value per channel from a constant that is broadcast along channels only; nothing otherwise.
std::optional<std::vector<double>> per_channel(const Tensor& t, const std::vector<std::int64_t>& out, std::size_t dim) {
  if (t.kind != TensorKind::constant || t.type != DataType::float32 || t.shape.size() > out.size()) return std::nullopt;
  const std::size_t lead = out.size() - t.shape.size();
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    if (t.shape[d] != 1 && (lead + d != dim || t.shape[d] != out[dim])) return std::nullopt;
  const auto values = values_of(t);
  std::vector<double> all(static_cast<std::size_t>(out[dim]));
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<double>(values[values.size() == 1 ? 0 : c]);
  return all;
}

std::optional<Affine> affine_of(const Network& n, const Operator& op, int data, std::size_t dim) {
  const auto& out = at(n, data).shape;
  if (!op.unsupported.empty() || op.outputs.size() != 1 || at(n, op.outputs[0]).shape != out) return std::nullopt;
  if (out.empty()) return std::nullopt;
  const auto channels = static_cast<std::size_t>(out[dim]);
  Affine a{std::vector<double>(channels, 1.0), std::vector<double>(channels, 0.0)};
  if (op.kind == OperatorKind::batch_normalization) {
    if (op.inputs[0] != data || (op.options.channels_first ? 1 : out.size() - 1) != dim) return std::nullopt;
    std::vector<float> p[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const Tensor& t = at(n, op.inputs[i + 1]);
      if (t.kind != TensorKind::constant || t.type != DataType::float32) return std::nullopt;
      p[i] = values_of(t);
      if (p[i].size() != channels) return std::nullopt;
    }
    for (std::size_t c = 0; c < channels; ++c) {
      const double variance = static_cast<double>(p[3][c]) + static_cast<double>(op.options.epsilon);
      a.factor[c] = static_cast<double>(p[0][c]) / std::sqrt(variance);
      a.summand[c] = static_cast<double>(p[1][c]) - static_cast<double>(p[2][c]) * a.factor[c];
      if (!std::isfinite(a.factor[c]) || !std::isfinite(a.summand[c])) return std::nullopt;
    }
    return a;
  }
  const bool product = op.kind == OperatorKind::mul;
  if ((!product && op.kind != OperatorKind::add) || op.inputs[0] == op.inputs[1]) return std::nullopt;
  const auto values = per_channel(at(n, op.inputs[op.inputs[0] == data ? 1 : 0]), out, dim);
  if (!values) return std::nullopt;
  (product ? a.factor : a.summand) = *values;
  return a;
}

/// Output channel of element i of the weights.
std::size_t channel_of(const Operator& op, const Tensor& w, std::size_t i, std::size_t channels) {
  const auto extent = [&](std::size_t d) { return static_cast<std::size_t>(w.shape[d]); };
  const std::size_t taps = w.shape.size() == 4 ? extent(2) * extent(3) : 1;
  switch (op.kind) {
    case OperatorKind::gemm:
      return op.options.adj_y ? i / extent(1) : i % extent(1);
    case OperatorKind::depthwise_conv_2d:
      return op.options.channels_first ? i / (extent(1) * taps) : i % channels;
    case OperatorKind::transpose_conv:
      if (op.options.channels_first) {  // [in][out of the group][taps]
        const auto groups = static_cast<std::size_t>(op.options.groups);
        const std::size_t in = i / (extent(1) * taps), group = in / (extent(0) / groups);
        return group * extent(1) + i / taps % extent(1);
      }
      [[fallthrough]];
    default:
      return i / (static_cast<std::size_t>(w.elements()) / channels);
  }
}

bool fold(Network& n, Operator& op, const Affine& a, bool needs_factor, bool needs_summand) {
  const Tensor& w = at(n, op.inputs[1]);
  if (w.kind != TensorKind::constant || w.type != DataType::float32) return false;
  const std::size_t channels = a.factor.size();
  const bool gemm = op.kind == OperatorKind::gemm;
  std::vector<double> bias(channels, 0.0);
  if (op.inputs.size() > 2 && op.inputs[2] >= 0) {
    const Tensor& b = at(n, op.inputs[2]);
    // A GEMM's C counts beta times; one that differs by row is no bias.
    const auto given = per_channel(b, {1, static_cast<std::int64_t>(channels)}, 1);
    if (!given) return false;
    for (std::size_t c = 0; c < channels; ++c)
      bias[c] = (*given)[c] * (gemm ? static_cast<double>(op.options.beta) : 1.0);
  }
  if (needs_factor) {
    auto values = values_of(w);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<double>(values[i]) * a.factor[channel_of(op, w, i, channels)]);
    const std::string name = w.name;
    const auto shape = w.shape;
    op.inputs[1] = add_constant(n, name + "_folded", shape, values);
  }
  std::vector<float> folded(channels);
  for (std::size_t c = 0; c < channels; ++c) folded[c] = static_cast<float>(bias[c] * a.factor[c] + a.summand[c]);
  const bool had_bias = op.inputs.size() > 2 && op.inputs[2] >= 0;
  if (!had_bias && !needs_summand) return true;
  op.inputs.resize(3, -1);
  const std::string name = had_bias ? at(n, op.inputs[2]).name + "_folded" : at(n, op.outputs[0]).name + "_bias";
  op.inputs[2] = add_constant(n, name, {static_cast<std::int64_t>(channels)}, folded);
  if (gemm) op.options.beta = 1.0f;
  return true;
}

}  // namespace

Network fold_batch_norm(Network n) {
  n = unfinished(std::move(n));
  std::vector<bool> dead(n.operators.size());
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    if (!has_weights(n.operators[o])) continue;
    // Every fold changes who makes what, so uses are counted anew; chains are short.
    for (;;) {
      const Uses uses(n);
      Operator& op = n.operators[o];
      const int data = op.outputs[0];
      const int next = uses.only_reader(data);
      if (next < 0) break;
      const Operator& after = n.operators[static_cast<std::size_t>(next)];
      const std::size_t dim = channel_dim(op, at(n, data).shape.size());
      const auto a = affine_of(n, after, data, dim);
      if (!a || !fold(n, op, *a, after.kind != OperatorKind::add, after.kind != OperatorKind::mul)) break;
      op.outputs = after.outputs;
      n.operators[static_cast<std::size_t>(next)].inputs.clear();
      n.operators[static_cast<std::size_t>(next)].outputs.clear();
      dead[static_cast<std::size_t>(next)] = true;
    }
  }
  remove_dead(n, dead);
  return n;
}

}  // namespace dse::nn
