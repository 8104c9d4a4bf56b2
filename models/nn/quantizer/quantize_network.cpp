// From a prepared float network and ranges to integers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/nn/float/operands.h"
#include "models/nn/graph/sums/factors.h"
#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"
#include "models/nn/quantizer/groups.h"
#include "models/nn/quantizer/schemes.h"
#include "models/nn/quantizer/worst_case.h"

namespace dse::nn::quantizer {
namespace {

/// As reports show it.
std::string format_of(const Tensor& t, bool q_format) {
  if (t.quantization.scale.empty()) return name_of(t.type);
  const float scale = t.quantization.scale[0];
  if (!q_format) return fmt::format("scale {:.4g} zero {}", scale, t.quantization.zero_point[0]);
  const int n = -static_cast<int>(std::lround(std::log2(static_cast<double>(scale))));
  return QFormat{static_cast<int>(8 * size_of(t.type)), n}.text();
}

class Quantizer {
 public:
  Quantizer(const Network& n, const std::vector<Observer>& observed, const QuantizeOptions& options,
            const std::vector<int>& bits)
      : real_(n), observed_(observed), options_(options), bits_(bits), root_(shared_quantization(n, options.scheme)) {}

  bool run(const std::string& file, Diagnostics& diags) {
    out_ = real_;
    if (!check_values(file, diags)) return false;
    find_ranges();
    if (options_.worst_case) prove_ranges();
    for (std::size_t t = 0; t < real_.tensors.size(); ++t) quantize_tensor(t);
    for (std::size_t o = 0; o < real_.operators.size(); ++o) quantize_operator(o);
    return true;
  }
  Network& network() { return out_; }
  std::vector<LayerReport>& layers() { return layers_; }

 private:
  bool q_format() const { return options_.scheme == Scheme::q_format; }
  const Tensor& real(int t) const { return real_.tensors[static_cast<std::size_t>(t)]; }
  Tensor& made(int t) { return out_.tensors[static_cast<std::size_t>(t)]; }

  bool check_values(const std::string& file, Diagnostics& diags) const {
    bool ok = true;
    for (std::size_t t = 0; t < observed_.size(); ++t) {
      if (observed_[t].finite()) continue;
      diags.error({file, 0, 0}, fmt::format("tensor '{}' has values that are not finite", real_.tensors[t].name),
                  "a network without trained weights needs made-up ones");
      ok = false;
    }
    return ok;
  }

  void find_ranges() {
    const std::size_t count = real_.tensors.size();
    ranges_.assign(count, {});
    tensor_bits_.assign(count, 8);
    fixed_.assign(count, std::nullopt);
    std::vector<bool> seen(count);
    const auto bits_of = [&](int t) -> int& {
      return tensor_bits_[static_cast<std::size_t>(root_[static_cast<std::size_t>(t)])];
    };
    const auto bits_at_least = [&](int t, int bits) { bits_of(t) = std::max(bits_of(t), bits); };
    for (std::size_t o = 0; o < real_.operators.size(); ++o) {
      const Operator& op = real_.operators[o];
      for (const int t : op.outputs) bits_at_least(t, bits_[o]);
      for (const int t : op.inputs)  // network inputs and constants take the bits of those that read them
        if (t >= 0 && real_.producer(t) < 0) bits_at_least(t, bits_[o]);
      if (const auto fixed = fixed_output(op.kind))
        fixed_[static_cast<std::size_t>(root_[static_cast<std::size_t>(op.outputs[0])])] = fixed;
    }
    for (const auto& op : real_.operators)
      if (facts_of(op.kind).keeps_width()) bits_of(op.outputs[0]) = bits_of(op.inputs[0]);
    for (std::size_t t = 0; t < count; ++t) {
      const auto r = static_cast<std::size_t>(root_[t]);
      if (observed_[t].count() == 0) continue;
      const Range own = observed_[t].range(options_.activations);
      ranges_[r] = seen[r] ? joined(ranges_[r], own) : own;
      seen[r] = true;
    }
  }

  bool sums_products(const Operator& op) const {
    return has_filters(op.kind) && real(op.inputs[1]).kind == TensorKind::constant;
  }

  /// By root: something other than sums of products, and what moves their values, reads it.
  std::vector<bool> leaving() const {
    std::vector<bool> out(real_.tensors.size());
    const auto leaves = [&](int t) {
      if (t >= 0) out[static_cast<std::size_t>(root_[static_cast<std::size_t>(t)])] = true;
    };
    for (const Operator& op : real_.operators)
      if (!sums_products(op) && !moves_raw_values(op.kind, options_.scheme))
        std::for_each(op.inputs.begin(), op.inputs.end(), leaves);
    std::for_each(real_.outputs.begin(), real_.outputs.end(), leaves);
    return out;
  }

