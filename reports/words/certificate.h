// What is proven about a front, and which of its points stand outside.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::reports {

/// Points of the front that its certificate does not cover, counted by why: {"by phases", 3}.
std::map<std::string, std::int64_t> outside_points(const explore::Front& front);

/// The front is complete, and that covers all of its points.
bool all_complete(const explore::Front& front);

/// "12 points by phases and 1 given point stand outside the certificate"; empty where none does.
std::string outside_text(const explore::Front& front);

/// A stretch of the lower bound: from each step's memory on, no plan that is decided layer by layer takes fewer ticks.
struct BoundPart {
  std::vector<explore::Front::Dot> steps;  // in ascending order of memory
  bool open = true;                        // it goes on beyond the last step; else the last step is where it ends
};

/// The bound where it may be drawn. Beside points outside of the certificate that is over the range of those inside,
/// and in any case not where a plan that is shown lies below it.
std::vector<BoundPart> bound_parts(const explore::Front& front);

}  // namespace dse::reports
