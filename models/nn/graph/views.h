// Views of whole tensors in the plain (row-major, NHWC) layout, in the coordinates that an operator's kernel expects.
#pragma once
#include "models/nn/network.h"

namespace dse::nn {

/// Extents (rows, columns, channels) in which a kernel addresses operand `role`. They differ from Tensor::image() where
/// an operator sees its input in another shape: FULLY_CONNECTED reads [rows, 1, IC] and RESHAPE reads in its output's
/// shape.
struct Extents {
  std::int64_t h, w, c;
};
Extents operand_extents(const Network& n, const Operator& op, dse_role role);

/// Tensor index behind a role, -1 when the operator has none (QPARAMS are made from bias and scales, ACC and SCRATCH
/// are not tensors).
int operand_tensor(const Operator& op, dse_role role);

/// The view of the whole operand at `base`: activations in row-major order (a broadcast operand of ADD and its like has
/// stride 0 in the dimensions that it lacks), WEIGHTS as of filter_major_weights(), QPARAMS as of
/// Operator::channel_params (12 bytes per output channel), ACC dense 32-bit (acc_bytes 8: records of 16 bytes, 64-bit)
/// in the output's coordinates.
dse_view full_view(const Network& n, const Operator& op, dse_role role, std::uint8_t* base);

/// The tile that computes the whole operator in one step.
dse_tile full_tile(const Operator& op);

/// Appends the call of `op.kernel` over whole tensors with the views of views.h. What derivations of operators that are
/// one such call need not do themselves.
void add_plain_call(const Network& n, Operator& op);

/// True when an input of ADD or its like (element-wise, two operands) is stretched to the output's shape.
bool is_broadcast(const Network& n, const Operator& op);

}  // namespace dse::nn