  /// Ranges of sums of products by what their inputs' formats and their weights allow, in the order of the operators,
  /// as far as sums of products read them.
  void prove_ranges() {
    std::vector<bool> proven(real_.tensors.size());
    const auto leaves = leaving();
    for (std::size_t o = 0; o < real_.operators.size(); ++o) {
      const Operator& op = real_.operators[o];
      if (!sums_products(op)) continue;
      const auto in = static_cast<std::size_t>(root_[static_cast<std::size_t>(op.inputs[0])]);
      const auto out = static_cast<std::size_t>(root_[static_cast<std::size_t>(op.outputs[0])]);
      if (leaves[out]) continue;
      const double most = std::ldexp(1.0, choose_format(ranges_[in].min, ranges_[in].max, tensor_bits_[in], 0).m());
      const int bias = op.inputs.size() > 2 ? op.inputs[2] : -1;
      const Range own = worst_case(op, real(op.inputs[1]), values_of(real(op.inputs[1])),
                                   bias < 0 ? std::vector<float>{} : values_of(real(bias)), {-most, most}, bits_[o]);
      ranges_[out] = proven[out] ? joined(ranges_[out], own) : own;
      proven[out] = true;
    }
  }

  void quantize_tensor(std::size_t t) {
    Tensor& tensor = out_.tensors[t];
    if (tensor.type != DataType::float32) return;
    const auto r = static_cast<std::size_t>(root_[t]);
    const int bits = q_format() ? tensor_bits_[r] : 8;
    tensor.type = bits == 16 ? DataType::int16 : DataType::int8;
    if (q_format()) {
      const QFormat f = fixed_[r] ? QFormat{bits, bits - 1} : choose_format(ranges_[r].min, ranges_[r].max, bits, 0);
      tensor.quantization = q_quantization(f);
    } else if (fixed_[r]) {
      tensor.quantization = {{fixed_[r]->scale}, {fixed_[r]->zero_point}, 0, {}};
    } else {
      tensor.quantization = affine_quantization(ranges_[r]);
    }
    if (tensor.kind != TensorKind::constant && tensor.kind != TensorKind::variable) return;
    const bool starts_empty = tensor.kind == TensorKind::variable && tensor.data.empty();
    if (starts_empty) return;
    Tensor source = real_.tensors[t];
    source.kind = TensorKind::constant;
    const auto values = values_of(source);
    tensor.fill.reset();
    tensor.data.assign(static_cast<std::size_t>(tensor.bytes()), 0);
    const auto scale = static_cast<double>(tensor.quantization.scale[0]);
    const double limit = bits == 16 ? 32767 : 127;
    for (std::size_t e = 0; e < values.size(); ++e) {
      const double q =
          std::round(static_cast<double>(values[e]) / scale) + static_cast<double>(tensor.quantization.zero_point[0]);
      put(tensor, e, static_cast<std::int64_t>(std::clamp(q, -limit - 1, limit)));
    }
  }

  /// Appends a constant of one operator alone: several may share a tensor of the file, but not what it becomes.
  int own(int t, Tensor tensor) {
    if (used_[t]++ == 0) {
      made(t) = std::move(tensor);
      return t;
    }
    tensor.name += fmt::format("/{}", used_[t]);
    out_.tensors.push_back(std::move(tensor));
    return static_cast<int>(out_.tensors.size()) - 1;
  }

  void quantize_operator(std::size_t o) {
    Operator& op = out_.operators[o];
    op.options.rounding = q_format() ? Rounding::qformat : Rounding::tflite;
    op.options.correction = options_.correction;
    if (changes_scale(op)) op.kind = OperatorKind::quantize;
    if (op.kind == OperatorKind::softmax || op.kind == OperatorKind::log_softmax)
      op.options.axis = static_cast<int>(floating::softmax_axis(op, real(op.inputs[0]).shape.size()));
    LayerReport report;
    if (is_weighted(op.kind) && real(op.inputs[1]).kind == TensorKind::constant) quantize_weights(op, bits_[o], report);
    const Tensor& y = made(op.outputs[0]);
    const auto root = static_cast<std::size_t>(root_[static_cast<std::size_t>(op.outputs[0])]);
    report.name = op.name, report.kind = op.type.empty() ? name_of(op.kind) : op.type;
    report.bits = static_cast<int>(8 * size_of(y.type));
    report.range = ranges_[root];
    report.macs = op.macs;
    report.output_bytes = y.bytes();
    report.format = format_of(y, q_format());
    layers_.push_back(std::move(report));
  }

