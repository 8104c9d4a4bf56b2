#include "sim/metrics.h"

#include <algorithm>
#include <utility>

#include "base/diagnostics.h"

namespace dse::sim {

using hw::Device;
using program::Program;

Metrics Metrics::standard(const Device& device) {
  Metrics m;
  const auto simulated = [&](std::string name, std::string unit, auto value) {
    m.add({std::move(name), std::move(unit), "simulated", std::move(value)});
  };
  simulated("latency", "ticks",
            [](const RunResult& r, const Program&, const Device&) { return static_cast<double>(r.ticks); });
  simulated("latency_us", "us", [](const RunResult& r, const Program&, const Device& d) {
    const auto hz = static_cast<double>(d.tick_hz());
    return hz > 0 ? static_cast<double>(r.ticks) * 1e6 / hz : 0.0;
  });
  simulated("memory", "B", [](const RunResult& r, const Program&, const Device& d) {
    std::int64_t bytes = 0;
    for (const MemoryUse& u : r.memories)
      if (d.memories[static_cast<std::size_t>(u.memory)].on_chip) bytes += u.arena;
    return static_cast<double>(bytes);
  });
  simulated("energy", "pJ", [](const RunResult& r, const Program&, const Device&) { return r.energy_pj; });
  simulated("macs", "MAC",
            [](const RunResult& r, const Program&, const Device&) { return static_cast<double>(r.macs); });
  simulated("tasks", "tasks",
            [](const RunResult& r, const Program&, const Device&) { return static_cast<double>(r.tasks); });
  simulated("startup_bytes", "B",
            [](const RunResult& r, const Program&, const Device&) { return static_cast<double>(r.startup_bytes); });
  for (std::size_t i = 0; i < device.memories.size(); ++i) {
    const std::string prefix = "memories." + device.memories[i].name + ".";
    const auto of = [&](const char* what, std::int64_t MemoryUse::*field) {
      simulated(prefix + what, "B", [i, field](const RunResult& r, const Program&, const Device&) {
        return i < r.memories.size() ? static_cast<double>(r.memories[i].*field) : 0.0;
      });
    };
    of("peak", &MemoryUse::arena);
    of("read", &MemoryUse::read);
    of("written", &MemoryUse::written);
  }
  return m;
}

void Metrics::add(Metric metric) {
  ensure(!metric.name.empty() && !find(metric.name), "metric " + metric.name + " exists already");
  all_.push_back(std::move(metric));
}

const Metric* Metrics::find(const std::string& name) const {
  const auto it = std::find_if(all_.begin(), all_.end(), [&](const Metric& m) { return m.name == name; });
  return it == all_.end() ? nullptr : &*it;
}

}  // namespace dse::sim
