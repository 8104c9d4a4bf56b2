// The device file as written: names not yet resolved, latencies not yet in cycles.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/yaml/yaml.h"
#include "models/hw/device.h"

namespace dse::hw {

/// What the simulated platform has room for (models/hw/ports/arbiter.h, models/hw/shells/engine_shell.h). A dma has one
/// queue per channel, any other engine one.
constexpr int max_memories = 8, max_ports = 4, max_queues = 16, max_queue_depth = 256;

struct MemoryText {
  Memory fixed;  // what needs no resolution; reserved and size are checked against each other below
  Duration latency, page_miss;
  yaml::Located<std::int64_t> reserved;
};

struct EngineText {
  Engine fixed;
  yaml::Located<std::vector<yaml::Name>> between, memory_list;
  yaml::Located<std::vector<std::vector<yaml::Name>>> links;
  yaml::Name memory, table;
  yaml::Located<std::vector<std::string>> takes;
  yaml::Located<std::map<std::string, Ratio>> macs_per_cycle, efficiency, cycles_per_mac, cycles_per_element,
      cycles_per_mac_int16, cycles_per_element_int16, cycles_per_count, cycles_per_count_int16, techniques,
      cycles_per_transform;
  yaml::Located<Ratio> rescaled_per_cycle;
  yaml::Located<Duration> chained;
  Duration setup, per_row, dispatch, kernel_switch, per_batch, hand_over;
  yaml::Name accelerator, memory_mode, system;
  Location where;     // of the engine's fields
  bool read = false;  // false: its kind is unknown, so nothing below it was read
};

struct ControlText {
  Duration issue, wait, start;
  yaml::Name engine;
};

struct KernelsText {
  std::string library;
};

struct DeviceText {
  std::string name, source;
  std::vector<std::string> aliases;
  std::int64_t clock_hz = 0;
  KernelsText kernels;
  std::vector<yaml::Entry<MemoryText>> memories;
  yaml::Located<std::vector<yaml::Entry<EngineText>>> engines;
  ControlText control;
  std::string arbitration = "round-robin";
  yaml::Name constants, io, input_from;
  std::vector<ValidationRow> validated;
  double timing_error = 0, area_um2 = 0, leakage_uw = 0;
  yaml::Located<std::string> energy_source;
};

}  // namespace dse::hw
