// The metrics that objectives and limits speak of.
#pragma once
#include <string>
#include <vector>

#include "base/unit_text.h"

namespace dse::explore {

/// Words for a metric's unit: "bytes", "microseconds", "microjoules"; empty: there is no such metric. Known are
/// `memory`, `latency`, `energy`, `traffic` and `memories.<name>.peak`.
std::string metric_unit(const std::string& metric);
/// `memory`, `latency`, `energy`, `traffic`, `memories.<name>.peak`.
const std::vector<std::string>& metric_names();
/// Joules and their thousandths, for limits on `energy`; base: pJ.
extern const Unit energy_unit;

}  // namespace dse::explore
