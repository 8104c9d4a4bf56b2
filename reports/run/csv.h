// The points of a sweep as a table, one row per point, for spreadsheets and scripts.
#pragma once
#include <string>

#include "explore/measure/results.h"

namespace dse::reports {

/// One row per front point and marked point of every front, in a fixed order, no dates: equal sweeps give equal bytes.
/// Columns are described in docs/run/report.md; fields are quoted as in RFC 4180, lines end in LF. A front without
/// points has one row, behind all points, with an empty id and the reason. `latency_us`, `energy_uj` have three
/// decimals; a plan that was not timed (latency 0) leaves both latency fields empty, one whose energy is not known that
/// of energy.
std::string front_csv(const explore::Sweep& sweep);

/// Of the same points in the same order, by layer and cause, where devices take energy apart: a row per layer, block of
/// the device and cause that takes any. A point's rows add up to its energy. Empty where no point says.
std::string energy_csv(const explore::Sweep& sweep);

/// Text as a field, in quotes where it needs them. What a spreadsheet would take for a formula (it begins with =, +, -,
/// @, a tab or a carriage return, and is no number) has an apostrophe before it, as spreadsheets write text themselves.
std::string csv_field(const std::string& text);

}  // namespace dse::reports
