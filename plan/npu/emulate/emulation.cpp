#include "plan/npu/emulate/emulation.h"

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"
#include "base/index.h"
#include "base/units.h"
#include "models/nn/kernels/npu/dse_npu.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

namespace {

std::int64_t row_bytes(const Costs& costs, int tensor) {
  const Tensor& t = costs.tensor(tensor);
  const int c = costs.format(tensor) == Format::brick ? up(t.shape.c, 16) : t.shape.c;
  return std::int64_t{t.bits / 8} * t.shape.w * c;
}

}  // namespace

Emulation::Emulation(const nn::Network& network, const Costs& costs, const Schedule& schedule, const Places& places,
                     const Memories& memories)
    : network_(network),
      costs_(costs),
      schedule_(schedule),
      places_(places),
      constants_(memories.constants),
      fast_(memories.fast),
      other_(memories.other),
      pieces_(network.operators.size(), {-1, -1}) {
  for (int i = 0; i < costs.count(); ++i) {
    auto& [first, last] = pieces_[index(costs.op(i).source)];
    if (first < 0) first = i;
    last = i;
  }
}

int Emulation::graph_tensor(int network_tensor) const { return costs_.graph().of_network[index(network_tensor)]; }

std::uint8_t* Emulation::memory(int tensor) {
  const std::int64_t at = places_.tensor[index(tensor)];
  ensure(at >= 0, "'" + costs_.tensor(tensor).name + "' lies nowhere");
  if (costs_.tensor(tensor).constant) return constants_.data() + at;
  return (costs_.area(tensor) == Npu::fast() ? fast_.data() : other_.data()) + at;
}

std::vector<std::uint8_t> Emulation::dense(int tensor) const {
  const Tensor& t = costs_.tensor(tensor);
  const std::size_t e = index(t.bits / 8), pixels = static_cast<std::size_t>(t.shape.elements() / t.shape.c),
                    c = index(t.shape.c);
  const std::uint8_t* from = memory(tensor);
  std::vector<std::uint8_t> out(pixels * c * e);
  if (costs_.format(tensor) == Format::nhwc) {
    std::memcpy(out.data(), from, out.size());
    return out;
  }
  const std::size_t w = index(t.shape.w), row = static_cast<std::size_t>(row_bytes(costs_, tensor));
  for (std::size_t p = 0; p < pixels; ++p)
    for (std::size_t k = 0; k < c; ++k)
      std::memcpy(&out[(p * c + k) * e], from + p / w * row + (k / 16 * w * 16 + p % w * 16 + k % 16) * e, e);
  return out;
}

void Emulation::store(int tensor, const std::vector<std::uint8_t>& bytes) {
  const Tensor& t = costs_.tensor(tensor);
  std::uint8_t* to = memory(tensor);
  if (costs_.format(tensor) == Format::nhwc) {
    std::memcpy(to, bytes.data(), bytes.size());
    return;
  }
  const std::size_t e = index(t.bits / 8), c = index(t.shape.c), w = index(t.shape.w),
                    row = static_cast<std::size_t>(row_bytes(costs_, tensor));
  for (std::size_t p = 0; p < bytes.size() / (c * e); ++p)
    for (std::size_t k = 0; k < c; ++k)
      std::memcpy(to + p / w * row + (k / 16 * w * 16 + p % w * 16 + k % 16) * e, &bytes[(p * c + k) * e], e);
}

void Emulation::write_input(int tensor, const std::vector<std::uint8_t>& bytes) {
  if (const int t = graph_tensor(tensor); t >= 0 && places_.tensor[index(t)] >= 0) store(t, bytes);
}

std::vector<std::uint8_t> Emulation::read_tensor(int tensor) const { return dense(graph_tensor(tensor)); }

void Emulation::set_state(const nn::TensorBytes& state) {
  for (std::size_t t = 0; t < state.size(); ++t)
    if (!state[t].empty()) write_input(static_cast<int>(t), state[t]);
}

void Emulation::run_on_cpu(int source) {
  const nn::Operator& op = network_.operators[index(source)];
  nn::TensorBytes bytes(network_.tensors.size());
  const auto variable = [&](int t) { return network_.tensors[index(t)].kind == nn::TensorKind::variable; };
  for (const int t : op.inputs)
    if (t >= 0 && network_.tensors[index(t)].kind != nn::TensorKind::constant) bytes[index(t)] = read_tensor(t);
  for (const int t : op.outputs)
    if (!variable(t)) bytes[index(t)].assign(static_cast<std::size_t>(network_.tensors[index(t)].bytes()), 0);
  nn::run_operator(network_, op, bytes);
  for (const int t : op.outputs) store(graph_tensor(t), bytes[index(t)]);
  for (const int t : op.inputs)
    if (t >= 0 && variable(t)) store(graph_tensor(t), bytes[index(t)]);
}

