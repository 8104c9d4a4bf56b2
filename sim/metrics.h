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
  std::string name;    // "latency", "memories.l2.peak"
  std::string unit;    // "ticks", "us", "B", "pJ"
  std::string origin;  // "simulated", "estimate", ...
  std::function<double(const RunResult&, const program::Program&, const hw::Device&)> value;
};

/// An explicit registry: whoever wants another metric adds it to the object that is in use.
class Metrics {
 public:
  /// latency (ticks), latency_us, memory (sum of the on-chip arenas), energy, macs, tasks, startup_bytes
  /// and, per memory of the device, memories.<name>.peak, .read, .written.
  static Metrics standard(const hw::Device& device);
  /// @throws InvariantError when the name is taken or empty.
  void add(Metric metric);
  const Metric* find(const std::string& name) const;
  const std::vector<Metric>& all() const { return all_; }

 private:
  std::vector<Metric> all_;
};

}  // namespace dse::sim
