// What the calls of a kernel library take on an engine. One class per library: the counts of its inner loops and what
// each costs.
#pragma once
#include <cstdint>

#include "program/work.h"

namespace dse::hw {

/// How the loops of a call read an operand from a memory that is not the engine's nearest.
struct Readings {
  std::int64_t times = 0;  // each byte of it; 0: what reading takes is part of the library's rates
  std::int64_t apart = 0;  // bytes that are read between two readings of the same
};

class LibraryTiming {
 public:
  virtual ~LibraryTiming() = default;
  /// The arithmetic of a call, in cycles of the engine's clock; what it reads and writes is timed beside it.
  /// @throws InvariantError when the library has no figure for it.
  virtual std::int64_t cycles(const program::CallWork& work) const = 0;
  /// No way to cut this call into tiles takes less arithmetic than this, all of them together.
  virtual std::int64_t least_cycles(const program::CallWork& work) const = 0;
  /// Whether `readings` tells anything.
  virtual bool tells_readings() const { return false; }
  /// Of operand `i` of the call, which is read. A cpu waits for each of these bytes, beside its arithmetic.
  virtual Readings readings(const program::CallWork& /*work*/, int /*i*/) const { return {}; }
  /// Which of its kernels computes the call: the engine pays for switching from one to another. > 0.
  virtual int kernel(const program::CallWork& work) const = 0;
};

}  // namespace dse::hw
