#include "plan/network/row_graph.h"

#include <algorithm>

#include "models/nn/kernels/dse_factors.h"
#include "plan/network/layers.h"

namespace dse::plan {
namespace {

bool flows(const nn::Network& n, int tensor) {
  return tensor >= 0 &&
         (n.tensors[tensor].kind == nn::TensorKind::activation || n.tensors[tensor].kind == nn::TensorKind::input);
}

bool windowed(const dse_op& k) {
  return k.kind == DSE_CONV_2D || k.kind == DSE_DEPTHWISE_CONV_2D || k.kind == DSE_AVERAGE_POOL_2D ||
         k.kind == DSE_MAX_POOL_2D;
}

bool one_image(const nn::Tensor& t) {
  const auto i = t.image();
  return t.shape.size() >= 3 && t.elements() == i.h * i.w * i.c;
}

/// The operand walks the tensor row by row, one row of its own per row of the tensor.
bool has_rows_of(const nn::Tensor& t, const nn::KernelCall::Operand& o) {
  const auto i = t.image();
  return one_image(t) && o.view.stride_h == i.w * i.c * o.view.elem && !o.view.ring_h && o.view.first_h == 0 &&
         o.offset >= 0 && o.offset < o.view.stride_h;
}

}  // namespace

bool by_rows(const nn::Network& n, const nn::Operator& op) {
  if (op.calls.empty() || op.outputs.size() != 1 || renames(n, op) || !variables(n, op).empty()) return false;
  const bool joins = op.kind == nn::OperatorKind::concatenation;
  if (op.calls.size() > 1 && !joins) return false;
  const auto& out = n.tensors[op.outputs[0]];
  if (!one_image(out)) return false;
  for (const auto& call : op.calls) {
    const auto& k = call.op;
    if (dse_has_factors(&k)) return false;
    if (!windowed(k) && !elementwise(k.kind) && k.kind != DSE_LOOKUP && !(joins && k.kind == DSE_COPY)) return false;
    if (call.tile.y.lo != 0 || call.tile.y.hi != out.image().h || k.out_h != call.tile.y.hi) return false;
    for (int role = 0; role < DSE_ROLES; ++role) {
      const auto& o = call.operands[role];
      if (!o.present || !flows(n, o.tensor)) continue;
      const auto& t = n.tensors[o.tensor];
      const bool main = role == DSE_OUT || role == DSE_IN0;
      if (!has_rows_of(t, o)) return false;
      if (!main && t.image().h != out.image().h) return false;
      if (role == DSE_IN0 && (windowed(k) ? k.in_h : out.image().h) != t.image().h) return false;
    }
    if (!flows(n, call.operands[DSE_IN0].tensor) || !flows(n, call.operands[DSE_OUT].tensor)) return false;
  }
  return true;
}

bool by_columns(const nn::Network& n, const nn::Operator& op) {
  if (!by_rows(n, op)) return false;
  const auto width = n.tensors[op.outputs[0]].image().w;
  return std::all_of(op.calls.begin(), op.calls.end(), [&](const nn::KernelCall& call) {
    const auto& k = call.op;
    if (call.tile.x.lo != 0 || call.tile.x.hi != width || k.out_w != width) return false;
    for (int role = 0; role < DSE_ROLES; ++role) {
      const auto& o = call.operands[role];
      if (!o.present || !flows(n, o.tensor)) continue;
      const auto image = n.tensors[o.tensor].image();
      const auto wanted = role == DSE_IN0 && windowed(k) ? k.in_w : width;
      if (image.w != wanted || o.view.stride_w != image.c * o.view.elem || o.view.ring_c || o.view.block_c)
        return false;
    }
    return true;
  });
}

namespace {

/// Rows of the images that reshapes make of a tensor without changing a byte: 0 = none does, -1 = they differ.
std::int64_t rows_through_reshapes(const nn::Network& n, int tensor) {
  std::int64_t rows = 0;
  for (const int reader : n.consumers(tensor)) {
    if (!renames(n, n.operators[reader])) continue;
    const int t = n.operators[reader].outputs[0];
    const auto seen = one_image(n.tensors[t]) ? n.tensors[t].image().h : rows_through_reshapes(n, t);
    if (seen != 0) rows = rows == 0 || rows == seen ? seen : -1;
  }
  return rows;
}

}  // namespace

std::int64_t rows_of(const nn::Network& n, int tensor) {
  if (one_image(n.tensors[tensor])) return n.tensors[tensor].image().h;
  return std::max<std::int64_t>(1, rows_through_reshapes(n, tensor));
}

bool rows_as(const nn::Network& n, int tensor, int root) { return rows_of(n, tensor) == rows_of(n, root); }

RowGraph row_graph(const nn::Network& n, bool alias_reshapes) {
  const auto root = alias_roots(n, alias_reshapes);
  RowGraph g;
  g.graph.name = n.name;
  std::vector<int> maker(n.tensors.size(), -1);
  const auto row_bytes = [&](int t) { return std::max<std::int64_t>(1, n.tensors[t].bytes() / rows_of(n, t)); };
  const auto add = [&](const std::string& name, int op, int t) {
    phases::Layer l;
    l.name = name, l.rows = rows_of(n, t), l.row_elements = row_bytes(t);
    g.graph.layers.push_back(l);
    g.op.push_back(op), g.tensor.push_back(root[t]);
    g.by_rows.push_back(op >= 0 && by_rows(n, n.operators[op]));
    if (op >= 0 && by_columns(n, n.operators[op])) g.graph.layers.back().columns = n.tensors[t].image().w;
    return static_cast<int>(g.graph.layers.size()) - 1;
  };
  std::vector<char> leaves(n.tensors.size(), false);
  for (const int t : n.outputs) leaves[root[t]] = true;
  for (const int t : n.inputs) {
    const int l = add(n.tensors[t].name, -1, t);
    g.graph.layers[l].source = true, g.graph.layers[l].output = leaves[t];
    maker[t] = l;
  }
  for (const int i : layers_of(n, alias_reshapes)) {
    const auto& op = n.operators[i];
    const int l = add(op.name, i, op.outputs[0]);
    auto& layer = g.graph.layers[l];
    std::vector<int> read;
    const auto inputs = activations(n, op);
    for (const int t : inputs) {
      const int from = maker[root[t]];
      if (from < 0 || std::count(read.begin(), read.end(), root[t]) > 0) continue;
      read.push_back(root[t]);
      phases::Edge e{from, l, rows_of(n, root[t]), row_bytes(root[t]), {}, root[t]};
      const dse_op& k = op.calls.empty() ? op.kernel : op.calls.front().op;
      e.window.whole = !g.by_rows[l];
      if (g.by_rows[l] && windowed(k))
        e.window = {std::int64_t{k.kernel_h - 1} * std::max(1, k.dilation_h) + 1, k.stride_h, k.pad_top, false};
      if (layer.columns > 1)
        e.across = windowed(k) ? phases::Window{std::int64_t{k.kernel_w - 1} * std::max(1, k.dilation_w) + 1,
                                                k.stride_w, k.pad_left, false}
                               : phases::Window{};
      // A reshape that shares its input's bytes: rows or columns of the one are not those of the other.
      for (const int a : inputs) {
        if (root[a] != root[t]) continue;
        e.window.whole = e.window.whole || !rows_as(n, a, root[t]);
        e.across.whole = e.across.whole || n.tensors[a].image().w != n.tensors[root[t]].image().w;
      }
      g.graph.edges.push_back(e);
    }
    layer.at_once = !g.by_rows[l];
    for (const int t : op.outputs) {
      maker[root[t]] = l;
      layer.output = layer.output || leaves[root[t]];
    }
  }
  return g;
}

}  // namespace dse::plan
