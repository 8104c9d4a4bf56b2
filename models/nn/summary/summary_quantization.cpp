#include "models/nn/summary/summary_quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "models/nn/derive/products/weighted.h"

namespace dse::nn {
namespace {

std::optional<quantizer::QFormat> format_of(const Tensor& t, const TensorQuantization& q) {
  if (t.type != DataType::int8 && t.type != DataType::int16) return std::nullopt;
  if (q.scale_min != q.scale_max || q.zero_min != 0 || q.zero_max != 0) return std::nullopt;
  const auto n = fraction_bits(q.scale_min);
  if (!n) return std::nullopt;
  return quantizer::QFormat{static_cast<int>(8 * size_of(t.type)), *n};
}

QuantizationGroup::Role role_of(const Tensor& t) {
  using enum QuantizationGroup::Role;
  if (t.kind == TensorKind::variable) return variables;
  if (t.kind != TensorKind::constant) return activations;
  return t.type == DataType::int32 || t.type == DataType::int64 ? biases : weights;
}

void widen(TensorQuantization& all, const TensorQuantization& one) {
  all.scales = std::max(all.scales, one.scales);
  all.scale_min = std::min(all.scale_min, one.scale_min);
  all.scale_max = std::max(all.scale_max, one.scale_max);
  all.zero_min = std::min(all.zero_min, one.zero_min);
  all.zero_max = std::max(all.zero_max, one.zero_max);
  all.correction_min = std::min(all.correction_min, one.correction_min);
  all.correction_max = std::max(all.correction_max, one.correction_max);
}

}  // namespace

std::optional<TensorQuantization> quantization_of(const Tensor& t) {
  const auto& q = t.quantization;
  if (q.scale.empty()) return std::nullopt;
  TensorQuantization out;
  out.scales = static_cast<int>(q.scale.size());
  out.axis = q.axis;
  const auto [least, most] = std::minmax_element(q.scale.begin(), q.scale.end());
  out.scale_min = *least, out.scale_max = *most;
  if (!q.zero_point.empty()) {
    const auto [low, high] = std::minmax_element(q.zero_point.begin(), q.zero_point.end());
    out.zero_min = *low, out.zero_max = *high;
  }
  if (!q.correction.empty()) {
    const auto [low, high] = std::minmax_element(q.correction.begin(), q.correction.end());
    out.correction_min = *low, out.correction_max = *high;
  }
  out.format = format_of(t, out);
  return out;
}

std::string format_text(const Operator& op, const Tensor& t) {
  if (op.options.rounding != Rounding::qformat) return "";
  const auto q = quantization_of(t);
  if (!q || !q->format) return "";
  if (q->correction_max == 1) return q->format->text();
  if (q->correction_min == q->correction_max) return fmt::format("{} x {}", q->format->text(), q->correction_max);
  return fmt::format("{} x {}..{}", q->format->text(), q->correction_min, q->correction_max);
}

const char* name_of(QuantizationGroup::Role r) {
  switch (r) {
    case QuantizationGroup::Role::activations:
      return "activations";
    case QuantizationGroup::Role::weights:
      return "weights";
    case QuantizationGroup::Role::biases:
      return "biases";
    case QuantizationGroup::Role::variables:
      return "variables";
  }
  return "?";
}

std::vector<QuantizationGroup> quantization_groups(const Network& n) {
  std::set<int> used;
  std::map<int, std::string> formats;  // without correction factors
  for (const auto& op : n.operators)
    for (const auto* list : {&op.inputs, &op.outputs})
      for (const int t : *list) {
        if (t < 0) continue;
        used.insert(t);
        if (op.options.rounding != Rounding::qformat) continue;
        const auto q = quantization_of(n.tensors[static_cast<std::size_t>(t)]);
        if (q && q->format) formats[t] = q->format->text();
      }
  std::map<std::tuple<QuantizationGroup::Role, DataType, bool>, QuantizationGroup> groups;
  std::map<std::tuple<QuantizationGroup::Role, DataType, bool>, std::set<std::string>> in_use;
  for (const int index : used) {
    const auto& t = n.tensors[static_cast<std::size_t>(index)];
    const auto q = quantization_of(t);
    if (!q) continue;
    const std::tuple key{role_of(t), t.type, q->per_channel()};
    auto [it, fresh] = groups.try_emplace(key);
    auto& g = it->second;
    if (fresh) g = {role_of(t), t.type, q->per_channel(), 0, *q, {}}, g.range.format.reset();
    ++g.tensors;
    widen(g.range, *q);
    if (formats.contains(index)) in_use[key].insert(formats[index]);
  }
  std::vector<QuantizationGroup> out;
  for (auto& [key, g] : groups) {
    g.formats.assign(in_use[key].begin(), in_use[key].end());
    out.push_back(std::move(g));
  }
  return out;
}

}  // namespace dse::nn
