#include "explore/question/resolve.h"

#include <algorithm>
#include <filesystem>

#include "explore/question/ram.h"
#include "models/hw/device_reader.h"
#include "models/nn/shapes/given.h"
#include "plan/plan.h"

namespace dse::explore {
namespace {

std::string beside(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::path(path).is_absolute() || file.empty()) return path;
  const auto there = fs::path(file).parent_path() / path;
  return fs::exists(there) ? there.string() : path;
}

/// The label of entry i among those before it: its own, or with a number behind where an earlier one that is not the
/// same has it: "model", "model#2". Depends on the order alone, so that a run's own copies get the same labels.
template <class Entries, class Same>
std::string label_apart(const Entries& entries, std::size_t i, const Same& same) {
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(i);
  for (auto e = entries.begin(); e != end; ++e)
    if (same(*e, entries[i])) return e->label;
  std::string label = entries[i].label;
  for (int n = 2; std::any_of(entries.begin(), end, [&](const auto& e) { return e.label == label; }); ++n)
    label = entries[i].label + "#" + std::to_string(n);
  return label;
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
  load.cut = spec.cut, load.offer_cut = true, load.integer_io = !spec.float_io;
  load.costs = spec.costs, load.several = spec.networks.size() > 1;
  for (const auto& shape : spec.shapes)
    if (const auto why = nn::add_shape(shape, load); !why.empty()) diags.error({spec.file, 0, 0}, why);
  return load;
}

std::vector<Case> resolve(const SweepSpec& spec, Diagnostics& diags) {
  struct Named {
    nn::NetworkPtr network;
    std::string label, file;
    NetworkFacts facts;
  };
  std::vector<Named> networks;
  const nn::LoadOptions load = load_options(spec, diags);
  std::vector<nn::NetworkPtr> read;
  for (const auto& [path, facts] : spec.networks) {
    read.push_back(nn::load_network(beside(spec.file, path), diags, load));
    if (const auto& n = read.back()) networks.push_back({n, n->name, path, facts});
  }
  nn::check_named(read, load, spec.file, diags);
  for (std::size_t i = 0; i < networks.size(); ++i)
    networks[i].label = label_apart(networks, i, [](const Named& a, const Named& b) { return a.file == b.file; });
  struct Labelled {
    hw::DevicePtr device;
    std::string label;
    std::vector<std::pair<std::string, std::string>> axes;
    std::string base;
  };
  std::vector<Labelled> devices;
  struct File {
    std::string path, label;  // `label`: the device's name
  };
  std::vector<File> files;
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
      if (files.empty() || files.back().path != d.base) {
        files.push_back({d.base, device->name});
        files.back().label =
            label_apart(files, files.size() - 1, [](const File& a, const File& b) { return a.path == b.path; });
      }
      devices.push_back({device, label, {}, files.back().label});
      for (const auto& o : overrides) devices.back().axes.emplace_back(o.path, o.value);
    }
  }
  if (diags.has_errors()) return {};
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i].label = label_apart(devices, i, [](const Labelled& a, const Labelled& b) {
      return a.device->hash() == b.device->hash() && a.device->area_mm2() == b.device->area_mm2();
    });
  std::vector<Case> cases;
  for (const auto& n : networks) {
    const bool alone = std::none_of(networks.begin(), networks.end(), [&](const Named& other) {
      return other.file != n.file && other.network->name == n.network->name;
    });
    for (const auto& d : devices) {
      Case c{n.network, d.device, d.label, d.axes, whole_of(spec), n.label, alone ? "" : n.file, {}, d.base};
      c.facts = n.facts;
      c.beside_arenas = beside_arenas(spec, *n.network, *d.device);
      cases.push_back(std::move(c));
    }
  }
  return cases;
}

}  // namespace dse::explore
