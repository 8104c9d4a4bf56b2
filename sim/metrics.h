// Named numbers of a run: what objectives, constraints, reports and the study store refer to.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "program/program.h"
#include "sim/measurement.h"

namespace dse::sim {

/// No value: on this device it is not known.
struct Metric {
  std::string name;    // "latency"
  std::string unit;    // "ticks", "us", "B", "pJ"
  std::string origin;  // "simulated", "estimate", ...
  std::function<std::optional<double>(const RunResult&, const program::Program&, const hw::Device&)> value;
};

/// One metric per memory of the device: "memories.<memory>.<name>".
struct MemoryMetric {
  std::string name, unit, origin;
  std::function<double(const MemoryUse&)> value;
};

/// A fact of the device that a run is on; no value: its description does not give it.
struct DeviceMetric {
  std::string name, unit, origin;
  std::function<std::optional<double>(const hw::Device&)> value;
};

/// A metric's value in one run.
struct MetricValue {
  std::string name, unit, origin;
  double value = 0;
};

/// Bytes read from and written to memories that are not on the chip.
std::int64_t external_traffic(const RunResult& run, const hw::Device& device);

/// An explicit registry: whoever wants another metric adds it to the object that is in use.
class MetricRegistry {
 public:
  /// latency (ticks), latency_us, memory (sum of the on-chip arenas), energy where the device says whose figures its
  /// energies are, traffic, macs, tasks, startup_bytes, area where the device gives it and, per memory,
  /// memories.<memory>.peak, .read, .written.
  static MetricRegistry standard();
  /// @throws InvariantError when the name is taken or empty.
  void add(Metric metric);
  void add(DeviceMetric metric);
  void add(MemoryMetric metric);
  /// All metrics of a run, in the order in which they were added; then those of the device, and those of memories.
  std::vector<MetricValue> measure(const RunResult& run, const program::Program& program,
                                   const hw::Device& device) const;

 private:
  std::vector<Metric> metrics_;
  std::vector<DeviceMetric> of_device_;
  std::vector<MemoryMetric> per_memory_;
};

}  // namespace dse::sim
