#include "cli/limits.h"

#include <algorithm>

#include "base/suggest.h"
#include "base/unit_text.h"
#include "base/yaml.h"
#include "explore/sweep_fields.h"

namespace dse::cli {
namespace {

/// A metric, or a memory whose peak is meant. Empty: neither.
std::string metric_of(const std::string& name) {
  if (!explore::metric_unit(name).empty()) return name;
  const auto peak = "memories." + name + ".peak";
  return explore::metric_unit(peak).empty() ? "" : peak;
}

}  // namespace

void add_limit(const std::string& text, const std::string& option, explore::SweepSpec& spec, Diagnostics& d) {
  const auto equals = text.find('=');
  const auto metric = metric_of(text.substr(0, equals));
  if (equals == std::string::npos || metric.empty())
    return d.error({option, 0, 0}, "'" + text + "' is no limit: write l1=64KiB");
  const auto kind = explore::metric_unit(metric);
  const auto& unit = kind == "bytes" ? unit::bytes : kind == "microseconds" ? unit::time : explore::energy_unit;
  const auto value = parse_quantity(text.substr(equals + 1), unit);
  if (!value.value) return d.error({option, 0, 0}, value.error);
  const double base = kind == "bytes" ? 1 : kind == "microseconds" ? 1e3 : 1e6;  // of the unit in that of the metric
  const explore::Constraint added{metric, value.value->value() / base, {option, 0, 0}};
  for (auto& c : spec.constraints)
    if (c.metric == added.metric) {  // the stored sweep names each metric once: the tighter limit says it all
      if (added.limit < c.limit) c = added;
      return;
    }
  spec.constraints.push_back(added);
}

void set_objectives(const std::vector<std::string>& names, explore::SweepSpec& spec, Diagnostics& d) {
  if (names.empty()) return;
  spec.objectives.clear();
  for (const auto& name : names) {
    const auto metric = metric_of(name);
    if (metric.empty())
      d.error({"--objective", 0, 0}, "no metric " + quote(name), "metrics are " + join_or(explore::metric_names()));
    else if (std::count(spec.objectives.begin(), spec.objectives.end(), metric) > 0)
      d.error({"--objective", 0, 0}, "lists " + quote(name) + " twice");
    else
      spec.objectives.push_back(metric);
  }
}

}  // namespace dse::cli