/// Operators that are several operations, or whose kernel sees its tensors in another way than blocks do.
bool Emulation::in_pieces(int operation) const {
  const nn::Operator& op = network_.operators[index(costs_.op(operation).source)];
  switch (nn::family_of(op.kind)) {
    case nn::OperatorFamily::convolution:
    case nn::OperatorFamily::transpose_conv:
    case nn::OperatorFamily::fully_connected:
    case nn::OperatorFamily::pool:
    case nn::OperatorFamily::global_pool:
    case nn::OperatorFamily::binary:
    case nn::OperatorFamily::unary:
    case nn::OperatorFamily::concatenation:
    case nn::OperatorFamily::split:
      return false;
    case nn::OperatorFamily::resize: {
      const auto& [first, last] = pieces_[index(costs_.op(operation).source)];
      return first != last;
    }
    default:
      return true;
  }
}

void Emulation::whole(int operation) {
  const int source = costs_.op(operation).source;
  const nn::Operator& op = network_.operators[index(source)];
  const auto& [first, last] = pieces_[index(source)];
  if (operation == first) {
    // Its inputs need not live until the last piece; its outputs may not lie there yet.
    nn::TensorBytes bytes(network_.tensors.size());
    for (const int t : op.inputs)
      if (t >= 0 && network_.tensors[index(t)].kind != nn::TensorKind::constant) bytes[index(t)] = read_tensor(t);
    for (const int t : op.outputs)
      bytes[index(t)].assign(static_cast<std::size_t>(network_.tensors[index(t)].bytes()), 0);
    nn::run_operator(network_, op, bytes);
    results_[source] = std::move(bytes);
  }
  if (operation != last) return;
  const nn::TensorBytes& made = results_[source];
  for (const int t : op.inputs)
    if (t >= 0 && network_.tensors[index(t)].kind == nn::TensorKind::variable) store(graph_tensor(t), made[index(t)]);
  const int out = costs_.op(operation).ofm;
  store(out, made[index(op.outputs[0])]);
  results_.erase(source);
}

/// The operand's view over the tensor as it lies. A ring holds so many rows.
dse_view Emulation::view_of(int tensor, const nn::KernelCall::Operand& operand, int ring) const {
  dse_view v = operand.view;
  std::uint8_t* base = const_cast<std::uint8_t*>(memory(tensor));
  if (costs_.format(tensor) == Format::nhwc) {
    v.base = base + operand.offset;
    return v;
  }
  const Tensor& t = costs_.tensor(tensor);
  const std::int64_t e = t.bits / 8, c = t.shape.c, w = t.shape.w, brick = w * 16 * e, row = row_bytes(costs_, tensor);
  const std::int64_t at = operand.offset / e, channel = at % c;
  v.base = base + at / (w * c) * row + at / c % w * 16 * e + channel / 16 * brick + channel % 16 * e;
  const bool rows_are_columns = v.stride_h == c * e && t.shape.h == 1;
  v.stride_h = v.stride_h == 0 ? 0 : static_cast<std::int32_t>(rows_are_columns ? 16 * e : row);
  if (v.stride_w) v.stride_w = static_cast<std::int32_t>(16 * e);
  if (v.stride_c)
    v.stride_c = static_cast<std::int32_t>(e), v.block_c = 16, v.stride_block = static_cast<std::int32_t>(brick);
  if (ring) v.ring_h = ring;
  return v;
}

