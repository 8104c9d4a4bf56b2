// Block-circulant layers in any kernel library: as the dense layer that they stand for, with its matrix expanded on the
// fly; in the frequency domain by the engine's transforms.
#pragma once
#include <memory>

#include "models/hw/device.h"
#include "models/hw/libraries/library_timing.h"

namespace dse::hw {

/// In the time domain a call takes the library's time for the dense layer, and on a cpu what copying the elements of
/// the matrix that the tile needs takes besides: a row is read from its block turned. An array's address generators
/// turn it. Calls in the frequency domain take what the device file says of transforms (rate_table.h), everything else
/// what the library says.
class CirculantTiming final : public LibraryTiming {
 public:
  CirculantTiming(std::shared_ptr<const LibraryTiming> library, const Engine& e);
  std::int64_t cycles(const program::CallWork& work) const override;
  std::int64_t least_cycles(const program::CallWork& work) const override;
  bool tells_readings() const override { return library_->tells_readings(); }
  Readings readings(const program::CallWork& work, int i) const override;
  int kernel(const program::CallWork& work) const override;

 private:
  std::int64_t expanding(const program::CallWork& work) const;
  std::shared_ptr<const LibraryTiming> library_;
  Ratio copy_{0, 1};  // bytes per cycle; 0: expanding takes nothing
};

}  // namespace dse::hw
