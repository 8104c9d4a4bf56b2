// Blocks beside the rule's that are worth a simulation.
#pragma once
#include <optional>
#include <vector>

#include "plan/npu/costs.h"

namespace dse::plan::npu {

/// The `count` blocks of an operation that take least by themselves: for every block the longest of what the MAC unit,
/// the output unit and both directions of the memory take, parts of blocks as they are. Those whose channels fit the
/// plan's slices.
std::vector<hw::ethos_u::BlockConfig> quick_blocks(const Costs& costs, int operation, const OperationPlan& plan,
                                                   int count);

/// The block of this size. Nothing where it does not fit, or the operation's weights are not cut so.
std::optional<hw::ethos_u::BlockConfig> block_of(const Costs& costs, int operation, const OperationPlan& plan,
                                                 const hw::ethos_u::Block& ofm);

}  // namespace dse::plan::npu
