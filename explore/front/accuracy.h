// How far the times of a case can be trusted: what was measured on silicon, and what the device's tables leave out.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "explore/question/case.h"

namespace dse::explore {

/// Points that are faster than a smaller one by less than the device's timing error are marked so (Point::as_fast_as),
/// and a note says how many; of a front of memory and latency alone. Sets front.accuracy from the device's rows of
/// measured silicon: the error of the layer-by-layer plan (TFLM today) where a network of this structure was measured,
/// else that it was not. What counts is the structure that a row gives, or that of the shipped network it names.
void judge_accuracy(const Case& c, Front& front);

/// What a reader of this case's times must know: that they do not depend on the speed of memories where the engine's
/// table has no cycles per access; that 16-bit work is timed like 8-bit work where the table has one rate for both.
/// Decided by what the table holds, one line each.
std::vector<std::string> timing_notes(const Case& c);

}  // namespace dse::explore
