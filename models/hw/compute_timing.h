// What an array or a CPU does with calls and copies, in cycles of its own clock.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "models/hw/device.h"
#include "models/hw/libraries/library_timing.h"

namespace dse::hw {

class ComputeTiming {
 public:
  ComputeTiming() = default;
  /// `library`: name of the device's kernel library.
  explicit ComputeTiming(const Engine& e, const std::string& library = {});

  /// What the engine's kernel library takes.
  const LibraryTiming& library() const { return *library_; }
  /// ceil(bytes / copy_bytes_per_cycle). @throws InvariantError when the engine cannot copy.
  std::int64_t copy_cycles(std::int64_t bytes) const;

  /// Whether a call's time follows from the bytes that it reads and writes, too. An array's operands stream while it
  /// computes, and the slower of the two counts. A cpu reads and writes between its products: where its library counts
  /// loops, it waits for what they read from memories that are not its nearest; else what that takes is part of a rate
  /// per product or element, made for whatever memories that rate was measured with.
  bool times_accesses() const { return streams_ || (library_ && library_->tells_readings()); }
  /// Whether 16-bit products have a rate of their own. A cpu's table has one for all, unless its file says otherwise.
  bool tells_widths_apart() const { return by_width_; }

 private:
  std::shared_ptr<const LibraryTiming> library_;  // of engines that compute
  Ratio copy_{0, 1};
  bool streams_ = false, by_width_ = false;
};

}  // namespace dse::hw
