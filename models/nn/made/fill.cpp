#include "models/nn/made/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "models/nn/made/splitmix.h"

namespace dse::nn {
namespace {

constexpr std::uint64_t gamma_step = 0x9e3779b97f4a7c15u;

std::int64_t fan_in_of(const Operator& op, const Tensor& w) {
  const auto& s = w.shape;
  const std::int64_t n = w.elements();
  const OperatorOptions& o = op.options;
  if (op.kind == OperatorKind::depthwise_conv_2d)
    return o.channels_first ? n / s.front() : n / s.back();  // [C, 1, H, W] or [1, H, W, C]
  if (op.kind == OperatorKind::transpose_conv && o.channels_first && s.size() > 1)
    return n / s[1] / std::max(o.groups, 1);  // [C, M / groups, H, W], else [M, H, W, C]
  if (op.kind == OperatorKind::gemm || op.kind == OperatorKind::batch_matmul)
    return s.size() < 2 ? n : o.adj_y ? s.back() : s[s.size() - 2];
  return s.empty() ? 1 : n / s.front();  // [O, ...], [P, ..., Q, B]
}

Tensor scaled(Tensor t, std::uint64_t seed, double offset, double factor, double square) {
  std::vector<float> g(static_cast<std::size_t>(t.elements()));
  fill_values({Fill::Kind::he_normal, 0, seed, 2}, 0, g);
  for (auto& v : g) {
    const auto x = static_cast<double>(v);
    v = static_cast<float>(offset + factor * x + square * (x * x));
  }
  set_values(t, g);
  return t;
}

Tensor made_up(Tensor t, const Operator& op, std::size_t input, std::uint64_t network_seed) {
  const std::uint64_t seed = seed_of(t.name, network_seed);
  if ((is_product(op.kind) || is_circulant(op.kind)) && input != 2) {
    t.fill = Fill{Fill::Kind::he_normal, 0, seed, fan_in_of(op, t)};
    return t;
  }
  const bool normalizes = op.kind == OperatorKind::batch_normalization;
  if ((normalizes && input == 1) || op.kind == OperatorKind::mul) return scaled(std::move(t), seed, 1, 0.1, 0);
  if (normalizes && input == 4) return scaled(std::move(t), seed, 0.5, 0, 0.5);
  t.fill = Fill{Fill::Kind::he_normal, 0, seed, 200};
  return t;
}

}  // namespace

double standard_normal(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t a = SplitMix64(seed + 2 * i * gamma_step).draw();
  const std::uint64_t b = SplitMix64(seed + (2 * i + 1) * gamma_step).draw();
  const double u = (static_cast<double>(a >> 11) + 1.0) * 0x1p-53, v = static_cast<double>(b >> 11) * 0x1p-53;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

void fill_values(const Fill& fill, std::int64_t first, std::span<float> out) {
  if (fill.kind == Fill::Kind::value) {
    std::fill(out.begin(), out.end(), static_cast<float>(fill.value));
    return;
  }
  const double deviation = std::sqrt(2.0 / static_cast<double>(fill.fan_in));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(deviation * standard_normal(fill.seed, static_cast<std::uint64_t>(first) + i));
}

std::vector<float> values_of(const Tensor& t) {
  ensure(t.kind == TensorKind::constant && t.type == DataType::float32,
         fmt::format("tensor '{}' is no float32 constant", t.name));
  std::vector<float> out(static_cast<std::size_t>(t.elements()));
  if (t.fill)
    fill_values(*t.fill, 0, out);
  else if (!out.empty())
    std::memcpy(out.data(), t.data.data(), 4 * out.size());
  return out;
}

void set_values(Tensor& t, std::span<const float> values) {
  t.fill.reset();
  t.data.resize(4 * values.size());
  if (!values.empty()) std::memcpy(t.data.data(), values.data(), t.data.size());
}

std::uint64_t seed_of(const std::string& tensor, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : tensor) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash ^ seed;
}

Network with_he_normal_weights(Network network, std::uint64_t seed) {
  std::vector<bool> seen(network.tensors.size());
  for (const auto& op : network.operators)
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] < 0) continue;
      const auto index = static_cast<std::size_t>(op.inputs[i]);
      Tensor& t = network.tensors[index];
      if (seen[index] || !t.fill || t.type != DataType::float32) continue;
      seen[index] = true;
      t = made_up(std::move(t), op, i, seed);
    }
  return network;
}

}  // namespace dse::nn
