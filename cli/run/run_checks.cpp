#include "cli/run/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/suggest.h"
#include "base/unit_text.h"
#include "base/yaml/yaml.h"
#include "cli/common/lookup.h"
#include "explore/question/allowed.h"
#include "explore/question/goal.h"
#include "explore/space/orders.h"
#include "plan/choices/choice.h"
#include "plan/document/document.h"
#include "plan/network/layers.h"

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

/// Each order that the sweep allows is one of some network.
void check_orders(const std::vector<std::string>& values, const explore::SweepSpec& spec, const Location& where,
                  const std::vector<explore::Case>& cases, Diagnostics& diagnostics) {
  const auto found = spec.values_at.find("network.order");
  const auto places = found == spec.values_at.end() ? std::vector<Location>{} : found->second;
  for (std::size_t v = 0; v < values.size(); ++v) {
    std::string problem;
    std::size_t at = 0;
    const bool fits = std::any_of(cases.begin(), cases.end(), [&](const auto& c) {
      problem = explore::Orders::check(*c.network, values[v], &at);
      return problem.empty();
    });
    if (fits) continue;
    const bool by_layer = places.size() > values.size();
    const auto place = by_layer ? at : v;
    diagnostics.error(place < places.size() ? places[place] : where, "choices.network.order: " + problem,
                      "the order is `searched`, `file`, or the names of all layers, as a list or with commas between "
                      "them");
  }
}

/// A choice of the sweep against the networks and devices there are.
void check_choice(const std::string& key, const std::vector<std::string>& values, const explore::SweepSpec& spec,
                  const std::vector<explore::Case>& cases, Diagnostics& diagnostics) {
  static const auto registry = plan::ChoiceRegistry::standard();
  const auto [layer, name] = explore::split_choice(key);
  const auto at = spec.choices_at.find(key);
  const Location where = at == spec.choices_at.end() ? Location{spec.file, 0, 0} : at->second;
  if (key == "network.input") {  // its values are known to the reader
    const bool camera =
        std::any_of(cases.begin(), cases.end(), [](const auto& c) { return c.device->input_from >= 0; });
    if (!camera && values.front() == plan::name_of(plan::shared::Input::streamed))
      diagnostics.error(where, "choices.network.input: no device has a memory that inputs come from",
                        "a device names it in input_from");
    return;
  }
  if (key == "network.order") return check_orders(values, spec, where, cases, diagnostics);
  if (!layer.empty()) {
    std::vector<std::string> layers;
    for (const auto& c : cases)
      for (const int op : plan::layers_of(*c.network, true)) layers.push_back(c.network->operators[op].name);
    if (std::count(layers.begin(), layers.end(), layer) == 0) {
      const auto guess = nearest(layer, layers);
      diagnostics.error(where, fmt::format("choices.{}: no network has a layer {}", key, quote(layer)),
                        guess.empty() ? "" : "did you mean " + guess + "?");
      return;
    }
  }
  const auto* choice = registry.find(name);
  for (const auto& value : values) {
    const bool known = choice != nullptr && std::any_of(cases.begin(), cases.end(), [&](const auto& c) {
                         return choice->parse(*c.device, value).has_value();
                       });
    if (!known) diagnostics.error(where, fmt::format("choices.{}: no device has {}", key, quote(value)));
  }
}

/// Where all devices have an NPU; beside others it is a note of the fronts.
void check_npu_choices(const explore::SweepSpec& spec, const std::vector<explore::Case>& cases,
                       Diagnostics& diagnostics) {
  const auto other = [](const auto& c) { return c.device->npu() < 0; };
  if (cases.empty() || std::any_of(cases.begin(), cases.end(), other)) return;
  for (const auto& key : explore::none_of_npu(spec.choices)) {
    const auto at = spec.choices_at.find(key);
    diagnostics.error(at == spec.choices_at.end() ? Location{spec.file, 0, 0} : at->second,
                      fmt::format("choices.{}: no device has this choice: schedules of an NPU have others", key),
                      "npu.rule, npu.limit, npu.formats and, of each operation, block and weights; a plan document or "
                      "an assignment can have them");
  }
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
                        "there is " + join_or(memories) +
                            "; other metrics are memory, ram, latency, energy, traffic, area, weights and accuracy");
      known = false;
    }
  for (const auto& c : cases) {
    if (!known) break;
    explore::check_case(spec, c, diagnostics);
    known = !diagnostics.has_errors();
  }
  for (const auto& [key, values] : spec.choices) check_choice(key, values, spec, cases, diagnostics);
  check_npu_choices(spec, cases, diagnostics);
  for (const auto& file : spec.plans) check_plan(file, cases, diagnostics);
}

std::vector<std::string> networks_among(std::vector<std::string>& devices) {
  if (devices.size() < 2) return {};
  const auto known = library_networks();
  const auto is_device = [&](const std::string& text) {
    const auto extension = std::filesystem::path(text).extension();
    return extension != ".tflite" && extension != ".onnx" && extension != ".dsenet" &&
           std::find(known.begin(), known.end(), text) == known.end();
  };
  const auto first = std::stable_partition(devices.begin() + 1, devices.end(), is_device);
  std::vector<std::string> networks(first, devices.end());
  devices.erase(first, devices.end());
  return networks;
}

std::int64_t memory_of(const std::string& text, Diagnostics& d) {
  const auto bytes = parse_whole(text, unit::bytes).value.value_or(0);
  if (bytes >= explore::kLeastMemory) return bytes;
  d.error({"--memory", 0, 0}, "'" + text + "' is not a size of 16 MiB or more", "--memory 1GiB");
  return 0;
}

}  // namespace dse::cli
