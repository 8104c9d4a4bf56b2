// The axes of the space that a search can be kept from, to see what each adds.
#pragma once
#include <string>
#include <vector>

#include "explore/question/sweep.h"

namespace dse::explore {

/// Something that a search may decide, and that it can be kept from deciding.
struct SpaceAxis {
  const char* name;
  void (*leave_out)(SweepSpec&);
};

/// order, phases, in-place, tiles, techniques, batches, buffering, prefetch (docs/run/search.md, "What each axis
/// adds").
const std::vector<SpaceAxis>& space_axes();
/// Their names, as sweep files and command lines have them.
std::vector<std::string> axis_names();

}  // namespace dse::explore
