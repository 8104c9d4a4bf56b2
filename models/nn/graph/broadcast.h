// Broadcasting in any number of dimensions as calls of kernels that know three.
#pragma once
#include <cstdint>
#include <vector>

#include "models/nn/graph/derivation.h"

namespace dse::nn {

/// Appends the calls of `op.kernel`, an operator with two operands that are stretched to the output's shape: one plain
/// call where the output is an image or both operands have its shape; else one call per index of the outer dimensions,
/// after dimensions have been merged where neither operand's strides forbid it. Fails above 4096 calls.
bool add_broadcast_calls(Derivation& d);

}  // namespace dse::nn
