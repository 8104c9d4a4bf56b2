// dse choices: what can be decided about a network on a device, for people and for optimisers outside of this program.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/device_options.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "models/hw/ethos_u/of_device.h"
#include "plan/choices/assignment.h"
#include "plan/npu/program/npu_choices.h"

namespace dse::cli {
namespace {

struct ChoicesOptions {
  std::string network, device;
  std::vector<std::string> set;
  nn::LoadOptions load;
  bool json = false;
};

/// What the choice is when nothing is given; empty: then it does not exist.
std::string default_of(const plan::ChoiceInstance& c) {
  return std::count(c.values.begin(), c.values.end(), c.fallback) > 0 ? c.fallback : std::string();
}

std::string as_json(const ChoicesOptions& o, const std::vector<plan::ChoiceInstance>& choices) {
  nlohmann::ordered_json out;
  out["network"] = o.network;
  out["device"] = o.device;
  auto& list = out["choices"] = nlohmann::ordered_json::array();
  for (const auto& c : choices) {
    const auto value = default_of(c);
    list.push_back({{"name", c.name},
                    {"values", c.values},
                    {"default", value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(value)},
                    {"conditional", c.conditional},
                    {"doc", c.doc}});
  }
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// One choice per line; what a name means once, below.
std::string as_text(const std::vector<plan::ChoiceInstance>& choices) {
  std::size_t names = 0, defaults = 0;
  for (const auto& c : choices) {
    names = std::max(names, c.name.size());
    defaults = std::max(defaults, std::max<std::size_t>(1, default_of(c).size()));
  }
  std::string out;
  std::vector<std::pair<std::string, std::string>> docs;
  for (const auto& c : choices) {
    out += fmt::format("{:<{}}  {:<{}}  {}{}\n", c.name, names, default_of(c).empty() ? "-" : default_of(c), defaults,
                       fmt::join(c.values, " "), c.conditional ? "  *" : "");
    // One may be called as a choice of the layers is.
    const bool whole = c.name.starts_with("network.") || c.name.starts_with("npu.");
    const auto last = whole ? c.name : c.name.substr(c.name.rfind('.') + 1);
    const auto known = [&](const auto& d) { return d.first == last; };
    if (std::none_of(docs.begin(), docs.end(), known)) docs.emplace_back(last, c.doc);
  }
  out +=
      fmt::format("\n{} choices: name, default, values; * exists, or offers all of them, only in some combinations\n",
                  choices.size());
  for (const auto& [name, doc] : docs) out += fmt::format("  {}: {}\n", name, doc);
  return out;
}

int list(const ChoicesOptions& o) {
  Diagnostics d;
  const auto network = cli::load_network(o.network, d, o.load);
  const auto device = load_device(o.device, d, o.set);
  if (const int code = report(d)) return code;
  const auto npu = hw::ethos_u::npu_of(*device);
  const auto choices = npu ? plan::npu::list_choices(network, npu->npu) : plan::list_choices(*network, *device);
  fmt::print("{}", o.json ? as_json(o, choices) : as_text(choices));
  return Exit::ok;
}

}  // namespace

void add_choices(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ChoicesOptions>();
  auto* command = app.add_subcommand("choices", "List what can be decided about a network on a device");
  command->add_option("network", options->network, "network file or name")->required();
  command->add_option("--device,-d", options->device, "device file or name")->required();
  add_set_option(*command, options->set);
  add_network_options(*command, options->load);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &invocation] { invocation.exit = list(*options); });
}

}  // namespace dse::cli
