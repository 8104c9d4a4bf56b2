#include "plan/network/in_place.h"

#include <algorithm>
#include <cstring>

#include "plan/network/layers.h"

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

/// `later` needs, through others perhaps, what `earlier` makes.
bool needs(const nn::Network& n, int later, int earlier) {
  std::vector<int> open = {earlier};
  std::vector<char> seen(n.operators.size(), 0);
  while (!open.empty()) {
    const int op = open.back();
    open.pop_back();
    if (op == later) return true;
    for (const int t : n.operators[op].outputs)
      for (const int reader : n.consumers(t))
        if (reader > op && reader <= later && !seen[reader]) seen[reader] = 1, open.push_back(reader);
  }
  return false;
}

/// An operator has to read a tensor of this root after `op`, which reads it too: it needs what `op` makes.
bool read_after(const nn::Network& n, const std::vector<int>& root, int r, int op) {
  for (std::size_t t = 0; t < root.size(); ++t)
    if (root[t] == r)
      for (const int reader : n.consumers(static_cast<int>(t)))
        if (reader > op && needs(n, reader, op)) return true;
  return false;
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
    if (r == root[op.outputs[0]] || leaves(n, root, r) || read_after(n, root, r, index)) continue;
    if (aligned(op, root, r)) out.push_back(static_cast<int>(i));
  }
  return out;
}

namespace {

/// The box that a call of a concatenation fills, when it moves a whole image as it is; a part without tensor: it does
/// not.
Part box_of(const nn::Network& n, const nn::KernelCall& call) {
  const auto &in = call.operands[DSE_IN0], &out = call.operands[DSE_OUT];
  if (call.op.kind != DSE_COPY || !in.present || !out.present || in.tensor < 0 || in.offset != 0) return {};
  const auto part = n.tensors[in.tensor].image(), whole = n.tensors[out.tensor].image();
  const std::int64_t elem = in.view.elem, index = out.offset / elem;
  const auto dense = [&](const dse_view& v, std::int64_t w, std::int64_t c) {
    return v.elem == elem && v.stride_c == elem && (part.w == 1 || v.stride_w == c * elem) &&
           (part.h == 1 || v.stride_h == w * c * elem);
  };
  if (call.op.out_h != part.h || call.op.out_w != part.w || call.op.out_c != part.c) return {};
  if (!dense(in.view, part.w, part.c) || !dense(out.view, whole.w, whole.c)) return {};
  const Part p{in.tensor, index / (whole.w * whole.c), index / whole.c % whole.w, index % whole.c};
  const bool inside = p.y + part.h <= whole.h && p.x + part.w <= whole.w && p.c + part.c <= whole.c;
  return inside ? p : Part{};
}

/// What a padding surrounds, when its border is of one byte's value and only around rows, columns and channels.
Part inside_of(const nn::Network& n, const nn::Operator& op) {
  const auto &in = n.tensors[op.inputs[0]], &out = n.tensors[op.outputs[0]];
  const auto& before = op.options.pad_before;
  const std::size_t rank = out.shape.size();
  for (std::size_t d = 0; d + 3 < rank; ++d)
    if (out.shape[d] != 1) return {};
  const auto border = border_of(op);
  for (std::int64_t i = 1; i < nn::size_of(in.type); ++i)
    if (border[i] != border[0]) return {};
  if (rank < 1 || before.size() != rank || nn::size_of(in.type) > 8) return {};
  const auto at = [&](std::size_t from_end) { return rank >= from_end ? before[rank - from_end] : 0; };
  if (rank == 2) return {op.inputs[0], at(2), 0, at(1)};  // rows of one column
  return {op.inputs[0], at(3), at(2), at(1)};
}

}  // namespace

std::array<std::uint8_t, 8> border_of(const nn::Operator& padding) {
  std::array<std::uint8_t, 8> out{};
  std::memcpy(out.data(), &padding.kernel.arg[19], out.size());
  return out;
}

std::vector<Part> parts_of(const nn::Network& n, int index) {
  const auto& op = n.operators[index];
  const bool joins = nn::family_of(op.kind) == nn::OperatorFamily::concatenation;
  if ((!joins && op.kind != nn::OperatorKind::pad) || op.outputs.size() != 1) return {};
  std::vector<Part> out;
  if (joins) {
    if (op.calls.size() != op.inputs.size()) return {};
    for (const auto& call : op.calls) out.push_back(box_of(n, call));
  } else {
    out.push_back(inside_of(n, op));
  }
  const auto root = alias_roots(n, true);
  std::vector<int> seen;
  for (const auto& p : out) {
    if (p.tensor < 0) return {};
    const int r = root[p.tensor], maker = n.producer(r);
    if (n.tensors[r].kind != TensorKind::activation || maker < 0 || n.operators[maker].outputs.size() != 1) return {};
    if (leaves(n, root, r) || std::count(seen.begin(), seen.end(), r) > 0) return {};
    seen.push_back(r);
  }
  return out;
}

int filling_engine(const hw::Device& device, int memory) {
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m)
    if (const int e = device.copy_engine(m, memory); e >= 0) return e;
  return -1;
}

}  // namespace dse::plan
