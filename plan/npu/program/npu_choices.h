// What there is to decide about a network's schedule on an NPU, by name.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/choices/assignment.h"
#include "plan/npu/program/compiled.h"

namespace dse::plan::npu {

/// What a search tries of the fast memory, between what a rule for size and one for performance take.
constexpr int kLimits = 24;

/// `count - 1` limits between both, in equal steps; none where they are the same.
std::vector<std::int64_t> limits_between(std::int64_t low, std::int64_t high, int count);

/// What a search decides and an assignment may say (npu_plan.h: decisions_of): rule, limit, formats; of each operation
/// its block and where its weights lie. What an operator of the CPU does is no choice; where all are, there is none.
std::vector<ChoiceInstance> list_choices(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu);

}  // namespace dse::plan::npu
