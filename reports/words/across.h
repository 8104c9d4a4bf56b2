// The fronts of all points of one device, compared with each other, in words.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "reports/words/document.h"

namespace dse::reports {

/// Square millimetres -> "0.8125 mm2", four significant digits.
std::string area_text(double mm2);

/// "96.14 %", "-" where nothing is known; "31.20 % (proxy)".
std::string accuracy_text(const explore::NetworkFacts& facts);
/// "fc0.block=64 bits=8", and the device where it has axes of its own.
std::string variant_text(const explore::Front& front);

/// "resnet8 over 3 points of gap8-class: 14 points in memory, latency and area are left".
std::string across_headline(const explore::Across& across);

/// A row per point of the device: its area, how many points of its front are left and which of them is smallest and
/// fastest. Columns without anything to say are left out.
Table across_table(const explore::Sweep& sweep, const explore::Across& across);

/// Both, for a terminal; a line each.
std::vector<std::string> across_summary(const explore::Sweep& sweep, const explore::Across& across);

/// "yes" or "no": whether the point is left among those of its device's other points. Empty where it has none, and for
/// plans beside the front.
std::string across_word(const explore::Sweep& sweep, std::size_t front, const explore::Point& point);

}  // namespace dse::reports
