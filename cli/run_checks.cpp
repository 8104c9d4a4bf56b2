#include "cli/run_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/yaml.h"
#include "explore/goal.h"
#include "plan/choice.h"
#include "plan/plan.h"

namespace dse::cli {
namespace {

std::vector<std::string> memories_of(const std::vector<explore::Case>& cases) {
  std::vector<std::string> names;
  for (const auto& c : cases)
    for (const auto& m : c.device->memories)
      if (std::count(names.begin(), names.end(), m.name) == 0) names.push_back(m.name);
  return names;
}

std::string name_in(const yaml::Node& root, const char* owner) {
  const auto* o = root.find(owner);
  const auto* name = o ? o->find("name") : nullptr;
  return name ? name->text : "";
}

void check_plan(const std::string& file, const std::vector<explore::Case>& cases, Diagnostics& diagnostics) {
  const auto text = yaml::load(file, diagnostics);
  const auto root = text ? yaml::parse(*text, file, diagnostics) : std::nullopt;
  if (!root) return;
  const auto network = name_in(*root, "network"), device = name_in(*root, "device");
  Diagnostics first;
  bool tried = false;
  for (const auto& c : cases) {
    if (c.network->name != network || c.device->name != device) continue;
    Diagnostics own;
    if (plan::read_plan_text(*text, file, *c.network, *c.device, own)) return;
    if (!tried) first = own;
    tried = true;
  }
  if (!tried)
    diagnostics.error({file, 0, 0}, fmt::format("is a plan for network {} on device {}, which this sweep does not have",
                                                quote(network), quote(device)));
  for (const auto& d : first.list()) diagnostics.add(d);
}

}  // namespace

void check_against_devices(const explore::SweepSpec& spec, const std::vector<explore::Case>& cases,
                           Diagnostics& diagnostics) {
  const auto memories = memories_of(cases);
  const std::string head = "memories.", tail = ".peak";
  const auto unknown = [&](const std::string& metric) {
    if (metric.compare(0, head.size(), head) != 0) return std::string();
    const auto name = metric.substr(head.size(), metric.size() - head.size() - tail.size());
    return std::count(memories.begin(), memories.end(), name) == 0 ? name : std::string();
  };
  bool known = true;
  for (const auto& c : spec.constraints)
    if (const auto name = unknown(c.metric); !name.empty()) {
      diagnostics.error(c.where, "no device has a memory " + quote(name), "there is " + join_or(memories));
      known = false;
    }
  for (const auto& o : spec.objectives)
    if (const auto name = unknown(o); !name.empty()) {
      diagnostics.error({spec.file, 0, 0}, "objectives: no device has a memory " + quote(name),
                        "there is " + join_or(memories) + "; other metrics are memory, latency, energy and traffic");
      known = false;
    }
  for (const auto& c : cases) {
    if (!known) break;
    explore::check_goal(spec, *c.device, c.device_label, diagnostics);
    known = !diagnostics.has_errors();
  }
  const auto registry = plan::ChoiceRegistry::standard();
  for (const auto& [name, values] : spec.choices)
    for (const auto& value : values) {
      const auto* choice = registry.find(name);
      const bool known = choice != nullptr && std::any_of(cases.begin(), cases.end(), [&](const auto& c) {
                           return choice->parse(*c.device, value).has_value();
                         });
      if (!known) diagnostics.error({spec.file, 0, 0}, fmt::format("choices.{}: no device has {}", name, quote(value)));
    }
  for (const auto& file : spec.plans) check_plan(file, cases, diagnostics);
}

}  // namespace dse::cli
