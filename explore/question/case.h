// What is explored at a time: one network on one device point.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explore/question/sweep.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "plan/plan.h"

namespace dse::explore {

/// One (network, device point) of a sweep, resolved.
struct Case {
  nn::NetworkPtr network;
  hw::DevicePtr device;
  std::string device_label;  // "gap8-class/l1=64KiB"
  /// Axes of this device point, path -> value as written: {"memories.l1.size", "64 KiB"}.
  std::vector<std::pair<std::string, std::string>> axes = {};
  /// Decisions about the network that every plan of the case keeps, the user's own excepted.
  plan::NetworkChoice whole = {};
  /// What the network is called in this sweep, "model#2", where another file's has its name; empty: as it calls itself.
  std::string network_label = {};
  /// Its file, where the name alone would not tell which is meant.
  std::string network_file = {};
  /// Called with every program that a whole plan of this case is lowered to, before it is checked and run: for tests
  /// that make candidates wrong.
  std::function<void(const plan::Plan&, program::Program&)> lowered = {};
  /// "gap8-class": what all device points of one file are called together.
  std::string base = {};
  /// What the network is a variant of, and its accuracy.
  NetworkFacts facts = {};
  /// Of a package of any plan: RAM beside the arenas (ram.h); nothing where that is not known.
  std::optional<std::int64_t> beside_arenas = {};
  const std::string& network_name() const { return network_label.empty() ? network->name : network_label; }
};

}  // namespace dse::explore
