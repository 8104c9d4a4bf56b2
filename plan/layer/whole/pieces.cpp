#include "plan/layer/whole/pieces.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "models/hw/libraries/shape_table.h"
#include "models/nn/kernels/dse_factors.h"
#include "plan/layer/compute/batches.h"
#include "plan/layer/whole/moves.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"
#include "program/work.h"

namespace dse::plan {
namespace {

/// Each output element depends on the input elements at its place: rows, columns and channels are alike.
bool same_place(int kind) { return elementwise(kind) || kind == DSE_PRELU || kind == DSE_LOOKUP || kind == DSE_COPY; }
/// The same of pixels.
bool same_pixel(int kind) {
  return same_place(kind) || kind == DSE_SOFTMAX || kind == DSE_LOG_SOFTMAX || kind == DSE_L2_NORMALIZATION;
}

/// Kinds whose calls can make some of their rows, and need not read all of the input for it.
bool has_rows(int kind) {
  switch (kind) {
    case DSE_CONV_2D:
    case DSE_DEPTHWISE_CONV_2D:
    case DSE_FULLY_CONNECTED:
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
    case DSE_TRANSPOSE_CONV:
    case DSE_MATMUL:
    case DSE_RESIZE_BILINEAR:
    case DSE_RESIZE_NEAREST_NEIGHBOR:
      return true;
    default:
      return same_pixel(kind);
  }
}

constexpr int kFewRows = 8;

/// Columns where rows were, where that leaves more to cut.
nn::KernelCall turned(nn::KernelCall call) {
  auto& op = call.op;
  if (!same_pixel(op.kind) || op.out_h >= kFewRows || op.out_w <= op.out_h) return call;
  std::swap(op.in_h, op.in_w), std::swap(op.out_h, op.out_w), std::swap(call.tile.y, call.tile.x);
  for (auto& o : call.operands) std::swap(o.view.stride_h, o.view.stride_w);
  return call;
}

PiecedCall uncut(const nn::KernelCall& call) {
  PiecedCall p;
  p.call = turned(call);
  const auto& op = p.call.op;
  if (op.out_h > 1 && has_rows(op.kind))
    p.extent = op.out_h;
  else if (op.out_h == 1 && op.out_w == 1 && same_place(op.kind))
    p.axis = PieceAxis::channels, p.extent = op.out_c;
  p.size = p.extent;
  return p;
}

/// The calls in one piece each. Empty where the layer cannot be cut. `g`: homes, where they are known.
std::vector<PiecedCall> uncut_calls(const nn::Network& n, const nn::Operator& op, const LayerGeometry* g) {
  std::vector<PiecedCall> out;
  if (!variables(n, op).empty()) return out;
  const auto inputs = activations(n, op);
  for (auto call : op.calls) {
    if (dse_has_factors(&call.op)) return {};
    for (int role = 0; role < DSE_ROLES; ++role) {
      auto& o = call.operands[role];
      if (!o.present || o.tensor < 0 || n.tensors[o.tensor].kind == nn::TensorKind::constant) continue;
      if (role > DSE_OUT) return {};
      if (!g) continue;
      const auto i = std::find(inputs.begin(), inputs.end(), o.tensor) - inputs.begin();
      const auto& inside = role != DSE_OUT                  ? g->inputs[static_cast<std::size_t>(i)].home.inside
                           : o.tensor == op.outputs.front() ? g->output.inside
                                                            : Strides{};
      if (inside.dense()) continue;
      o.view.stride_w = static_cast<std::int32_t>(inside.w), o.view.stride_h = static_cast<std::int32_t>(inside.h);
    }
    for (const auto& c : moves_of(call)) out.push_back(uncut(c));
  }
  return out;
}

/// The range that a piece's box has along the axis.
const dse_span& along(PieceAxis axis, const dse_box& box) { return axis == PieceAxis::rows ? box.h : box.c; }

bool same(const dse_span& a, const dse_span& b) { return a.lo == b.lo && a.hi == b.hi; }
bool same(const dse_box& a, const dse_box& b) { return same(a.h, b.h) && same(a.w, b.w) && same(a.c, b.c); }

/// Rows that `depth` neighbouring pieces have between them; -1: they overlap or go backwards.
int held(PieceAxis axis, const std::vector<dse_box>& boxes, int depth) {
  int most = 1;
  const auto count = static_cast<int>(boxes.size());
  for (int i = 0; i < count; ++i) {
    const auto& first = along(axis, boxes[i]);
    const auto& last = along(axis, boxes[std::min(i + depth, count) - 1]);
    if (depth > 1 && i + 1 < count && along(axis, boxes[i + 1]).lo < first.hi) return -1;
    most = std::max(most, last.hi - first.lo);
  }
  return most;
}

/// Where an operand lies in the nearest memory, its axes in the order that they have at home.
void lay_out(PieceOperand& o, PieceAxis axis, const dse_view& home, int depth) {
  const auto& box = o.boxes.front();
  const bool ring = !o.fixed;
  o.local = {};
  o.local.elem = home.elem;
  std::int64_t rows = box.h.hi - box.h.lo, columns = box.w.hi, channels = box.c.hi - box.c.lo;
  o.local.first_h = box.h.lo, o.local.first_c = box.c.lo;
  o.depth = ring ? std::min(depth, 2) : 1;
  if (ring) {
    int held_now = held(axis, o.boxes, o.depth);
    if (held_now < 0) o.depth = 1, held_now = held(axis, o.boxes, 1);
    (axis == PieceAxis::rows ? rows : channels) = held_now;
    (axis == PieceAxis::rows ? o.local.first_h : o.local.first_c) = 0;
    (axis == PieceAxis::rows ? o.local.ring_h : o.local.ring_c) = held_now;
  }
  struct Axis {
    std::int64_t at_home, extent;
    std::int32_t* stride;
  };
  std::array<Axis, 3> axes = {Axis{home.stride_h, rows, &o.local.stride_h},
                              {home.stride_w, columns, &o.local.stride_w},
                              {home.stride_c, channels, &o.local.stride_c}};
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.at_home > b.at_home; });
  std::int64_t bytes = home.elem;
  for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
    if (a->at_home == 0) continue;  // the same element for all
    *a->stride = static_cast<std::int32_t>(bytes);
    bytes *= std::max<std::int64_t>(1, a->extent);
  }
  o.bytes = bytes;
}

