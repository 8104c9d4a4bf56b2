#include "models/nn/graph/views.h"

#include <algorithm>
#include <array>

namespace dse::nn {
namespace {

dse_view dense(std::uint8_t* base, std::int64_t w, std::int64_t c, int elem) {
  dse_view v{};
  v.base = base;
  v.elem = elem;
  v.stride_c = elem;
  v.stride_w = static_cast<std::int32_t>(c * elem);
  v.stride_h = static_cast<std::int32_t>(w * c * elem);
  return v;
}

/// Element-wise with two operands.
bool binary(const Operator& op) { return facts_of(op.kind).family == OperatorFamily::binary; }

/// Bytes per element of the operand behind a role.
int element_size(const Network& n, const Operator& op, dse_role role) {
  if (role == DSE_WEIGHTS) return op.kernel.weight_type == DSE_I16 ? 2 : 1;
  const int tensor = operand_tensor(op, role);
  return tensor < 0 ? 1 : static_cast<int>(size_of(n.tensors[static_cast<std::size_t>(tensor)].type));
}

/// An operand of ADD or its like with shape `from`, addressed in the coordinates of `to` (at most [1, H, W, C]).
dse_view stretched(std::uint8_t* base, const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                   int elem) {
  // Extents of the last four dimensions, 1 where missing.
  std::array<std::int64_t, 4> extent{1, 1, 1, 1};
  for (std::size_t i = 0; i < from.size() && i < 4; ++i) extent[3 - i] = from[from.size() - 1 - i];
  const auto stride = [&](std::size_t d) {
    std::int64_t s = elem;
    for (std::size_t i = d + 1; i < 4; ++i) s *= extent[i];
    return extent[d] == 1 ? 0 : static_cast<std::int32_t>(s);
  };
  dse_view v{};
  v.base = base;
  v.elem = elem;
  v.stride_c = stride(3);
  // [N, K] is N rows of one column (Tensor::image): its rows are dimension 2 here.
  v.stride_w = to.size() == 2 ? 0 : stride(2);
  v.stride_h = to.size() == 2 ? stride(2) : stride(1);
  return v;
}

}  // namespace

int operand_tensor(const Operator& op, dse_role role) {
  switch (role) {
    case DSE_IN0:
      return op.inputs[0];
    case DSE_IN1:
      return binary(op) ? op.inputs[1] : -1;
    case DSE_OUT:
      return op.outputs[0];
    case DSE_WEIGHTS:
      return has_filters(op.kind) ? op.inputs[1] : -1;
    default:
      return -1;
  }
}

Extents operand_extents(const Network&, const Operator& op, dse_role role) {
  const dse_op& k = op.kernel;
  switch (role) {
    case DSE_IN0:
    case DSE_IN1:
      return {k.in_h, k.in_w, k.in_c};
    case DSE_WEIGHTS:
      if (!has_filters(op.kind)) return {0, 0, 0};
      return {k.out_c, k.kernel_h * k.kernel_w,
              op.kind == OperatorKind::depthwise_conv_2d ? 1 : k.in_c / std::max(1, k.groups)};
    case DSE_QPARAMS:
      return has_filters(op.kind) ? Extents{k.out_c, 1, 1} : Extents{0, 0, 0};
    default:
      return {k.out_h, k.out_w, k.out_c};
  }
}

bool is_broadcast(const Network& n, const Operator& op) {
  if (!binary(op)) return false;
  const auto shape = [&](int t) -> const auto& { return n.tensors[static_cast<std::size_t>(t)].shape; };
  return shape(op.inputs[0]) != shape(op.outputs[0]) || shape(op.inputs[1]) != shape(op.outputs[0]);
}

dse_view full_view(const Network& n, const Operator& op, dse_role role, std::uint8_t* base) {
  const Extents e = operand_extents(n, op, role);
  const int acc = op.kernel.acc_bytes == 8 ? 8 : 4;
  if (role == DSE_QPARAMS) return dense(base, 1, 1, acc == 8 ? 16 : 12);
  if (role == DSE_ACC) return dense(base, e.w, e.c, acc);
  const int elem = element_size(n, op, role);
  if (binary(op) && (role == DSE_IN0 || role == DSE_IN1)) {
    const auto& from = n.tensors[static_cast<std::size_t>(operand_tensor(op, role))].shape;
    const auto& to = n.tensors[static_cast<std::size_t>(op.outputs[0])].shape;
    if (from != to) return stretched(base, from, to, elem);
  }
  return dense(base, e.w, e.c, elem);
}

void add_plain_call(const Network& n, Operator& op) {
  KernelCall call;
  call.op = op.kernel;
  call.tile = full_tile(op);
  for (const dse_role role : {DSE_IN0, DSE_IN1, DSE_OUT, DSE_WEIGHTS, DSE_QPARAMS}) {
    const bool own = role == DSE_WEIGHTS || role == DSE_QPARAMS;
    const int tensor = own ? -1 : operand_tensor(op, role);
    if (own ? !has_filters(op.kind) : tensor < 0) continue;
    call.operands[role] = {true, tensor, 0, full_view(n, op, role, nullptr)};
  }
  op.calls.push_back(call);
}

dse_tile full_tile(const Operator& op) {
  const dse_op& k = op.kernel;
  return {{0, k.out_h}, {0, k.out_w}, {0, k.out_c}, {0, k.in_c / std::max(1, k.groups)}, DSE_FIRST | DSE_LAST};
}

}  // namespace dse::nn
