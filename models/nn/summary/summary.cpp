#include "models/nn/summary/summary.h"

#include <algorithm>
#include <map>

namespace dse::nn {
namespace {

std::int64_t bytes_of(const Network& n, const std::vector<int>& tensors) {
  std::int64_t sum = 0;
  for (const int t : tensors) sum += n.tensors[static_cast<std::size_t>(t)].bytes();
  return sum;
}

void add_once(std::vector<int>& list, int t) {
  if (std::find(list.begin(), list.end(), t) == list.end()) list.push_back(t);
}

/// From which operator to which one (both included) an activation exists; first > last: never.
struct Life {
  int first = 0, last = -1;
};

/// By tensor index. An input of the network is there from the start and an output stays; any other activation exists
/// from the operator that makes it to the last one that reads it. An input that nothing reads takes no room.
std::vector<Life> lives(const Network& n) {
  std::vector<Life> life(n.tensors.size());
  const int count = static_cast<int>(n.operators.size());
  for (int o = 0; o < count; ++o) {
    const auto& op = n.operators[static_cast<std::size_t>(o)];
    for (const int t : op.outputs) life[static_cast<std::size_t>(t)] = {o, o};
    for (const int t : op.inputs)
      if (t >= 0) life[static_cast<std::size_t>(t)].last = std::max(life[static_cast<std::size_t>(t)].last, o);
  }
  for (const int t : n.outputs) life[static_cast<std::size_t>(t)].last = count - 1;
  for (std::size_t t = 0; t < life.size(); ++t)
    if (n.tensors[t].kind == TensorKind::constant || n.tensors[t].kind == TensorKind::variable) life[t] = {};
  return life;
}

/// Bytes of activations by operator.
std::vector<std::int64_t> live_bytes(const Network& n) {
  std::vector<std::int64_t> change(n.operators.size() + 1);
  const auto life = lives(n);
  for (std::size_t t = 0; t < life.size(); ++t) {
    if (life[t].first > life[t].last) continue;
    change[static_cast<std::size_t>(life[t].first)] += n.tensors[t].bytes();
    change[static_cast<std::size_t>(life[t].last) + 1] -= n.tensors[t].bytes();
  }
  for (std::size_t o = 1; o < change.size(); ++o) change[o] += change[o - 1];
  return change;
}

LayerSummary layer(const Network& n, const Operator& op) {
  LayerSummary l;
  for (const int t : op.inputs) {
    if (t < 0) continue;
    const bool constant = n.tensors[static_cast<std::size_t>(t)].kind == TensorKind::constant;
    add_once(constant ? l.constants : l.inputs, t);
  }
  for (const int t : op.outputs) add_once(l.outputs, t);
  l.macs = op.macs;
  for (const int t : l.constants) l.parameters += n.tensors[static_cast<std::size_t>(t)].elements();
  l.parameter_bytes = bytes_of(n, l.constants);
  l.input_bytes = bytes_of(n, l.inputs);
  l.output_bytes = bytes_of(n, l.outputs);
  return l;
}

/// As finish_network tells: the two conversions between float and integers are no float arithmetic.
bool computes_in_float(const Network& n, const Operator& op) {
  if (op.evaluation == Evaluation::floating) return true;
  if (op.cycles >= 0) return false;
  if (family_of(op.kind) == OperatorFamily::quantize) return false;
  const auto is_float = [&](int t) {
    return t >= 0 && n.tensors[static_cast<std::size_t>(t)].type == DataType::float32;
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), is_float) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_float);
}

std::vector<KindSummary> kinds_of(const Network& n, const std::vector<LayerSummary>& layers) {
  std::map<std::string, KindSummary> found;
  for (std::size_t o = 0; o < layers.size(); ++o) {
    const auto& op = n.operators[o];
    const std::string kind = op.kind == OperatorKind::other ? type_of(op) : key_of(op.kind);
    auto& k = found[kind];
    k.kind = kind;
    ++k.operators;
    k.macs += layers[o].macs;
    k.parameters += layers[o].parameters;
    k.parameter_bytes += layers[o].parameter_bytes;
  }
  std::vector<KindSummary> kinds;
  for (auto& [key, k] : found) kinds.push_back(std::move(k));
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const KindSummary& a, const KindSummary& b) { return a.operators > b.operators; });
  return kinds;
}

double ratio(std::int64_t macs, std::int64_t bytes) {
  return bytes > 0 ? static_cast<double>(macs) / static_cast<double>(bytes) : 0.0;
}

}  // namespace

double LayerSummary::intensity() const { return ratio(macs, parameter_bytes + input_bytes + output_bytes); }
double Summary::intensity() const { return ratio(macs, parameter_bytes + input_bytes + output_bytes); }

std::string type_of(const Operator& op) { return op.type.empty() ? name_of(op.kind) : op.type; }

Summary summarize(const Network& n) {
  Summary s;
  const auto live = live_bytes(n);
  for (std::size_t o = 0; o < n.operators.size(); ++o) {
    const auto& op = n.operators[o];
    auto l = layer(n, op);
    l.live_bytes = live[o];
    s.input_bytes += l.input_bytes;
    s.output_bytes += l.output_bytes;
    if (s.peak_operator < 0 || l.live_bytes > s.peak_bytes) {
      s.peak_operator = static_cast<int>(o);
      s.peak_bytes = l.live_bytes;
    }
    if (op.evaluation == Evaluation::none) s.unsupported.push_back(static_cast<int>(o));
    if (computes_in_float(n, op)) s.floating.push_back(static_cast<int>(o));
    s.layers.push_back(std::move(l));
  }
  s.macs = n.macs();
  s.parameters = n.parameters();
  s.parameter_bytes = n.parameter_bytes();
  for (const auto& t : n.tensors)
    if (t.kind == TensorKind::variable) s.variable_bytes += t.bytes();
  s.kinds = kinds_of(n, s.layers);
  return s;
}

std::vector<int> live_tensors(const Network& n, int op) {
  const auto life = lives(n);
  std::vector<int> live;
  for (std::size_t t = 0; t < life.size(); ++t)
    if (life[t].first <= op && op <= life[t].last) live.push_back(static_cast<int>(t));
  std::stable_sort(live.begin(), live.end(), [&](int a, int b) {
    return n.tensors[static_cast<std::size_t>(a)].bytes() > n.tensors[static_cast<std::size_t>(b)].bytes();
  });
  return live;
}

}  // namespace dse::nn
