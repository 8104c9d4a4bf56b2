// Where the energy of a run or of a layer goes, in femtojoules: by block of the device, and by what it does there.
#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/energy/energy_rates.h"
#include "models/hw/shells/run_state.h"

namespace dse::sim {

struct Energy {
  struct OfMemory {
    std::int64_t read = 0, written = 0;  // bytes, and accesses in this direction
    std::int64_t leaked = 0;
    bool operator==(const OfMemory&) const = default;
  };
  struct OfEngine {
    std::int64_t macs = 0, macs_int16 = 0, elements = 0, cycles = 0;
    std::int64_t leaked = 0;
    bool operator==(const OfEngine&) const = default;
  };
  std::vector<OfMemory> memories;  // per memory of the device
  std::vector<OfEngine> engines;   // per engine of the device
  std::int64_t leaked = 0;         // by what is neither

  Energy() = default;
  explicit Energy(const hw::EnergyRates& rates) : memories(rates.memories.size()), engines(rates.engines.size()) {}
  /// A task on this engine. The platform counts first and multiplies then: tests compare the two.
  void add(const hw::EnergyRates& rates, const program::TaskCost& cost, int engine);
  /// All that a run counted; the engines are those of its queues.
  void add(const hw::EnergyRates& rates, const hw::RunLog& log, const std::vector<program::Queue>& queues);
  /// Leakage of so many ticks.
  void pass(const hw::EnergyRates& rates, std::int64_t ticks);
  std::int64_t total() const;
  /// By everything.
  std::int64_t all_leaked() const;
  /// Nobody has taken it apart.
  bool empty() const { return memories.empty(); }
  bool operator==(const Energy&) const = default;
  Energy& operator+=(const Energy& o);
};

}  // namespace dse::sim
