#include "sim/metrics.h"

#include <algorithm>
#include <utility>

#include "base/diagnostics.h"

namespace dse::sim {

using hw::Device;
using program::Program;

std::int64_t external_traffic(const RunResult& run, const Device& device) {
  std::int64_t bytes = 0;
  for (const MemoryUse& u : run.memories)
    if (!device.memories[static_cast<std::size_t>(u.memory)].on_chip) bytes += u.read + u.written;
  return bytes;
}

MetricRegistry MetricRegistry::standard() {
  MetricRegistry m;
  const auto simulated = [&](const char* name, const char* unit, auto value) {
    m.add(Metric{name, unit, "simulated", [value](const RunResult& r, const Program&, const Device& d) {
                   return static_cast<double>(value(r, d));
                 }});
  };
  simulated("latency", "ticks", [](const RunResult& r, const Device&) { return r.ticks; });
  simulated("latency_us", "us", [](const RunResult& r, const Device& d) {
    const auto hz = static_cast<double>(d.tick_hz());
    return hz > 0 ? static_cast<double>(r.ticks) * 1e6 / hz : 0.0;
  });
  simulated("memory", "B", [](const RunResult& r, const Device& d) {
    std::int64_t bytes = 0;
    for (const MemoryUse& u : r.memories)
      if (d.memories[static_cast<std::size_t>(u.memory)].on_chip) bytes += u.arena;
    return bytes;
  });
  m.add(Metric{"energy", "pJ", "simulated", [](const RunResult& r, const Program&, const Device& d) {
                 return d.energy_known() ? std::optional(1e-3 * static_cast<double>(r.energy_fj)) : std::nullopt;
               }});
  simulated("traffic", "B", [](const RunResult& r, const Device& d) { return external_traffic(r, d); });
  simulated("macs", "MAC", [](const RunResult& r, const Device&) { return r.macs; });
  simulated("tasks", "tasks", [](const RunResult& r, const Device&) { return r.tasks; });
  simulated("startup_bytes", "B", [](const RunResult& r, const Device&) { return r.startup_bytes; });
  m.add(DeviceMetric{"area", "mm2", "device file", [](const Device& d) { return d.area_mm2(); }});
  const auto per_memory = [&](const char* name, std::int64_t MemoryUse::*field) {
    m.add(MemoryMetric{name, "B", "simulated", [field](const MemoryUse& u) { return static_cast<double>(u.*field); }});
  };
  per_memory("peak", &MemoryUse::arena);
  per_memory("read", &MemoryUse::read);
  per_memory("written", &MemoryUse::written);
  return m;
}

namespace {

template <class Listed>
void ensure_new(const std::string& name, const std::vector<Listed>& metrics, const char* what) {
  const bool taken = std::any_of(metrics.begin(), metrics.end(), [&](const Listed& m) { return m.name == name; });
  ensure(!name.empty() && !taken, what + (" '" + name) + "' has no name or exists already");
}

}  // namespace

void MetricRegistry::add(Metric metric) {
  ensure_new(metric.name, metrics_, "metric");
  ensure_new(metric.name, of_device_, "metric");
  metrics_.push_back(std::move(metric));
}

void MetricRegistry::add(DeviceMetric metric) {
  ensure_new(metric.name, metrics_, "metric");
  ensure_new(metric.name, of_device_, "metric");
  of_device_.push_back(std::move(metric));
}

void MetricRegistry::add(MemoryMetric metric) {
  ensure_new(metric.name, per_memory_, "metric of memories");
  per_memory_.push_back(std::move(metric));
}

std::vector<MetricValue> MetricRegistry::measure(const RunResult& run, const Program& program,
                                                 const Device& device) const {
  std::vector<MetricValue> out;
  for (const Metric& m : metrics_)
    if (const auto value = m.value(run, program, device)) out.push_back({m.name, m.unit, m.origin, *value});
  for (const DeviceMetric& m : of_device_)
    if (const auto value = m.value(device)) out.push_back({m.name, m.unit, m.origin, *value});
  for (const MemoryUse& use : run.memories)
    for (const MemoryMetric& m : per_memory_)
      out.push_back({"memories." + device.memories[static_cast<std::size_t>(use.memory)].name + "." + m.name, m.unit,
                     m.origin, m.value(use)});
  return out;
}

}  // namespace dse::sim