bool Emulation::blocks(const Registers& r, const Part& part) {
  const Operation& o = costs_.op(part.operation);
  const nn::Operator& source = network_.operators[index(o.source)];
  const nn::KernelCall& call = source.calls.at(index(o.call));
  const bool has_weights = nn::has_filters(source.kind);
  if (has_weights && !read_weights(r, part)) return false;
  const int in_ring = static_cast<int>(r[Register::ifm_ring]), out_ring = static_cast<int>(r[Register::ofm_ring]);
  dse_call run{};
  run.op = &call.op;
  const auto constant = [](const auto& v) {
    return reinterpret_cast<std::uint8_t*>(const_cast<void*>(static_cast<const void*>(v.data())));
  };
  for (std::size_t role = 0; role < DSE_ROLES; ++role) {
    const auto& operand = call.operands[role];
    if (!operand.present) continue;
    run.view[role] = operand.view;
    if (role == DSE_WEIGHTS && has_weights)
      run.view[role].base = weights_.data() + operand.offset;
    else if (role == DSE_QPARAMS && has_weights)
      run.view[role].base = reinterpret_cast<std::uint8_t*>(records_.data()) + operand.offset;
    else if (role == DSE_OUT)
      run.view[role] = view_of(o.ofm, operand, out_ring);
    else if (operand.tensor >= 0 && network_.tensors[index(operand.tensor)].kind != nn::TensorKind::constant)
      run.view[role] =
          view_of(graph_tensor(operand.tensor), operand, graph_tensor(operand.tensor) == o.ifm ? in_ring : 0);
    else if (operand.tensor >= 0)
      run.view[role].base = constant(network_.tensors[index(operand.tensor)].data) + operand.offset;
    else
      run.view[role].base = (role == DSE_QPARAMS ? constant(source.channel_params)
                             : role == DSE_LUT   ? constant(source.table)
                                                 : constant(source.weights)) +
                            operand.offset;
  }
  dse_call after{};
  const nn::KernelCall* fused = o.fused >= 0 ? &network_.operators[index(o.fused)].calls.at(0) : nullptr;
  if (fused) {
    const nn::Operator& activation = network_.operators[index(o.fused)];
    after.op = &fused->op;
    for (const std::size_t role : {std::size_t{DSE_IN0}, std::size_t{DSE_OUT}}) after.view[role] = run.view[DSE_OUT];
    if (fused->operands[DSE_LUT].present)
      after.view[DSE_LUT] = fused->operands[DSE_LUT].view, after.view[DSE_LUT].base = constant(activation.table);
  }
  const Block& b = schedule_.operations[index(part.operation)].block.ofm;
  const Shape& s = o.ofm_shape;
  const bool plain = !o.write && call.op.out_h == s.h && call.op.out_w == s.w && call.op.out_c == s.c;
  if (!plain && (part.y0 > 0 || part.y1 < s.h)) return false;
  const auto one = [&](const dse_span& y, const dse_span& x, const dse_span& c) {
    run.tile = call.tile;
    if (plain) run.tile.y = y, run.tile.x = x, run.tile.c = c;
    if (!plain && part.c1 - part.c0 < s.c) run.tile.c = c;
    std::vector<std::uint8_t> scratch(static_cast<std::size_t>(dse_scratch_bytes(run.op, &run.tile)));
    if (!scratch.empty()) run.view[DSE_SCRATCH].base = scratch.data();
    if (dse_run_call(&run) != 0) return false;
    if (!fused) return true;
    after.tile = fused->tile;
    after.tile.y = run.tile.y, after.tile.x = run.tile.x, after.tile.c = run.tile.c;
    return dse_run_call(&after) == 0;
  };
  if (!plain) return one(call.tile.y, call.tile.x, {part.c0, part.c1});
  for (int y = part.y0; y < part.y1; y += b.h)
    for (int x = 0; x < s.w; x += b.w)
      for (int c = part.c0; c < part.c1; c += b.c)
        if (!one({y, std::min(part.y1, y + b.h)}, {x, std::min(s.w, x + b.w)}, {c, std::min(part.c1, c + b.c)}))
          return false;
  return true;
}

bool Emulation::kernel(const Registers& r, int number) {
  if (!stream_ || index(number) >= stream_->kernels.size()) return false;
  const Part& part = stream_->kernels[index(number)];
  if (!in_pieces(part.operation)) return blocks(r, part);
  whole(part.operation);
  return true;
}

bool Emulation::copy(const Registers& r) {
  const auto memory_of = [&](Register region) -> std::span<std::uint8_t>* {
    switch (static_cast<Region>(r[region])) {
      case Region::constants:
        return &constants_;
      case Region::fast:
        return &fast_;
      case Region::feature_maps:
        return costs_.npu().feature_maps() == Npu::fast() ? &fast_ : &other_;
      default:
        return nullptr;  // tables: the operator has its own
    }
  };
  const auto* from = memory_of(Register::dma_from_region);
  auto* to = memory_of(Register::dma_to_region);
  const std::size_t at = r[Register::dma_from], there = r[Register::dma_to], n = r[Register::dma_length];
  if (!from || at + n > from->size()) return false;
  if (!to) return true;
  if (there + n > to->size()) return false;
  std::memmove(to->data() + there, from->data() + at, n);
  return true;
}

}  // namespace dse::plan::npu