bool moves_to_near(const nn::Network& n, const LayerGeometry& g, const nn::Operator& op, int tensor, int role) {
  if (tensor < 0 || n.tensors[tensor].kind == nn::TensorKind::constant) return false;
  if (role == DSE_OUT) return !g.output_in_place;
  const auto inputs = activations(n, op);
  const auto i = std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin();
  return !g.inputs[static_cast<std::size_t>(i)].in_place;
}

}  // namespace

dse_tile PiecedCall::tile(int piece) const {
  dse_tile t = call.tile;
  (axis == PieceAxis::rows ? t.y : t.c) = dse_span{piece * size, std::min(extent, (piece + 1) * size)};
  return t;
}

std::vector<int> piece_sizes(const LayerContext& context) {
  const auto& op = context.network->operators[context.op];
  if (!is_whole(*context.network, op)) return {};
  const auto calls = uncut_calls(*context.network, op, nullptr);
  int size = 1;
  for (const auto& c : calls) size = std::max(size, c.extent);
  std::vector<int> out;
  if (calls.size() > 1) out.push_back(size);
  while (size > 1) out.push_back(size = (size + 1) / 2);
  return out;
}

bool cuts_calls(const LayerContext& context, int size) {
  const auto calls = uncut_calls(*context.network, context.network->operators[context.op], nullptr);
  return size > 0 && std::any_of(calls.begin(), calls.end(), [&](const auto& c) { return c.extent > size; });
}

bool in_pieces_that_fit(const LayerContext& context, LayerChoice& choice,
                        const std::function<bool(const LayerChoice&)>& fits) {
  LayerChoice c = choice;
  for (const int size : piece_sizes(context))
    for (const auto buffering : {Buffering::twice, Buffering::once}) {
      c.tile = size, c.buffering = buffering;
      if (fits(c)) return choice = c, true;
    }
  return false;
}

std::vector<PiecedCall> pieced_calls(const LayerContext& context, const LayerGeometry& g) {
  const auto& n = *context.network;
  const auto& op = n.operators[context.op];
  auto calls = uncut_calls(n, op, &g);
  for (auto& c : calls) {
    c.size = std::min(g.tile, c.extent);
    for (int role : {DSE_IN0, DSE_IN1, DSE_OUT}) {
      const auto& operand = c.call.operands[role];
      if (!operand.present || !moves_to_near(n, g, op, operand.tensor, role)) continue;
      PieceOperand o;
      o.role = role;
      for (int i = 0; i < c.count(); ++i) {
        const auto tile = c.tile(i);
        auto box = dse_operand_box(&c.call.op, &tile, static_cast<dse_role>(role));
        if (operand.view.stride_h == 0) box.h = {0, 1};
        if (operand.view.stride_w == 0) box.w = {0, 1};
        if (operand.view.stride_c == 0) box.c = {0, 1};
        o.boxes.push_back(box);
      }
      o.fixed = std::all_of(o.boxes.begin(), o.boxes.end(), [&](const auto& b) { return same(b, o.boxes.front()); });
      lay_out(o, c.axis, operand.view, role == DSE_OUT ? g.depth.output : g.depth.input);
      c.moved.push_back(std::move(o));
    }
  }
  return calls;
}

std::string hold_pieces(LayerGeometry& g, const LayerContext& context) {
  const auto& n = *context.network;
  const auto& op = n.operators[context.op];
  const auto& engine = context.device->engines[g.engine];
  const auto calls = pieced_calls(context, g);
  if (calls.empty()) return "it cannot be computed in pieces";
  std::array<std::int64_t, 3> most{};
  std::int64_t scratch = 0;
  g.tiles = 0;
  for (const auto& c : calls) {
    for (const auto& o : c.moved) most[o.role] = std::max(most[o.role], o.bytes);
    const auto kernel = computed_like(g.op, c.call.op);
    const auto tile = c.tile(0);
    scratch = std::max<std::int64_t>(scratch, dse_scratch_bytes(&kernel, &tile));
    if (auto why = hw::why_not_timed(engine, program::call_on(kernel, tile)); !why.empty()) return why;
    g.tiles += c.count();
  }
  if (op.calls.front().op.kind == DSE_PAD && calls.front().call.op.kind == DSE_COPY &&
      filling_engine(*context.device, g.output.memory) < 0)
    return "nothing fills bytes of " + context.device->memories[g.output.memory].name;
  for (const auto& [role, name] : {std::pair{DSE_IN0, "in0"}, {DSE_IN1, "in1"}, {DSE_OUT, "out"}})
    if (most[role] > 0) g.buffers.push_back({name, program::BufferRole::tile, g.near, most[role]});
  if (scratch > 0) g.buffers.push_back({"scratch", program::BufferRole::scratch, g.near, scratch});
  return {};
}

}  // namespace dse::plan
