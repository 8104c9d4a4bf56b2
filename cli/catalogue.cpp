// dse devices, dse networks: what is shipped, a line each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/unit_text.h"
#include "cli/command.h"
#include "cli/common/lookup.h"
#include "models/hw/library.h"
#include "reports/words/across.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using nlohmann::ordered_json;

struct Entry {
  std::string name, text;
  ordered_json json;
};

Entry device_entry(const std::string& name, const hw::Device& d) {
  Entry e{name, format_quantity({d.clock_hz, 1}, unit::frequency), {{"name", name}, {"clock_hz", d.clock_hz}}};
  if (!d.aliases.empty()) e.text = fmt::format("also {}; {}", fmt::join(d.aliases, ", "), e.text);
  e.json["aliases"] = d.aliases;
  e.json["kernel_library"] = d.kernel_library;
  e.json["memories"] = e.json["engines"] = ordered_json::array();
  std::string engines, memories;
  for (const auto& engine : d.engines) {
    const auto rows = engine.cycles_by_shape.size();
    engines += fmt::format("{}{} ({}{})", engines.empty() ? "" : ", ", engine.name, hw::name_of(engine.kind),
                           rows > 0 ? fmt::format(" of {} shapes", rows) : "");
    e.json["engines"].push_back({{"name", engine.name}, {"kind", hw::name_of(engine.kind)}});
    if (rows > 0) e.json["engines"].back()["shapes"] = rows;
  }
  for (const auto& m : d.memories) {
    memories += fmt::format("{}{} {}{}", memories.empty() ? "" : ", ", m.name,
                            format_quantity({m.size, 1}, unit::bytes), m.on_chip ? "" : " off the chip");
    e.json["memories"].push_back({{"name", m.name}, {"size_bytes", m.size}, {"on_chip", m.on_chip}});
  }
  e.text += "; " + engines + "; " + memories;
  const auto area = d.area_mm2();
  e.json["area_mm2"] = area ? ordered_json(*area) : ordered_json();
  if (area) e.text += "; " + reports::area_text(*area);
  e.text += "; timed as " + d.kernel_library;
  e.json["validated"] = d.validated.size();
  if (!d.validated.empty())
    e.text += fmt::format("; {} network{} measured", d.validated.size(), d.validated.size() == 1 ? "" : "s");
  e.json["timing_error"] = d.timing_error > 0 ? ordered_json(d.timing_error) : ordered_json();
  if (d.timing_error > 0) e.text += fmt::format("; times ± {:.2g} %", 100 * d.timing_error);
  return e;
}

Entry network_entry(const std::string& name, const nn::Network& n) {
  std::string inputs, outputs;
  Entry e{name, {}, {{"name", name}, {"structure", n.structure_hash()}, {"operators", n.operators.size()}}};
  e.json["macs"] = n.macs(), e.json["parameters"] = n.parameters();
  const auto shapes = [&](const std::vector<int>& tensors, const char* key) {
    std::string text;
    e.json[key] = ordered_json::array();
    for (const int t : tensors) {
      const auto& shape = n.tensors[static_cast<std::size_t>(t)].shape;
      text += fmt::format("{}{}", text.empty() ? "" : ", ", fmt::join(shape, "x"));
      e.json[key].push_back(shape);
    }
    return text;
  };
  inputs = shapes(n.inputs, "inputs"), outputs = shapes(n.outputs, "outputs");
  e.text = fmt::format("{} operators, {} multiply-accumulates, {} parameters; {} to {}", n.operators.size(),
                       reports::grouped(n.macs()), reports::grouped(n.parameters()), inputs, outputs);
  return e;
}

void print(const std::vector<Entry>& entries, bool json) {
  if (json) {
    auto all = ordered_json::array();
    for (const auto& e : entries) all.push_back(e.json);
    fmt::print("{}\n", all.dump(2));
    return;
  }
  std::size_t width = 0;
  for (const auto& e : entries) width = std::max(width, e.name.size());
  for (const auto& e : entries) fmt::print("{:<{}}  {}\n", e.name, width, e.text);
}

template <class Load, class Describe>
int list(const std::vector<std::string>& names, bool json, const Load& load, const Describe& describe) {
  Diagnostics d;
  std::vector<Entry> entries;
  for (const auto& name : names)
    if (const auto loaded = load(name, d)) entries.push_back(describe(name, *loaded));
  print(entries, json);
  return report(d);
}

}  // namespace

void add_devices(CLI::App& app, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("devices", "List the devices that can be called by name");
  command->add_flag("--json", *json, "print JSON");
  command->callback([json, &invocation] {
    invocation.exit = list(
        hw::library_devices(), *json, [](const auto& name, Diagnostics& d) { return load_device(name, d); },
        device_entry);
  });
}

void add_networks(CLI::App& app, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("networks", "List the networks that can be called by name");
  command->add_flag("--json", *json, "print JSON");
  command->callback([json, &invocation] {
    invocation.exit = list(
        library_networks(), *json, [](const auto& name, Diagnostics& d) { return load_network(name, d); },
        network_entry);
  });
}

}  // namespace dse::cli
