// Named numbers of a run: what objectives, constraints, reports and the study store refer to.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "program/program.h"
#include "sim/measurement.h"

namespace dse::sim {

struct Metric {
  std::string name;    // "latency"
  std::string unit;    // "ticks", "us", "B", "pJ"
  std::string origin;  // "simulated", "estimate", ...
  std::function<double(const RunResult&, const program::Program&, const hw::Device&)> value;
};

/// One metric per memory of the device: "memories.<memory>.<name>".
struct MemoryMetric {
  std::string name, unit, origin;
  std::function<double(const MemoryUse&)> value;
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
  /// latency (ticks), latency_us, memory (sum of the on-chip arenas), energy, traffic, macs, tasks, startup_bytes and,
  /// per memory, memories.<memory>.peak, .read, .written.
  static MetricRegistry standard();
  /// @throws InvariantError when the name is taken or empty.
  void add(Metric metric);
  void add(MemoryMetric metric);
  /// All metrics of a run, in the order in which they were added; those of memories last.
  std::vector<MetricValue> measure(const RunResult& run, const program::Program& program,
                                   const hw::Device& device) const;

 private:
  std::vector<Metric> metrics_;
  std::vector<MemoryMetric> per_memory_;
};

}  // namespace dse::sim
