#include "reports/diff/network/network_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "models/nn/graph/align.h"
#include "models/nn/graph/check/apart.h"
#include "models/nn/made/fill.h"
#include "models/nn/summary/summary.h"
#include "reports/network/network_words.h"

namespace dse::reports {
namespace {

using nn::Network;
using nn::Tensor;

const Tensor& tensor(const Network& n, int t) { return n.tensors[static_cast<std::size_t>(t)]; }

std::string type_and_shape(const Tensor& t) { return std::string(nn::name_of(t.type)) + " " + shape_text(t.shape); }

/// Whether two tensors mean the same numbers. Words are short for people: values behind them may differ in the last
/// digits, so they are compared themselves.
bool same_quantization(const Tensor& a, const Tensor& b) {
  const auto &p = a.quantization, &q = b.quantization;
  return p.scale == q.scale && p.zero_point == q.zero_point && (p.scale.size() < 2 || p.axis == q.axis) &&
         p.correction == q.correction;
}

void compare_tensors(const std::string& what, const Network& a, const std::vector<int>& in_a, const Network& b,
                     const std::vector<int>& in_b, std::vector<WordPair>& out) {
  for (std::size_t i = 0; i < std::max(in_a.size(), in_b.size()); ++i) {
    const auto name = in_a.size() > 1 || in_b.size() > 1 ? fmt::format("{} {}", what, i) : what;
    const auto* s = i < in_a.size() ? &tensor(a, in_a[i]) : nullptr;
    const auto* t = i < in_b.size() ? &tensor(b, in_b[i]) : nullptr;
    const auto shape_a = s ? type_and_shape(*s) : "", shape_b = t ? type_and_shape(*t) : "";
    if (shape_a != shape_b) out.push_back({name, shape_a, shape_b});
    if (s && t && !same_quantization(*s, *t)) {
      auto words_a = quantization_text(*s), words_b = quantization_text(*t);
      if (words_a == words_b) std::tie(words_a, words_b) = nn::quantized_apart(*s, *t);
      if (words_a == words_b) words_a += " (A's values)", words_b += " (B's values)";
      out.push_back({name + " quantisation", words_a, words_b});
    }
  }
}

/// A constant's values as bytes, from its data or its rule.
std::vector<std::uint8_t> constant_bytes(const Tensor& t) {
  if (!t.data.empty() || t.type != nn::DataType::float32) return t.data;
  const auto values = nn::values_of(t);
  std::vector<std::uint8_t> out(values.size() * sizeof(float));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// Counts elements that differ, of constants with the same shapes and types.
void compare_values(const Tensor& a, const Tensor& b, NetworkLayerDiff& out) {
  const auto bytes_a = constant_bytes(a), bytes_b = constant_bytes(b);
  const auto size = static_cast<std::size_t>(nn::size_of(a.type));
  out.values += a.elements();
  if (bytes_a.size() != bytes_b.size()) out.values_changed += a.elements();
  if (bytes_a.size() != bytes_b.size()) return;
  for (std::size_t at = 0; at + size <= bytes_a.size(); at += size)
    if (std::memcmp(bytes_a.data() + at, bytes_b.data() + at, size) != 0) ++out.values_changed;
}

void compare_weights(const Network& a, const std::vector<int>& in_a, const Network& b, const std::vector<int>& in_b,
                     NetworkLayerDiff& out) {
  if (in_a.empty() && in_b.empty()) return;
  bool shapes = in_a.size() != in_b.size();
  for (std::size_t i = 0; i < in_a.size() && !shapes; ++i)
    shapes = tensor(a, in_a[i]).shape != tensor(b, in_b[i]).shape || tensor(a, in_a[i]).type != tensor(b, in_b[i]).type;
  if (!shapes)
    for (std::size_t i = 0; i < in_a.size(); ++i) compare_values(tensor(a, in_a[i]), tensor(b, in_b[i]), out);
  out.weights = shapes ? Weights::shapes : out.values_changed > 0 ? Weights::values : Weights::equal;
}

void add_side(const Network& n, const nn::Summary& s, std::size_t op, std::int64_t Pair::*side, NetworkLayerDiff& out) {
  const auto& l = s.layers[op];
  (side == &Pair::a ? out.name_a : out.name_b) = n.operators[op].name;
  out.kind = nn::type_of(n.operators[op]);
  out.macs.*side = l.macs, out.weight_bytes.*side = l.parameter_bytes, out.activation_bytes.*side = l.output_bytes;
}

std::int64_t sum_of_weights(const nn::Summary& s) {
  std::int64_t sum = 0;
  for (const auto& l : s.layers) sum += l.parameter_bytes;
  return sum;
}

}  // namespace

bool NetworkDiff::equal() const {
  return differs.empty() && std::all_of(layers.begin(), layers.end(), [](const auto& l) { return l.equal(); });
}

NetworkDiff diff_networks(const std::string& given_a, const Network& a, const std::string& given_b, const Network& b) {
  const auto in_a = nn::summarize(a), in_b = nn::summarize(b);
  const auto forms_a = nn::layer_forms(a), forms_b = nn::layer_forms(b);
  const auto of_a = nn::align(forms_a, forms_b);
  NetworkDiff out{given_a, given_b, a.name, b.name, {"structure", a.structure_hash(), b.structure_hash()},
                  {},      {},      {},     {},     {},
                  {},      {},      {}};
  std::vector<std::size_t> at_b(b.operators.size(), a.operators.size());  // row of each of B's
  for (std::size_t i = 0; i < a.operators.size(); ++i) {
    NetworkLayerDiff l;
    add_side(a, in_a, i, &Pair::a, l);
    l.presence = of_a[i] < 0 ? Presence::only_a : Presence::both;
    if (of_a[i] < 0) {
      l.weights = in_a.layers[i].constants.empty() ? Weights::none : Weights::one_side;
    } else {
      const auto j = static_cast<std::size_t>(of_a[i]);
      add_side(b, in_b, j, &Pair::b, l);
      const auto &p = in_a.layers[i], &q = in_b.layers[j];
      if (forms_a[i].options != forms_b[j].options)
        l.differs.push_back({"options", forms_a[i].options, forms_b[j].options});
      compare_tensors("input", a, p.inputs, b, q.inputs, l.differs);
      compare_tensors("weights", a, p.constants, b, q.constants, l.differs);
      compare_tensors("output", a, p.outputs, b, q.outputs, l.differs);
      compare_weights(a, p.constants, b, q.constants, l);
      at_b[j] = i;
    }
    out.layers.push_back(std::move(l));
  }
  // B's own layers go behind the row of the operator before them.
  std::size_t row = 0;
  for (std::size_t j = 0, added = 0; j < b.operators.size(); ++j) {
    if (at_b[j] < a.operators.size()) {
      row = std::max(row, at_b[j] + added + 1);
      continue;
    }
    NetworkLayerDiff l;
    add_side(b, in_b, j, &Pair::b, l);
    l.presence = Presence::only_b;
    l.weights = in_b.layers[j].constants.empty() ? Weights::none : Weights::one_side;
    out.layers.insert(out.layers.begin() + static_cast<std::ptrdiff_t>(row), std::move(l));
    ++row, ++added;
  }
  for (const auto& l : out.layers)
    out.macs += l.macs, out.weight_bytes += l.weight_bytes, out.activation_bytes += l.activation_bytes;
  compare_tensors("input of the network", a, a.inputs, b, b.inputs, out.differs);
  compare_tensors("output of the network", a, a.outputs, b, b.outputs, out.differs);
  out.operators = {static_cast<std::int64_t>(a.operators.size()), static_cast<std::int64_t>(b.operators.size())};
  out.shared_bytes = {sum_of_weights(in_a) - in_a.parameter_bytes, sum_of_weights(in_b) - in_b.parameter_bytes};
  out.peak_bytes = {in_a.peak_bytes, in_b.peak_bytes};
  return out;
}

PointDiff as_metrics(const NetworkDiff& d) {
  PointDiff out;
  out.a.label = d.a, out.b.label = d.b;
  out.a.timed = out.b.timed = out.timed = true;  // multiply-accumulates are asked of timed points only
  out.macs = d.macs;
  for (const auto& [name, p] :
       {std::pair("weight_bytes", d.weight_bytes), std::pair("activation_bytes", d.activation_bytes),
        std::pair("peak_bytes", d.peak_bytes), std::pair("operators", d.operators)})
    out.metrics[name] = {static_cast<double>(p.a), static_cast<double>(p.b)};
  return out;
}

}  // namespace dse::reports
