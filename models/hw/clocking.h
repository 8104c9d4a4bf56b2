// Time on a device: everything is counted in ticks, cycles of the device's fastest clock.
#pragma once
#include <cstdint>
#include <limits>

#include "models/hw/device.h"

namespace dse::hw {

using Tick = std::int64_t;
constexpr Tick kNever = std::numeric_limits<Tick>::max();

/// ceil(n * num / den) without overflow of the product; all >= 0, den > 0.
inline std::int64_t scale_up(std::int64_t n, std::int64_t num, std::int64_t den) {
  std::int64_t product;
  if (!__builtin_mul_overflow(n, num, &product) && product <= std::numeric_limits<std::int64_t>::max() - den)
    return (product + den - 1) / den;
  __extension__ typedef __int128 Wide;
  return static_cast<std::int64_t>((static_cast<Wide>(n) * num + den - 1) / den);
}

/// A block's clock against the device's fastest one.
struct Clock {
  std::int64_t tick_hz = 1, hz = 1;
  Clock() = default;
  /// `block_hz` 0 = the device's clock.
  Clock(const Device& d, std::int64_t block_hz) : tick_hz(d.tick_hz()), hz(block_hz ? block_hz : d.clock_hz) {
    if (hz <= 0 || tick_hz <= 0) tick_hz = hz = 1;  // a device without clocks counts plain cycles
  }
  /// Ticks until `cycles` of this block have passed: rounded up, a block acts on its own edges.
  Tick ticks(std::int64_t cycles) const { return hz == tick_hz ? cycles : scale_up(cycles, tick_hz, hz); }
};

/// Of the control processor: its engine's, or the device's.
inline Clock control_clock(const Device& d) {
  const int engine = d.control.engine;
  return {d, engine >= 0 ? d.engines[static_cast<std::size_t>(engine)].clock_hz : 0};
}

}  // namespace dse::hw
