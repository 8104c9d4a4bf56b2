// One line of JSON as an assignment: {"conv0.scheme": "planar", "conv0.tile": 4, "device.memories.l1.size": "32 KiB"}.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "plan/choices/assignment.h"

namespace dse::explore {

struct AssignmentLine {
  std::string id;                             // JSON text of the reserved key "id", a string or a number; empty: none
  plan::Assignment choices;                   // everything else, by name
  std::map<std::string, std::string> device;  // what stood as "device.<path>", by path
};

/// Reads one JSON object of strings, numbers and booleans, and nothing else. A number becomes its text: 4, 4.0 and "4"
/// are the same value. False after diagnostics: malformed JSON, a nested or null value, a name given twice; each has
/// its column (bytes, counted from 1), line and file are the caller's business. `out.id` is what was read until then.
bool read_assignment_line(std::string_view text, AssignmentLine& out, Diagnostics& diags);

}  // namespace dse::explore
