// The metrics that objectives and limits speak of.
#pragma once
#include <string>
#include <vector>

#include "base/unit_text.h"

namespace dse::explore {

/// Words for a metric's unit: "bytes", "microseconds", "microjoules", "mm2", "share"; empty: there is no such metric.
/// Known are `memory`, the costs (costs.h), `area`, `weights`, `accuracy` and `memories.<name>.peak`.
std::string metric_unit(const std::string& metric);
/// Of the device or of the network and not of a plan, and so the same for all points of a front: area, weights,
/// accuracy.
bool is_of_case(const std::string& metric);
/// A number as limits on a metric of this unit (metric_unit) are written, "20 ms", in the metric's unit.
Parsed<double> parse_metric(const std::string& text, const std::string& unit);
/// All but the peaks.
std::vector<std::string> plain_metrics();
/// Those, and `memories.<name>.peak`.
const std::vector<std::string>& metric_names();

}  // namespace dse::explore
