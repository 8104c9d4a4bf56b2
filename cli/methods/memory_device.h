// What a network's plans by phases do on a device: memory saved against throughput lost, simulated with data.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "explore/explore.h"

namespace dse::cli {

/// One plan, simulated with data.
struct MeasuredPlan {
  std::string name;                   // "layer by layer", "least memory", "by phases 1", ...
  std::vector<std::string> segments;  // in words
  explore::Point point;               // memory_bytes and load_bytes: of on-chip memories
  std::vector<std::int64_t> heights;  // bytes, per memory of the device
  std::int64_t constants = 0;         // bytes of the constants image
  std::int64_t activations = 0;       // bytes on chip, without the constants image where that is on chip, too
  double throughput = 0;              // runs per second, one at a time

  std::int64_t footprint() const { return activations + constants; }
};

struct DeviceComparison {
  explore::Case c;
  std::vector<MeasuredPlan> plans;           // layer by layer first, where that fits; then ascending memory
  bool has_layer_by_layer = false;           // then it is plans.front()
  std::string whole_layers_infeasible;       // why not layer by layer, whole; then it is tiled by rule
  std::string tiled_infeasible;              // why not that, either
  std::int64_t by_phases = 0, too_much = 0;  // plans by phases that were tried; that do not fit
};

/// Loads the device and makes sure that the network's plans can run there. `network` nullptr: layers are all that is
/// known of it. `set`: texts of --set. Nothing after diagnostics, which are at the network's or the device's file.
std::optional<explore::Case> device_case(const std::string& network_file, const nn::NetworkPtr& network,
                                         const std::string& device, const std::vector<std::string>& set,
                                         plan::shared::Input input, Diagnostics& diagnostics);

/// Layer by layer with all tensors in the io memory, layers whole or, if that does not fit, tiled by rule (the faster
/// of the two rules); and plans by phases over it: those that need less on-chip memory and that no other beats in both
/// memory and latency, at most five of them: the least memory, the least product of the two, the fastest, and some
/// between. All of them run with data.
DeviceComparison compare_on_device(const explore::Case& c);

/// Percent of `base` that `value` falls short of it by; below 0: exceeds it.
double percent_less(double value, double base);

void print_text(const DeviceComparison& comparison);
nlohmann::ordered_json as_json(const DeviceComparison& comparison);

/// The name of a plan whose run failed or whose outputs are not the interpreter's, with the reason; empty: none.
std::string first_mismatch(const DeviceComparison& comparison);

}  // namespace dse::cli
