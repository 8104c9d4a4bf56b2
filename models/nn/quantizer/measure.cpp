// How far the integers are from the real values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/nn/graph/sums/factors.h"
#include "models/nn/kernels/dse_factors.h"
#include "models/nn/quantizer/quantizer.h"
#include "models/nn/quantizer/schemes.h"

namespace dse::nn::quantizer {
namespace {

std::int64_t lowest(DataType t) { return t == DataType::uint8 ? 0 : -(std::int64_t{1} << (8 * size_of(t) - 1)); }
std::int64_t highest(DataType t) { return t == DataType::uint8 ? 255 : (std::int64_t{1} << (8 * size_of(t) - 1)) - 1; }

std::int64_t take(const Tensor& t, const std::vector<std::uint8_t>& bytes, std::size_t element) {
  const auto size = static_cast<std::size_t>(size_of(t.type));
  std::uint64_t v = 0;
  for (std::size_t b = 0; b < size; ++b) v |= static_cast<std::uint64_t>(bytes[element * size + b]) << (8 * b);
  if (t.type == DataType::uint8) return static_cast<std::int64_t>(v);
  const int spare = 64 - 8 * static_cast<int>(size);
  return static_cast<std::int64_t>(v << spare) >> spare;
}

float real(const std::vector<std::uint8_t>& bytes, std::size_t element) {
  float f = 0;
  std::memcpy(&f, &bytes[4 * element], 4);
  return f;
}

bool quantized(const Tensor& t) { return t.type != DataType::float32 && t.quantization.scale.size() == 1; }

}  // namespace

void Fidelity::add(double real, double restored, double low, double high, double step) {
  const double error = restored - real;
  signal += real * real;
  noise += error * error;
  largest_error = std::max(largest_error, std::abs(error));
  ++values;
  if (real < low - step / 2 || real > high + step / 2) ++clipped;
}

double Fidelity::sqnr() const {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return signal == 0 ? 0 : 10 * std::log10(signal / noise);
}

std::vector<std::uint8_t> encode_input(const Tensor& integer, const std::vector<std::uint8_t>& float_bytes) {
  if (!quantized(integer)) return float_bytes;
  Tensor t;
  t.type = integer.type;
  t.data.resize(static_cast<std::size_t>(integer.bytes()));
  const auto scale = static_cast<double>(integer.quantization.scale[0]);
  const auto zero = static_cast<double>(integer.quantization.zero_point[0]);
  for (std::size_t e = 0; 4 * e < float_bytes.size(); ++e) {
    const double v = std::round(static_cast<double>(real(float_bytes, e)) / scale) + zero;
    put(t, e,
        static_cast<std::int64_t>(std::clamp(std::isnan(v) ? 0.0 : v, static_cast<double>(lowest(t.type)),
                                             static_cast<double>(highest(t.type)))));
  }
  return t.data;
}

std::vector<double> decode(const Tensor& integer, const std::vector<std::uint8_t>& bytes) {
  std::vector<double> out(static_cast<std::size_t>(integer.elements()));
  const bool affine = quantized(integer);
  const double scale = affine ? static_cast<double>(integer.quantization.scale[0]) : 1.0;
  const std::int64_t zero = affine ? integer.quantization.zero_point[0] : 0;
  for (std::size_t e = 0; e < out.size(); ++e)
    out[e] = integer.type == DataType::float32 ? static_cast<double>(real(bytes, e))
                                               : static_cast<double>(take(integer, bytes, e) - zero) * scale;
  return out;
}

std::vector<Sample> in_layout_of(const Network& prepared, const Network& floating, std::vector<Sample> samples) {
  for (std::size_t i = 0; i < floating.inputs.size(); ++i) {
    const auto& from = floating.tensors[static_cast<std::size_t>(floating.inputs[i])].shape;
    const auto& to = prepared.tensors[static_cast<std::size_t>(prepared.inputs[i])].shape;
    if (from == to || from.size() != 4 || to != std::vector<std::int64_t>{from[0], from[2], from[3], from[1]}) continue;
    const auto images = static_cast<std::size_t>(from[0]), channels = static_cast<std::size_t>(from[1]);
    const std::size_t pixels = static_cast<std::size_t>(from[2] * from[3]);
    for (auto& sample : samples) {
      std::vector<std::uint8_t> moved(sample[i].size());
      for (std::size_t n = 0; n < images; ++n)
        for (std::size_t c = 0; c < channels; ++c)
          for (std::size_t p = 0; p < pixels; ++p)
            std::memcpy(&moved[4 * ((n * pixels + p) * channels + c)],
                        &sample[i][4 * ((n * channels + c) * pixels + p)], 4);
      sample[i] = std::move(moved);
    }
  }
  return samples;
}

Fidelity measure(const Network& prepared, Quantized& quantized_network, const std::vector<Sample>& samples,
                 const Progress& progress) {
  std::int64_t done = 0;
  const Network& n = *quantized_network.network;
  Fidelity total;
  const auto factors = factors_by_tensor(n);
  const auto compare = [&](int tensor, const TensorBytes& reals, const TensorBytes& integers, Fidelity& to) {
    const auto t = static_cast<std::size_t>(tensor);
    const Tensor& integer = n.tensors[t];
    if (t >= prepared.tensors.size() || prepared.tensors[t].type != DataType::float32) return;
    if (reals[t].empty() || integers[t].empty()) return;
    const auto restored = decode(integer, integers[t]);
    const double step = quantized(integer) ? static_cast<double>(integer.quantization.scale[0]) : 0.0;
    const auto zero = quantized(integer) ? integer.quantization.zero_point[0] : 0;
    const double inf = std::numeric_limits<double>::infinity();
    const double low = step == 0 ? -inf : static_cast<double>(lowest(integer.type) - zero) * step;
    const double high = step == 0 ? inf : static_cast<double>(highest(integer.type) - zero) * step;
    std::vector<double> powers(restored.size(), 1.0);
    double most = 1;  // that a power may be
    if (const int f = factors[t]; f >= 0) {
      powers = powers_of(integers[static_cast<std::size_t>(f)], restored.size());
      most = std::ldexp(1.0, DSE_FACTOR_MOST);
    }
    for (std::size_t e = 0; e < restored.size(); ++e)
      to.add(static_cast<double>(real(reals[t], e)), restored[e] * powers[e], low * most, high * most, step * most);
  };
  for (const auto& sample : samples) {
    Sample inputs;
    for (std::size_t i = 0; i < sample.size(); ++i)
      inputs.push_back(encode_input(n.tensors[static_cast<std::size_t>(n.inputs[i])], sample[i]));
    const TensorBytes reals = interpret(prepared, sample), integers = interpret(n, inputs);
    for (std::size_t o = 0; o < n.operators.size(); ++o)
      for (const int t : n.operators[o].outputs) compare(t, reals, integers, quantized_network.layers[o].output);
    for (const int t : n.outputs) compare(t, reals, integers, total);
    if (progress) progress(++done, std::ssize(samples));
  }
  return total;
}

}  // namespace dse::nn::quantizer
