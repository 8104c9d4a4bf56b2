#include "plan/network/layers.h"

#include <algorithm>

#include "models/hw/libraries/shape_table.h"
#include "models/nn/kernels/dse_factors.h"

namespace dse::plan {

using nn::TensorKind;

bool elementwise(int kind) {
  return (kind >= DSE_SUB && kind <= DSE_ABS && kind != DSE_PRELU && kind != DSE_LOOKUP) || kind == DSE_ADD;
}

bool pointwise(const dse_op& k) {
  if (elementwise(k.kind) || k.kind == DSE_FULLY_CONNECTED) return true;
  return k.kind == DSE_CONV_2D && k.kernel_h == 1 && k.kernel_w == 1 && k.stride_h == 1 && k.stride_w == 1 &&
         k.pad_top == 0 && k.pad_left == 0;
}

std::string why_not_timed(const hw::Engine& engine, const nn::Operator& op) {
  for (const auto& call : op.calls) {
    const auto work = program::call_on(call.op, call.tile);
    if (auto why = hw::why_not_timed(engine, work); !why.empty()) return why;
  }
  return {};
}

int origin(const nn::Network& n, int tensor) {
  for (int p = n.producer(tensor); p >= 0 && nn::is_view(n.operators[p].kind); p = n.producer(tensor))
    tensor = n.operators[p].inputs[0];
  return tensor;
}

bool renames(const nn::Network& n, const nn::Operator& op) {
  if (!nn::is_view(op.kind)) return false;
  const int from = op.inputs[0];
  const auto kind = n.tensors[from].kind;
  if (kind != TensorKind::activation && kind != TensorKind::input) return false;
  // What the caller gave cannot be what it gets back: its own buffer would be the result.
  const bool leaves = std::count(n.outputs.begin(), n.outputs.end(), op.outputs[0]) > 0;
  return !(leaves && n.tensors[origin(n, from)].kind == TensorKind::input);
}

namespace {

bool is_activation(const nn::Network& n, int tensor) {
  return tensor >= 0 &&
         (n.tensors[tensor].kind == TensorKind::activation || n.tensors[tensor].kind == TensorKind::input);
}

}  // namespace

bool is_whole_image(const nn::KernelCall::Operand& o, std::int64_t w, std::int64_t c) {
  const auto& v = o.view;
  const std::int64_t elem = v.elem;
  return o.offset == 0 && v.stride_c == elem && (w == 1 || v.stride_w == c * elem) && v.stride_h == w * c * elem &&
         !v.ring_h && !v.ring_c && !v.block_c;
}

bool is_whole(const nn::Network& n, const nn::Operator& op) {
  if (op.calls.size() != 1) return true;
  const auto& call = op.calls.front();
  const dse_op& k = call.op;
  if (dse_has_factors(&k)) return true;  // factors are of whole tensors
  const bool two = k.kind == DSE_ADD || (k.kind >= DSE_SUB && k.kind <= DSE_DIV);
  switch (k.kind) {
    case DSE_CONV_2D:
      if (k.groups > 1) return true;
      break;
    case DSE_DEPTHWISE_CONV_2D:
    case DSE_FULLY_CONNECTED:
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
      break;
    case DSE_SOFTMAX:
      if (k.arg[DSE_ARG_LUT] > 0 || k.out_h * k.out_w > 1) return true;
      break;
    case DSE_COPY:
      if (!renames(n, op)) return true;
      break;
    default:
      if (!elementwise(k.kind)) return true;
  }
  if (!is_activation(n, call.operands[DSE_IN0].tensor) || !is_activation(n, call.operands[DSE_OUT].tensor)) return true;
  if (!is_whole_image(call.operands[DSE_IN0], k.in_w, k.in_c) ||
      !is_whole_image(call.operands[DSE_OUT], k.out_w, k.out_c))
    return true;
  if (two &&
      (!is_activation(n, call.operands[DSE_IN1].tensor) || !is_whole_image(call.operands[DSE_IN1], k.out_w, k.out_c)))
    return true;
  return false;
}

bool has_constants(const nn::Network& n, const nn::Operator& op) {
  if (!op.channel_params.empty() || !op.table.empty() || !op.weights.empty()) return true;
  for (const auto& call : op.calls)
    for (const auto& o : call.operands)
      if (o.present && o.tensor >= 0 && n.tensors[o.tensor].kind == TensorKind::constant) return true;
  return false;
}

std::vector<int> variables(const nn::Network& n, const nn::Operator& op) {
  std::vector<int> out;
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const int t : *list)
      if (t >= 0 && n.tensors[t].kind == TensorKind::variable && std::count(out.begin(), out.end(), t) == 0)
        out.push_back(t);
  return out;
}

std::vector<int> activations(const nn::Network& network, const nn::Operator& op) {
  std::vector<int> out;
  for (int t : op.inputs)
    if (t >= 0 &&
        (network.tensors[t].kind == nn::TensorKind::activation || network.tensors[t].kind == nn::TensorKind::input))
      out.push_back(t);
  return out;
}

std::vector<int> alias_roots(const nn::Network& network, bool alias_reshapes) {
  std::vector<int> root(network.tensors.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  if (alias_reshapes)
    for (const auto& op : network.operators)
      if (renames(network, op)) root[op.outputs[0]] = root[op.inputs[0]];
  return root;
}

std::vector<int> layers_of(const nn::Network& network, bool alias_reshapes) {
  std::vector<int> out;
  for (std::size_t i = 0; i < network.operators.size(); ++i)
    if (!alias_reshapes || !renames(network, network.operators[i])) out.push_back(static_cast<int>(i));
  return out;
}

std::vector<bool> makes_output(const nn::Network& network, bool alias_reshapes) {
  std::vector<bool> out(network.operators.size(), false);
  const auto root = alias_roots(network, alias_reshapes);
  for (int t : network.outputs) {
    const int producer = network.producer(root[static_cast<std::size_t>(t)]);
    if (producer >= 0) out[static_cast<std::size_t>(producer)] = true;
  }
  return out;
}

}  // namespace dse::plan
