// Admissible bounds on what a program costs: the same tasks, order and dependencies, but every transfer has its ports
// to itself.
#pragma once
#include <limits>

#include "explore/question/goal.h"
#include "models/hw/cost_model.h"
#include "program/program.h"

namespace dse::explore {

/// Ticks from the first issue to the end of the last Wait, never above what the platform measures: in-order queues with
/// fixed dependencies are a max-plus system, in which shorter tasks never end anything later, and contention, full
/// queues and kernel switches (all left out here) only make tasks longer or later. What adds up by
/// tasks follows from the program alone: it is exactly what the platform measures. What adds up by time, as leakage
/// does, is that of these ticks. Where the ticks reach `enough` before the end, that is all: every cost is what it is
/// by then.
Costs cost_bound(const program::Program& program, const std::vector<program::ArenaBinding>& binding,
                 const hw::DeviceTiming& timing, std::int64_t enough = std::numeric_limits<std::int64_t>::max());

}  // namespace dse::explore
