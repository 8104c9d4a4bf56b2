#include "plan/layer/whole/whole_layer.h"

#include <algorithm>
#include <cstring>

#include "base/units.h"
#include "models/nn/graph/views.h"
#include "plan/layer/compute/batches.h"
#include "plan/layer/whole/pieces.h"
#include "plan/network/in_place.h"
#include "plan/network/layers.h"

namespace dse::plan {

using nn::OperatorKind;
using nn::TensorKind;

ConstantBlob::ConstantBlob(const nn::Network& network, const nn::Operator& op) : network_(network), op_(op) {
  constexpr std::int64_t alignment = 16;
  const auto place = [&](std::int64_t bytes) {
    const std::int64_t at = size_;
    size_ = round_up(size_ + bytes, alignment);
    return at;
  };
  for (const auto& call : op.calls)
    for (int role = 0; role < DSE_ROLES; ++role) {
      const auto& o = call.operands[role];
      if (!o.present) continue;
      if (o.tensor >= 0) {
        const auto& t = network.tensors[o.tensor];
        if (t.kind == TensorKind::constant && !tensors_.contains(o.tensor)) tensors_[o.tensor] = place(t.bytes());
      } else if (!roles_.contains(role)) {
        if (role == DSE_QPARAMS) roles_[role] = place(static_cast<std::int64_t>(op.channel_params.size()) * 4);
        if (role == DSE_LUT) roles_[role] = place(static_cast<std::int64_t>(op.table.size()));
        if (role == DSE_WEIGHTS)
          roles_[role] = place(op.weights.empty() ? network.tensors[nn::operand_tensor(op, DSE_WEIGHTS)].bytes()
                                                  : static_cast<std::int64_t>(op.weights.size()));
      }
    }
}

std::vector<std::uint8_t> ConstantBlob::bytes() const {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(size_), 0);
  const auto put = [&](std::int64_t at, const void* from, std::size_t n) {
    if (n) std::memcpy(&out[static_cast<std::size_t>(at)], from, n);
  };
  for (const auto& [role, at] : roles_) {
    if (role == DSE_QPARAMS) put(at, op_.channel_params.data(), op_.channel_params.size() * 4);
    if (role == DSE_LUT) put(at, op_.table.data(), op_.table.size());
    if (role == DSE_WEIGHTS) {
      const auto weights = nn::filter_major_weights(network_, op_);
      put(at, weights.data(), weights.size());
    }
  }
  for (const auto& [tensor, at] : tensors_)
    put(at, network_.tensors[tensor].data.data(), network_.tensors[tensor].data.size());
  return out;
}

std::int64_t ConstantBlob::offset_of(dse_role role) const {
  const auto it = roles_.find(role);
  ensure(it != roles_.end(), "operator " + op_.name + " has no constants of that role");
  return it->second;
}

std::int64_t ConstantBlob::offset_of_tensor(int tensor) const {
  const auto it = tensors_.find(tensor);
  ensure(it != tensors_.end(), "operator " + op_.name + " reads no such constant");
  return it->second;
}

namespace {

/// Every call that touches the tensor sees it as its image, so that strides can be exchanged.
bool seen_as_image(const nn::Network& n, const nn::Operator& op, int tensor) {
  const auto i = n.tensors[tensor].image();
  for (const auto& call : op.calls)
    for (int role = 0; role < DSE_ROLES; ++role) {
      const auto& o = call.operands[role];
      if (!o.present || o.tensor != tensor) continue;
      const bool result = role != DSE_IN0;
      const int h = result ? call.op.out_h : call.op.in_h, w = result ? call.op.out_w : call.op.in_w;
      const bool dims = h == i.h && w == i.w && (result ? call.op.out_c : call.op.in_c) == i.c;
      const auto& v = o.view;
      const std::int64_t elem = v.elem;
      if ((role != DSE_OUT && role > DSE_IN1) || !dims || !is_whole_image(o, i.w, i.c) || v.stride_w != i.c * elem)
        return false;
    }
  return true;
}

/// Inputs that are in the output already: nothing is moved but the border of a padding, which is filled.
std::string placed_geometry(LayerGeometry& g, const LayerContext& context, const LayerChoice& choice) {
  const auto& op = context.network->operators[context.op];
  g.placed = g.output_in_place = true;
  g.output = {choice.output_memory, TensorLayout::hwc, context.output_inside};
  for (int i = 0; i < g.input_count; ++i) g.inputs[i].home = context.inputs[i], g.inputs[i].in_place = true;
  if (op.kind == nn::OperatorKind::pad && filling_engine(*context.device, choice.output_memory) < 0)
    return "nothing fills bytes of " + context.device->memories[choice.output_memory].name;
  return {};
}

}  // namespace