  void quantize_weights(Operator& op, int bits, LayerReport& report) {
    const int weights = op.inputs[1], bias = op.inputs.size() > 2 ? op.inputs[2] : -1;
    const auto values = values_of(real(weights));
    const Tensor& x = made(op.inputs[0]);
    const auto in_scale = x.quantization.scale.at(0);
    const std::vector<float> bias_values = bias < 0 ? std::vector<float>{} : values_of(real(bias));
    EncodedWeights w;
    if (q_format()) {
      w = q_weights(op, real(weights), values, bits, options_);
    } else {
      // A bias must fit 32 bits at scale s_in * s_w: where it would not, the weights' scale grows.
      std::vector<double> least;
      for (const float b : bias_values)
        least.push_back(std::abs(static_cast<double>(b)) / 0x1p30 / static_cast<double>(in_scale));
      w = affine_weights(op, real(weights), values, options_, least);
    }
    report.has_weights = true;
    report.weight_bits = static_cast<int>(8 * size_of(w.tensor.type));
    report.weight_range = observed_[static_cast<std::size_t>(weights)].range(options_.weights);
    report.weight_format = w.format;
    report.weights = w.fidelity;
    report.weight_bytes = w.tensor.bytes();
    const Quantization q = w.tensor.quantization;
    const bool wide = x.type == DataType::int16 || w.tensor.type == DataType::int16;
    op.inputs[1] = own(weights, std::move(w.tensor));
    if (bias < 0) return;
    op.inputs[2] = own(bias, q_format() ? q_bias(op, real(bias), bias_values, static_cast<double>(in_scale), q, wide)
                                        : affine_bias(op, real(bias), bias_values, in_scale, q));
  }

  const Network& real_;
  const std::vector<Observer>& observed_;
  const QuantizeOptions& options_;
  const std::vector<int>& bits_;
  std::vector<int> root_;
  Network out_;
  std::vector<Range> ranges_;                      // by root
  std::vector<int> tensor_bits_;                   // by root
  std::vector<std::optional<FixedOutput>> fixed_;  // by root
  std::map<int, int> used_;                        // constants written so far
  std::vector<LayerReport> layers_;
};

}  // namespace

namespace {

/// Layers that dynamic rescaling put in between stand among the others; the formats of all say how many factors they
/// have.
void add_factors(const Network& n, std::vector<LayerReport>& layers) {
  const auto factors = factors_by_tensor(n);
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const Operator& op = n.operators[o];
    if (op.kind == OperatorKind::normalize) {
      LayerReport report;
      const Tensor& y = n.tensors[static_cast<std::size_t>(op.outputs[0])];
      report.kind = name_of(op.kind), report.bits = static_cast<int>(8 * size_of(y.type));
      report.output_bytes = y.bytes();
      report.range = layers[static_cast<std::size_t>(n.producer(op.inputs[0]))].range;
      report.format = format_of(y, true);
      layers.insert(layers.begin() + static_cast<std::ptrdiff_t>(o), std::move(report));
    }
    const int entries = factors[static_cast<std::size_t>(op.outputs[0])];
    if (entries < 0) continue;
    layers[o].format += fmt::format(" / {}", n.tensors[static_cast<std::size_t>(entries)].elements());
    if (op.outputs.size() == 2) layers[o].output_bytes += n.tensors[static_cast<std::size_t>(entries)].bytes();
  }
}

}  // namespace

const char* name_of(Scheme s) { return s == Scheme::tflite_int8 ? "tflite-int8" : "q-format"; }

Quantized quantize(const Network& prepared, const std::vector<Observer>& observed, const QuantizeOptions& options,
                   const std::vector<int>& bits, const std::string& file, Diagnostics& diags) {
  Quantizer q(prepared, observed, options, bits);
  if (!q.run(file, diags)) return {};
  Network network = options.factors ? rescaled_dynamically(std::move(q.network()), *options.factors)
                                    : unfinished(std::move(q.network()));
  Quantized out{finish_network(std::move(network), diags, file), std::move(q.layers())};
  if (out.network && options.factors) add_factors(*out.network, out.layers);
  if (out.network)
    for (std::size_t o = 0; o < out.layers.size(); ++o) {
      out.layers[o].name = out.network->operators[o].name;
      out.layers[o].macs = out.network->operators[o].macs;
    }
  return out;
}

}  // namespace dse::nn::quantizer
