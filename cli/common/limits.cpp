#include "cli/common/limits.h"

#include <algorithm>
#include <optional>

#include "base/suggest.h"
#include "base/unit_text.h"
#include "base/yaml/yaml.h"
#include "deploy/export/kernels.h"
#include "explore/question/flash.h"
#include "explore/question/metric.h"

namespace dse::cli {
namespace {

/// A metric, or a memory whose peak is meant. Empty: neither.
std::string metric_of(const std::string& name) {
  if (!explore::metric_unit(name).empty()) return name;
  const auto peak = "memories." + name + ".peak";
  return explore::metric_unit(peak).empty() ? "" : peak;
}

/// Of a figure that is not searched for, which a memory may have the name of. False after a diagnostic.
bool is_searched(const std::string& name, const std::string& option, Diagnostics& d) {
  const auto why = explore::why_not_searched(name);
  if (!why.empty()) d.error({option, 0, 0}, why, "what lies in a memory of this name is memories." + name + ".peak");
  return why.empty();
}

}  // namespace

void add_limit(const std::string& text, const std::string& option, explore::SweepSpec& spec, Diagnostics& d) {
  const auto equals = text.find('=');
  if (!is_searched(text.substr(0, equals), option, d)) return;
  const auto metric = metric_of(text.substr(0, equals));
  if (equals == std::string::npos || metric.empty())
    return d.error({option, 0, 0}, "'" + text + "' is no limit: write l1=64KiB");
  const auto value = explore::parse_metric(text.substr(equals + 1), explore::metric_unit(metric));
  if (!value.value) return d.error({option, 0, 0}, value.error);
  const explore::Constraint added{metric, *value.value, {option, 0, 0}};
  for (auto& c : spec.constraints)
    if (c.metric == added.metric) {  // the stored sweep names each metric once: the tighter limit says it all
      if (added.limit < c.limit) c = added;
      return;
    }
  spec.constraints.push_back(added);
}

void add_kernels_option(CLI::App& command, std::string& kernels) {
  command
      .add_option("--kernels", kernels,
                  "whose kernels a package will call, which ram counts: reference, cmsis-nn, own; default: reference")
      ->check(CLI::IsMember(deploy::kernel_set_names()));
}

double read_share(const std::string& text, const std::string& option, Diagnostics& d) {
  auto digits = text;
  const bool percent = digits.ends_with("%");
  if (percent) digits.pop_back();
  while (digits.ends_with(" ")) digits.pop_back();
  const auto value = parse_quantity(digits, unit::ratio);
  const double share = value.value ? value.value->value() / (percent ? 100 : 1) : -1;
  if (share >= 0 && share <= 10) return share;
  d.error({option, 0, 0}, quote(text) + " is no share from 0 to 1000 %", "write 1% or 0.01");
  return -1;
}

namespace {

/// Path and value of `--set` PATH=VALUE. Nothing after a diagnostic.
std::optional<yaml::Override> override_of(const std::string& text, Diagnostics& d) {
  const auto equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size())
    return yaml::Override{text.substr(0, equals), text.substr(equals + 1), {"--set", 0, 0}};
  d.error({"--set", 0, 0}, quote(text) + " sets nothing", "write memories.sram.width=16B/cycle");
  return std::nullopt;
}

}  // namespace

yaml::Overrides overrides_of(const std::vector<std::string>& texts, Diagnostics& d) {
  yaml::Overrides out;
  for (const auto& text : texts)
    if (auto one = override_of(text, d)) out.push_back(std::move(*one));
  return out;
}

void set_device_field(const std::string& text, explore::SweepSpec& spec, Diagnostics& d) {
  const auto set = override_of(text, d);
  if (!set) return;
  for (auto& device : spec.devices) {
    const auto axis = std::find_if(device.axes.begin(), device.axes.end(),
                                   [&](const explore::Axis& a) { return a.path == set->path; });
    if (axis != device.axes.end())
      *axis = {set->path, {set->value}, set->where};
    else
      device.axes.push_back({set->path, {set->value}, set->where});
  }
}

void set_objectives(const std::vector<std::string>& names, explore::SweepSpec& spec, Diagnostics& d) {
  if (names.empty()) return;
  spec.objectives.clear();
  for (const auto& name : names) {
    if (!is_searched(name, "--objective", d)) continue;
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
