// Chains of operations that run stripe by stripe, so that only some rows of the tensors between them are held. By the
// rules of Vela 3.10 (ethosu/vela/cascade_builder.py).
#pragma once
#include "plan/npu/costs.h"

namespace dse::plan::npu {

/// Every operation in the fewest rows that the next one needs.
Schedule smallest_stripes(Costs& costs);
/// Every operation whole.
Schedule whole_operations(Costs& costs);

/// Rows of the last operation of [first, last] given, those of the others follow. Weights are staged as in `like`.
Schedule with_stripes(Costs& costs, const Schedule& like, int first, int last, int rows);

/// Groups operations [first, last] of a schedule in stripes into cascades, where that takes less memory than running
/// them whole as in `whole`; what is in no cascade runs whole. `others`: bytes that lie there meanwhile, by operation.
void build_cascades(Costs& costs, Schedule& striped, const Schedule& whole, int first, int last,
                    const std::vector<std::int64_t>& others, std::int64_t limit);

/// Tensors that are needed whole, and not row by row: by who reads them, by who makes them.
bool whole_input(const Costs& costs, int tensor);
bool whole_output(const Costs& costs, const Operation& o);

/// Operation i runs alone: bytes of its operands and its weights.
std::int64_t alone_bytes(const Costs& costs, const OperationPlan& plan, int i);

}  // namespace dse::plan::npu
