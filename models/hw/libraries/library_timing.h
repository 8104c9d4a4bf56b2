// What the calls of a kernel library take on an engine. One class per library: the counts of its inner loops and what
// each costs.
#pragma once
#include <cstdint>

#include "program/work.h"

namespace dse::hw {

class LibraryTiming {
 public:
  virtual ~LibraryTiming() = default;
  /// The arithmetic of a call, in cycles of the engine's clock; what it reads and writes is timed beside it.
  /// @throws InvariantError when the library has no figure for it.
  virtual std::int64_t cycles(const program::CallWork& work) const = 0;
  /// No way to cut this call into tiles takes less arithmetic than this, all of them together.
  virtual std::int64_t least_cycles(const program::CallWork& work) const = 0;
  /// Which of its kernels computes the call: the engine pays for switching from one to another. > 0.
  virtual int kernel(const program::CallWork& work) const = 0;
};

}  // namespace dse::hw
