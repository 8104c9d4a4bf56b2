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

/// What is proven covers plans with runs of layers by phases too.
bool covers_runs(const explore::Front& front);

/// The front is complete, and that covers all of its points.
bool all_complete(const explore::Front& front);

/// Of a front without points, what is known: "no feasible plan"; "no plan" where there was no memory to find one; "no
/// plan found within the budget".
const char* none_text(const explore::Front& front);

/// "complete"; "not complete, proven within 3.2 % (each point within 12 %)"; "not complete". Where there are points
/// that are not decided layer by layer, "layer by layer" goes before: it says nothing of them.
std::string completeness_text(const explore::Front& front);

/// What is decided of single layers in the plans that this speaks of.
std::string certified_text(const explore::Front& front);

/// "with 96 runs of layers by phases, in the file's order, proven within 0.8 % (each point within 5 %)"; empty where
/// these are not certified.
std::string runs_text(const explore::Front& front);

/// "12 points by phases and 1 given point stand outside the certificate"; empty where none does. Those by phases do not
/// where runs of layers are certified.
std::string outside_text(const explore::Front& front);

/// A stretch of the lower bound: from each step's memory on, no plan that is certified takes fewer ticks.
struct BoundPart {
  std::vector<explore::Front::Dot> steps;  // in ascending order of memory
  bool open = true;                        // it goes on beyond the last step; else the last step is where it ends
};

/// The bound where it may be drawn. Beside points outside of the certificate that is over the range of those inside,
/// and in any case not where a plan that is shown lies below it.
std::vector<BoundPart> bound_parts(const explore::Front& front);

}  // namespace dse::reports
