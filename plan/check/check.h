// An independent validator of lowered programs: it shares no code with the planners and knows tasks only through their
// kinds.
#pragma once
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "program/program.h"

namespace dse::plan {

enum class FindingKind {
  malformed,  // structure: loops, slots, queues, sections, ports, preloads, arenas without a memory
  fit,        // an arena larger than what its memory has free
  bounds,     // an access outside its arena, or outside every buffer that lives in its section
  lifetime,   // two buffers that live at once share bytes
  race,       // two tasks touch the same bytes, one writes, nothing orders them
  undefined,  // a read of bytes that nothing wrote, or that another buffer left behind
  constants,  // a write to the constants image or to resident weights
  input,      // an input that the caller keeps is overwritten; one that comes in as a stream is read again or backwards
  output,     // an output port with bytes that are not its tensor's at the end
  reach,      // an engine that cannot reach a memory it works on, or cannot do such a task
  deadlock,   // a dependency on a task that is not issued before
  quiescence,  // a task in flight at a point that is listed as quiescent
};
const char* name_of(FindingKind k);

struct Finding {
  FindingKind kind = FindingKind::malformed;
  std::string message;  // names layer, kind of task, tile, memory and addresses, as far as they apply
};

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

/// One line per finding: "race: conv3 copy tile 2 ...".
std::string to_string(const std::vector<Finding>& findings);

}  // namespace dse::plan
