// Building blocks of Operator::calls for derivations whose operators are more than one plain call.
#pragma once
#include <vector>

#include "models/nn/graph/derivation.h"
#include "models/nn/graph/views.h"

namespace dse::nn {

/// A row-major operand of these extents with elements of `elem` bytes, without a base.
dse_view dense_view(const Extents& e, std::int64_t elem);
/// The same as one row of one column.
dse_view flat_view(std::int64_t elements, std::int64_t elem);
/// Operand of a call: a tensor, from `offset` bytes on.
KernelCall::Operand bound(int tensor, const dse_view& view, std::int64_t offset = 0);
/// Operand of a call: the operator's own constants.
KernelCall::Operand own(const dse_view& view);

/// Sets the extents of a flat kind (one row, one column) and the operator's rounding mode.
void set_flat_extents(const Derivation& d, dse_op& k, std::int64_t in, std::int64_t out);
/// Fills in_type, out_type and act_min, act_max (the output type's limits) from input 0 and output 0; booleans count as
/// bytes.
void set_types(const Derivation& d, dse_op& k);

/// Appends the call of a flat kind over all of OUT, with IN0 and OUT as dense tensors.
void add_flat_call(Derivation& d);

/// Input `i` and output `o` have one type, and constants among the inputs have bytes to read.
bool same_type(Derivation& d, std::size_t i = 0, std::size_t o = 0);
/// A constant input is there as bytes.
bool has_bytes(Derivation& d, std::size_t i);

}  // namespace dse::nn
