// From a sweep file's names to networks and devices.
#include <filesystem>

#include "explore/explore.h"
#include "models/hw/device_reader.h"

namespace dse::explore {
namespace {

std::string beside(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::path(path).is_absolute() || file.empty()) return path;
  const auto there = fs::path(file).parent_path() / path;
  return fs::exists(there) ? there.string() : path;
}

}  // namespace

plan::NetworkChoice whole_of(const SweepSpec& spec) {
  using plan::shared::Input;
  plan::NetworkChoice out;
  const auto it = spec.choices.find("network.input");
  if (it == spec.choices.end() || it->second.empty()) return out;
  for (const auto i : {Input::released, Input::kept, Input::streamed})
    if (it->second.front() == plan::name_of(i)) out.input = i;
  return out;
}

nn::LoadOptions load_options(const SweepSpec& spec, Diagnostics& diags) {
  nn::LoadOptions load;
  load.cut = spec.cut, load.offer_cut = true;
  for (const auto& shape : spec.shapes)
    if (const auto why = nn::add_shape(shape, load); !why.empty()) diags.error({spec.file, 0, 0}, why);
  return load;
}

std::vector<Case> resolve(const SweepSpec& spec, Diagnostics& diags) {
  std::vector<nn::NetworkPtr> networks;
  const nn::LoadOptions load = load_options(spec, diags);
  for (const auto& path : spec.networks)
    if (auto n = nn::load_network(beside(spec.file, path), diags, load)) networks.push_back(n);
  struct Labelled {
    hw::DevicePtr device;
    std::string label;
    std::vector<std::pair<std::string, std::string>> axes;
  };
  std::vector<Labelled> devices;
  for (const auto& d : spec.devices) {
    std::vector<yaml::Overrides> points = {{}};
    for (const auto& axis : d.axes) {
      std::vector<yaml::Overrides> next;
      for (const auto& p : points)
        for (const auto& v : axis.values) {
          next.push_back(p);
          next.back().push_back({axis.path, v, axis.where});
        }
      points.swap(next);
    }
    for (const auto& overrides : points) {
      auto device = hw::read_device(beside(spec.file, d.base), overrides, diags);
      if (!device) continue;
      std::string label = device->name;
      for (const auto& o : overrides) {
        std::string path = o.path;
        if (path.starts_with("memories.")) path = path.substr(9);
        if (path.starts_with("engines.")) path = path.substr(8);
        if (path.ends_with(".size")) path.resize(path.size() - 5);
        std::string value;
        for (char ch : o.value)
          if (ch != ' ') value += ch;
        label += "/" + path + "=" + value;
      }
      devices.push_back({device, label, {}});
      for (const auto& o : overrides) devices.back().axes.emplace_back(o.path, o.value);
    }
  }
  if (diags.has_errors()) return {};
  std::vector<Case> cases;
  for (const auto& n : networks)
    for (const auto& d : devices) cases.push_back({n, d.device, d.label, d.axes, whole_of(spec)});
  return cases;
}

plan::Assignment assignment_of(const Case& c, const plan::Plan& plan) {
  auto out = plan::to_assignment(*c.network, *c.device, plan);
  for (const auto& [path, value] : c.axes) out["device." + path] = value;
  return out;
}

}  // namespace dse::explore
