// How far the times of a case can be trusted: what was measured on silicon, and what the device's tables leave out.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "explore/question/case.h"

namespace dse::explore {

/// By how much times on a device are known to be off, in parts of what was measured.
struct KnownError {
  double share = 0;               // 0: nobody has measured it
  double least = 0;               // of several devices, whose largest is `share`
  std::vector<std::string> of{};  // shipped devices that it was measured on; empty: this one
  bool known() const { return share > 0; }
  /// Silicon may be on the other side of this limit than a time in the same unit.
  bool open(double time, double limit) const;
  /// "± 10 %".
  std::string text() const;
};
/// The device's own timing_error; or else those of shipped devices whose price list it shares, that is every rate of
/// the engine that computes everything. Not of devices with an NPU: its times are not in that list.
KnownError known_error(const hw::Device& device);

/// Points that are faster than a smaller one by less than the device's timing error are marked so (Point::as_fast_as),
/// and a note says how many; of a front of memory and latency alone. Sets front.accuracy from the device's rows of
/// measured silicon: the error of the layer-by-layer plan (TFLM today) where a network of this structure was measured,
/// else that it was not. What counts is the structure that a row gives, or that of the shipped network it names.
void judge_accuracy(const Case& c, Front& front);

/// Beside fronts, one per case: where the error of times leaves it open whether a limit on latency is kept, and why
/// devices take one and the same number of cycles.
void tell_errors(const std::vector<Case>& cases, std::vector<Front>& fronts);

/// What a reader of this case's times must know: that they do not depend on the speed of memories where the engine's
/// table has no cycles per access; that 16-bit work is timed like 8-bit work where the table has one rate for both.
/// Decided by what the table holds, one line each.
std::vector<std::string> timing_notes(const Case& c);

}  // namespace dse::explore
