// The metrics that objectives and limits speak of.
#pragma once
#include <string>
#include <vector>

#include "base/unit_text.h"

namespace dse::explore {

/// Words for a metric's unit: "bytes", "microseconds", "microjoules"; empty: there is no such metric. Known are
/// `memory`, the costs (costs.h) and `memories.<name>.peak`.
std::string metric_unit(const std::string& metric);
/// `memory` and the costs.
std::vector<std::string> plain_metrics();
/// Those, and `memories.<name>.peak`.
const std::vector<std::string>& metric_names();
/// Joules and their thousandths, for limits on `energy`; base: pJ.
extern const Unit energy_unit;

}  // namespace dse::explore
