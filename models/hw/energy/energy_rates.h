// What a device's energies come to in whole femtojoules, per unit of what is counted: sums are exact, in whatever
// order they are made, so that layers add up to their plan and causes to their total.
//
//   memory   read, write   per byte                            access   per access of up to `width` bytes (whole ones)
//   engine   mac, mac_int16 per multiply-accumulate            element  per output element (program/work.h)
//            cycle         per cycle of its own: dispatch, arithmetic, and what a cpu waits for operands
//   each     tick          of leakage, and `tick` of the rest of the device
//
// A tick's leakage is rounded to whole femtojoules, block by block: by at most half of one.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/hw/device.h"
#include "program/cost.h"

namespace dse::hw {

inline std::int64_t femtojoules(double picojoules) { return std::llround(picojoules * 1000); }

struct EnergyRates {
  struct OfMemory {
    std::int64_t read = 0, write = 0, access = 0, tick = 0;
    std::int64_t width = 1;  // bytes of an access
    std::int64_t of(const program::TaskCost::Flow& flow) const {
      return flow.bytes * (flow.write ? write : read) + flow.accesses * access;
    }
  };
  struct OfEngine {
    std::int64_t mac = 0, mac_int16 = 0, element = 0, cycle = 0, tick = 0;
  };
  std::vector<OfMemory> memories;
  std::vector<OfEngine> engines;
  std::int64_t tick = 0;
  /// The device gives more than one figure per byte of a memory and one per multiply-accumulate of an engine: reports
  /// take energy apart by cause.
  bool by_cause = false;

  EnergyRates() = default;
  explicit EnergyRates(const Device& device);
  /// Leakage of everything.
  std::int64_t per_tick() const;
  /// What a task takes on this engine, however long it is held up.
  std::int64_t of(const program::TaskCost& cost, int engine) const;
};

}  // namespace dse::hw
