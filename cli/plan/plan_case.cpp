#include "cli/plan/plan_case.h"

#include "base/yaml/yaml.h"
#include "cli/common/lookup.h"
#include "cli/run/run_folder.h"
#include "plan/document/document.h"

namespace dse::cli {

std::string word_in(const yaml::Node& root, const char* owner, const char* key) {
  const auto* o = root.find(owner);
  const auto* word = o ? o->find(key) : nullptr;
  return word ? word->text : "";
}

namespace {

/// The front of a run that a plan belongs to; hashes that the plan leaves out fit any.
const explore::Front* front_for(const yaml::Node& root, const reports::RecordedRun& run) {
  const auto fits = [](const std::string& word, const std::string& value) { return word.empty() || value == word; };
  const auto name = word_in(root, "network", "name");
  const auto is_called = [&](const std::string& label) {  // "model#2" is a network that calls itself model
    return label == name || (label.starts_with(name + "#") && !word_in(root, "network", "structure").empty());
  };
  for (const auto& [f, document] : run.fronts)
    if (is_called(f.network) && fits(word_in(root, "network", "structure"), f.network_hash) &&
        fits(word_in(root, "device", "hash"), f.device_hash) && f.device.starts_with(word_in(root, "device", "name")))
      return &f;
  return nullptr;
}

/// A plan of a part of a network, with or without what converts at its ends, is known by its structure.
nn::NetworkPtr whole_or_part(const std::string& wanted, const std::string& structure, Diagnostics& diagnostics) {
  Diagnostics of_first;
  nn::NetworkPtr first;
  for (const bool cut : {false, true})
    for (const bool integer_io : {true, false}) {
      nn::LoadOptions load;
      load.cut = cut, load.integer_io = integer_io;
      Diagnostics own;
      auto network = cli::load_network(wanted, own, load);
      const bool fits = network && (structure.empty() || network->structure_hash() == structure);
      if (!first) first = network;
      if (of_first.empty()) of_first = own;
      if (!fits) continue;
      for (const auto& d : own.list()) diagnostics.add(d);
      return network;
    }
  for (const auto& d : of_first.list()) diagnostics.add(d);
  return first;
}

}  // namespace

std::optional<PlanCase> find_plan(const std::string& file, const PlanSources& sources, const reports::RecordedRun* run,
                                  Diagnostics& diagnostics) {
  const auto text = yaml::load(file, diagnostics);
  const auto root = text ? yaml::parse(*text, file, diagnostics) : std::nullopt;
  if (!root) return std::nullopt;
  if (root->find("layers") == nullptr || root->find("network") == nullptr) {
    diagnostics.error({file, 0, 0}, "is no plan", "a plan names its network, its device and its layers");
    return std::nullopt;
  }
  std::optional<explore::Case> c;
  const auto* front = run && sources.network.empty() && sources.device.empty() ? front_for(*root, *run) : nullptr;
  if (front != nullptr) {
    c = rebuild_case(sources.run, *front, diagnostics);
  } else {
    Diagnostics own;
    const auto network = whole_or_part(sources.network.empty() ? word_in(*root, "network", "name") : sources.network,
                                       word_in(*root, "network", "structure"), own);
    const auto device = load_device(sources.device.empty() ? word_in(*root, "device", "name") : sources.device, own);
    if (network && device) c = explore::Case{network, device, device->name};
    add_all(own, {file, 0, 0}, diagnostics);
    if (!c) diagnostics.note({file, 0, 0}, "name the files of its network and device with --network and --device");
  }
  if (!c) return std::nullopt;
  auto plan = plan::read_plan(file, *c->network, *c->device, diagnostics);
  if (!plan) return std::nullopt;
  return PlanCase{std::move(*c), std::move(*plan)};
}

}  // namespace dse::cli
