// An independent validator of lowered programs: it shares no code with the planners and knows tasks only through their
// kinds.
#pragma once
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "plan/check/finding.h"
#include "program/program.h"

namespace dse::plan {

/// Proves that `program`, each arena in the memory of `device` that has its name, is valid: everything fits, buffers
/// alive at once are disjoint, conflicting tasks are ordered (by dependencies, in-order queues and Waits, never by
/// timing), every byte read was written by an earlier task or given, outputs are complete, inputs
/// that the caller keeps are as they were, engines reach their
/// operands, and control cannot wait for ever. (A DMA's dimensions are no limit: a copy that one descriptor cannot
/// express takes several, at their cost.) Input ports in the device's `input_from` are read once and in order. A buffer
/// belongs to the sections first..last; two tensor buffers of equal range may meet in the one section where the first
/// ends and the second begins (an operator in place). @returns all findings, similar ones once, at most 64; empty =
/// valid.
std::vector<Finding> check(const program::Program& program, const hw::Device& device);

}  // namespace dse::plan
