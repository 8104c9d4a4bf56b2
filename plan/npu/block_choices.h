// Blocks beside the rule's that are worth a simulation.
#pragma once
#include <vector>

#include "plan/npu/costs.h"

namespace dse::plan::npu {

/// The `count` blocks of an operation that take least by themselves: for every block the longest of what the MAC unit,
/// the output unit and both directions of the memory take, parts of blocks as they are. Those whose channels fit the
/// plan's slices.
std::vector<hw::ethos_u::BlockConfig> quick_blocks(const Costs& costs, int operation, const OperationPlan& plan,
                                                   int count);

}  // namespace dse::plan::npu