std::string whole_geometry(LayerGeometry& g, const LayerContext& context, const LayerChoice& choice) {
  const auto& n = *context.network;
  const auto& device = *context.device;
  const auto& op = n.operators[context.op];
  const auto& engine = device.engines[g.engine];
  g.whole = true;
  g.tile = g.op.out_h, g.filters = g.op.out_c;
  const auto inputs = activations(n, op);
  g.inputs.resize(std::max<std::size_t>(2, inputs.size()));
  g.input_count = static_cast<int>(inputs.size());
  if (choice.in_place && !parts_of(n, context.op).empty()) return placed_geometry(g, context, choice);
  const auto reach = [&](int memory, bool read, bool written) -> std::string {
    const bool in = !read || device.copy_engine(memory, g.near) >= 0;
    const bool out = !written || device.copy_engine(g.near, memory) >= 0;
    return in && out ? std::string()
                     : "no copy engine leads between " + device.memories[memory].name + " and " +
                           device.memories[g.near].name;
  };
  for (int i = 0; i < g.input_count; ++i) {
    auto& in = g.inputs[i];
    in.home = context.inputs[i];
    if (in.home.layout != TensorLayout::hwc) return "whole layers read channels-last tensors";
    in.in_place =
        engine.reaches(in.home.memory) && (choice.operands == Operands::automatic || in.home.memory == g.near);
    if ((in.in_place || choice.tile) && !in.home.inside.dense() && !seen_as_image(n, op, inputs[i]))
      return "it takes " + n.tensors[inputs[i]].name +
             " for another shape, which a part of a larger tensor does not have";
    // The same tensor twice is copied once.
    const bool again = std::find(inputs.begin(), inputs.begin() + i, inputs[i]) != inputs.begin() + i;
    if (in.in_place || again) continue;
    if (auto why = reach(in.home.memory, true, false); !why.empty()) return why;
    if (choice.tile) continue;
    g.buffers.push_back({"in" + std::to_string(i), program::BufferRole::tile, g.near, n.tensors[inputs[i]].bytes()});
  }
  for (const int t : variables(n, op)) {
    if (engine.reaches(device.io)) continue;
    if (auto why = reach(device.io, true, true); !why.empty()) return why;
    g.buffers.push_back({"state" + std::to_string(t), program::BufferRole::tile, g.near, n.tensors[t].bytes()});
  }
  g.output = {choice.output_memory, TensorLayout::hwc, context.output_inside};
  if (choice.output_layout != TensorLayout::hwc) return "whole layers write channels-last tensors";
  if (g.output.memory < 0) return "the output has no home";
  g.output_in_place =
      engine.reaches(g.output.memory) && (choice.operands == Operands::automatic || g.output.memory == g.near);
  if ((g.output_in_place || choice.tile) && !g.output.inside.dense() && !seen_as_image(n, op, op.outputs[0]))
    return "it takes its output for another shape, which a part of a larger tensor does not have";
  if (!g.output_in_place) {
    if (auto why = reach(g.output.memory, false, true); !why.empty()) return why;
    for (std::size_t o = 0; o < op.outputs.size() && !choice.tile; ++o)
      if (n.tensors[op.outputs[o]].kind == TensorKind::activation)
        g.buffers.push_back({o ? "out" + std::to_string(o) : "out", program::BufferRole::tile, g.near,
                             n.tensors[op.outputs[o]].bytes()});
  }
  if (choice.tile) {
    g.pieces = true, g.tile = choice.tile;
    return hold_pieces(g, context);
  }
  std::int64_t scratch = 0;
  for (const auto& call : op.calls) {
    const auto kernel = computed(call.op, choice, engine);
    scratch = std::max<std::int64_t>(scratch, dse_scratch_bytes(&kernel, &call.tile));
  }
  if (scratch > 0) g.buffers.push_back({"scratch", program::BufferRole::scratch, g.near, scratch});
  return {};
}

}  // namespace dse::plan
