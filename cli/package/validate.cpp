// dse validate: says what a file is, and everything that is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/yaml/yaml.h"
#include "cli/command.h"
#include "cli/common/device_options.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/plan/plan_case.h"
#include "explore/explore.h"
#include "explore/question/files/sweep_file.h"
#include "models/hw/device_reader.h"
#include "models/nn/graph/cut.h"
#include "models/nn/graph/price.h"
#include "models/nn/shapes/given.h"
#include "plan/document/document.h"
#include "plan/make/make_plan.h"

namespace dse::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::string network, device;  // that plans belong to
  nn::LoadOptions load;
  std::vector<std::string> set;
};

enum class Kind { unknown, sweep, device, network, plan };

/// By the fields that only one kind of file has.
Kind kind_of(const yaml::Node& root) {
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  if (has("networks") || has("devices") || has("explore")) return Kind::sweep;
  if (has("memories") || has("engines")) return Kind::device;
  if (has("buffers") || has("network") || has("alias_reshapes")) return Kind::plan;
  if (has("layers") || has("input")) return Kind::network;
  return Kind::unknown;
}

std::string validate_network(const std::string& file, const ValidateOptions& o, Diagnostics& d) {
  const auto n = nn::load_network(file, d, o.load);
  if (!n) return "";
  const auto host = nn::host_text(*n);
  const auto priced = nn::priced_text(*n);
  return fmt::format("network {}, {} operators, {} multiply-accumulates{}{}{}{}", n->name, n->operators.size(),
                     n->macs(), host.empty() ? "" : "; ", host, priced.empty() ? "" : "; ", priced);
}

std::string validate_device(const std::string& file, Diagnostics& d) {
  const auto v = hw::read_device(file, {}, d);
  return v ? fmt::format("device {}, {} memories, {} engines", v->name, v->memories.size(), v->engines.size()) : "";
}

std::string validate_sweep(const std::string& file, Diagnostics& d) {
  auto spec = explore::read_sweep(file, d);
  if (!spec || !find_files(*spec, d)) return "";
  const auto load = explore::load_options(*spec, d);
  std::vector<nn::NetworkPtr> read;
  for (const auto& n : spec->networks) read.push_back(nn::load_network(n.file, d, load));
  nn::check_named(read, load, file, d);
  std::int64_t points = 0;
  for (const auto& device : spec->devices) {
    std::int64_t product = 1;
    hw::read_device(device.base, {}, d);
    // One value at a time: whether values go together is found when the sweep runs.
    for (const auto& axis : device.axes) {
      product *= static_cast<std::int64_t>(axis.values.size());
      for (const auto& value : axis.values) {
        Diagnostics own;
        if (!hw::read_device(device.base, {{axis.path, value, axis.where}}, own))
          d.error(axis.where, fmt::format("{}: {} makes no device of {}", axis.path, value, device.base));
        for (const auto& e : own.list())
          if (e.where.file == axis.where.file) d.add(e);
      }
    }
    points += product;
  }
  std::size_t networks = spec->networks.size();
  for (const auto& v : spec->variants) {
    std::size_t made = 1;
    for (const auto& axis : v.axes) made *= axis.values.size();
    networks += made;
  }
  return fmt::format("sweep of {} network{}{} on {} device point{}", networks, networks == 1 ? "" : "s",
                     spec->variants.empty() ? "" : ", variants counted", points, points == 1 ? "" : "s");
}

std::string validate_plan(const std::string& file, const yaml::Node& root, const ValidateOptions& o, Diagnostics& d) {
  const auto network = cli::load_network(o.network.empty() ? word_in(root, "network", "name") : o.network, d, o.load);
  const auto device = load_device(o.device.empty() ? word_in(root, "device", "name") : o.device, d, o.set);
  if (!network || !device) {
    d.note({file, 0, 0},
           "a plan is checked against its network and device: name their files with --network and --device");
    return "";
  }
  const auto plan = plan::read_plan(file, *network, *device, d);
  return plan ? fmt::format("plan {} of {} on {}, {} bytes on chip", plan->id(), network->name, device->name,
                            plan::on_chip_memory(*device, plan->heights))
              : "";
}

std::string validate(const std::string& file, const ValidateOptions& o, Diagnostics& d) {
  // What is no YAML can only be a network.
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".tflite" || extension == ".onnx" || extension == ".dsenet") return validate_network(file, o, d);
  const auto text = yaml::load(file, d);
  const auto root = text ? yaml::parse(*text, file, d) : std::nullopt;
  if (!root) return "";
  switch (kind_of(*root)) {
    case Kind::sweep:
      return validate_sweep(file, d);
    case Kind::device:
      return validate_device(file, d);
    case Kind::network:
      return validate_network(file, o, d);
    case Kind::plan:
      return validate_plan(file, *root, o, d);
    case Kind::unknown:
      break;
  }
  d.error({file, 0, 0}, "is no sweep, device, network or plan",
          "a sweep has networks, a device memories, a network an input, a plan a network");
  return "";
}

}  // namespace

void add_validate(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ValidateOptions>();
  auto* command = app.add_subcommand("validate", "Check sweep, device, network and plan files");
  command->add_option("files", options->files, "files, of any of these kinds")->required();
  command->add_option("--network", options->network,
                      "network that plans are checked against; default: the shipped one of that name");
  command->add_option("--device", options->device,
                      "device that plans are checked against; default: the library's of that name");
  add_network_options(*command, options->load);
  add_set_option(*command, options->set);
  command->callback([options, &invocation] {
    for (const auto& file : options->files) {
      Diagnostics d;
      const auto summary = validate(file, *options, d);
      const int code = report(d);
      invocation.exit = std::max(invocation.exit, code);
      if (code == Exit::ok) fmt::print("{}: {}\n", file, summary);
    }
  });
}

}  // namespace dse::cli
