// The metrics that objectives and limits speak of.
#pragma once
#include <string>
#include <vector>

#include "base/unit_text.h"

namespace dse::explore {

/// Words for a metric's unit: "bytes", "microseconds", "microjoules", "mm2", "share"; empty: there is no such metric.
/// Known are `memory`, `ram` (ram.h), the costs (costs.h), `area`, `weights`, `accuracy` and `memories.<name>.peak`.
std::string metric_unit(const std::string& metric);
/// Of the device or of the network and not of a plan, and so the same for all points of a front: area, weights,
/// accuracy.
bool is_of_case(const std::string& metric);
/// Bytes that a plan takes on the device: memory, ram, peaks.
bool is_memory(const std::string& metric);
/// A number as limits on a metric of this unit (metric_unit) are written, "20 ms", in the metric's unit.
Parsed<double> parse_metric(const std::string& text, const std::string& unit);
/// A unit that values are told in, and what one of it is in the metric's own unit (metric_unit).
struct MetricStep {
  double size;
  const char* unit;
};
/// Of a metric, ascending: "ns", "us", "ms", "s"; bytes and areas have one.
std::vector<MetricStep> metric_steps(const std::string& metric);
/// The largest of these, ascending, of which `value` is at least one; the first if it is less.
MetricStep step_of(const std::vector<MetricStep>& steps, double value);
/// "124.3 us", "20 ms", "20480 bytes": a value in the metric's unit (metric_unit) as limits on it are written, with ten
/// significant digits at most. Times and energies are in the largest unit of which there is at least one, so that what
/// was typed with ten digits or fewer reads back as typed, or as much in another unit.
std::string value_text(const std::string& metric, double value);
/// The same, where there are more digits with the last one rounded up: a limit of that much is kept by `value`.
std::string enough_text(const std::string& metric, double value);
/// All but the peaks.
std::vector<std::string> plain_metrics();
/// Those, and `memories.<name>.peak`.
const std::vector<std::string>& metric_names();

}  // namespace dse::explore
