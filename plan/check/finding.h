// What is wrong with a lowered program.
#pragma once
#include <string>
#include <vector>

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

/// One line per finding: "race: conv3 copy tile 2 ...".
std::string to_string(const std::vector<Finding>& findings);

}  // namespace dse::plan
