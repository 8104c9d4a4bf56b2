#include "plan/in_place.h"

#include <algorithm>
#include <optional>

#include "plan/aliases.h"
#include "plan/whole_layer.h"

namespace dse::plan {
namespace {

using nn::TensorKind;

bool same_view(const nn::KernelCall::Operand& a, const nn::KernelCall::Operand& b) {
  const dse_view &v = a.view, &w = b.view;
  return a.offset == b.offset && v.stride_h == w.stride_h && v.stride_w == w.stride_w && v.stride_c == w.stride_c &&
         v.elem == w.elem && v.first_h == w.first_h && v.first_c == w.first_c && v.ring_h == w.ring_h &&
         v.ring_c == w.ring_c && v.block_c == w.block_c && v.stride_block == w.stride_block;
}

/// Kernels of these kinds read an element (in pieces: 64 of them) before they write the one at the same place.
bool safe_kind(int kind) { return elementwise(kind) || kind == DSE_PRELU || kind == DSE_LOOKUP; }

bool leaves(const nn::Network& n, const std::vector<int>& root, int r) {
  return std::any_of(n.outputs.begin(), n.outputs.end(), [&](int t) { return root[t] == r; });
}

/// The last operator that reads a tensor of this root; -1 = none.
int last_reader(const nn::Network& n, const std::vector<int>& root, int r) {
  int last = -1;
  for (std::size_t t = 0; t < root.size(); ++t)
    if (root[t] == r)
      for (const int reader : n.consumers(static_cast<int>(t))) last = std::max(last, reader);
  return last;
}

/// Every call reads the tensor of this root where it writes the output.
bool aligned(const nn::Operator& op, const std::vector<int>& root, int r) {
  for (const auto& call : op.calls) {
    if (!safe_kind(call.op.kind)) return false;
    const auto& out = call.operands[DSE_OUT];
    if (!out.present || out.tensor != op.outputs[0]) return false;
    for (int role = 0; role < DSE_ROLES; ++role) {
      const auto& o = call.operands[role];
      if (role != DSE_OUT && o.present && o.tensor >= 0 && root[o.tensor] == r && !same_view(o, out)) return false;
    }
  }
  return !op.calls.empty();
}

}  // namespace

std::vector<int> inputs_to_overwrite(const nn::Network& n, int index, const std::vector<int>& root) {
  std::vector<int> out;
  const auto& op = n.operators[index];
  if (op.outputs.size() != 1 || n.tensors[op.outputs[0]].kind != TensorKind::activation) return out;
  const auto inputs = activations(n, op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int r = root[inputs[i]];
    if (n.tensors[r].kind != TensorKind::activation || n.tensors[r].bytes() != n.tensors[op.outputs[0]].bytes())
      continue;
    if (r == root[op.outputs[0]] || leaves(n, root, r) || last_reader(n, root, r) != index) continue;
    if (aligned(op, root, r)) out.push_back(static_cast<int>(i));
  }
  return out;
}

std::vector<Part> parts_of(const nn::Network&, int, const std::vector<int>&) { return {}; }

namespace {

/// What with_in_place makes smaller, first things first.
struct Need {
  std::int64_t on_chip, all, held;
  auto operator<=>(const Need&) const = default;
};

std::optional<Need> need_of(const nn::Network& n, const hw::Device& device, const std::vector<LayerChoice>& choices,
                            bool alias_reshapes) {
  const auto made = make_plan(n, device, choices, alias_reshapes);
  const auto* plan = std::get_if<Plan>(&made);
  if (!plan) return std::nullopt;
  Need need{on_chip_memory(device, plan->heights), 0, 0};
  for (const auto h : plan->heights) need.all += h;
  for (const auto& b : plan->buffers)
    if (b.role != program::BufferRole::constants) need.held += b.size * (b.last - b.first + (b.over < 0 ? 1 : 0));
  return need;
}

}  // namespace

std::vector<LayerChoice> with_in_place(const nn::Network& n, const hw::Device& device, std::vector<LayerChoice> choices,
                                       bool alias_reshapes) {
  hw::Device ample = device;  // plans that do not fit may do so in place
  for (auto& m : ample.memories) m.size = std::int64_t{1} << 50;
  const auto given = choices;
  auto best = need_of(n, ample, choices, alias_reshapes);
  if (!best) return choices;
  const auto layers = layers_of(n, alias_reshapes);
  const auto offered = [&](int op) {
    return can_be_in_place(context_of(n, device, choices, op, alias_reshapes), choices[op]);
  };
  const auto better = [&](const Need& now, bool saves_copies) {
    return saves_copies ? now.on_chip < best->on_chip || (now.on_chip == best->on_chip && now.all <= best->all)
                        : now < *best;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int op : layers) {
      if (choices[op].in_place || !offered(op)) continue;
      choices[op].in_place = true;
      const bool parts = !parts_of(n, op, alias_roots(n, alias_reshapes)).empty();
      if (const auto now = need_of(n, ample, choices, alias_reshapes); now && better(*now, parts))
        best = now, changed = true;
      else
        choices[op].in_place = false;
    }
  }
  // One after the other they may each cost more than they save: all concatenations at once are tried, too.
  auto all = given;
  for (const int op : layers)
    if (!all[op].in_place && offered(op)) {
      all[op].in_place = true;
      if (!place_tensors(n, all, alias_reshapes).problem.empty()) all[op].in_place = false;
    }
  if (const auto now = need_of(n, ample, all, alias_reshapes); now && *now < *best) return all;
  return choices;
}

bool can_be_in_place(const LayerContext& context, const LayerChoice& choice) {
  const auto& n = *context.network;
  const auto root = alias_roots(n, true);
  const Home home{choice.output_memory, choice.output_layout};
  const auto inputs = inputs_to_overwrite(n, context.op, root);
  return std::any_of(inputs.begin(), inputs.end(), [&](int i) { return context.inputs[i] == home; });
}

}  // namespace dse::plan
