// What a DMA engine does with a copy, in cycles of its own clock.
#pragma once
#include <algorithm>
#include <cstdint>

#include "models/hw/device.h"
#include "program/cost.h"

namespace dse::hw {

class DmaTiming {
 public:
  DmaTiming() = default;
  explicit DmaTiming(const Engine& e)
      : dimensions_(e.dimensions),
        setup_(e.setup),
        per_row_(e.per_row),
        chained_(e.chained < 0 ? e.setup : e.chained),
        outstanding_(std::max(e.outstanding, 1)),
        burst_(std::max<std::int64_t>(e.burst, 1)) {}

  /// Descriptors of a copy: one per contiguous run (1-D engine), per plane of equally spaced rows (2-D), or
  /// per piece with constant strides (3-D and more).
  std::int64_t descriptors(const program::CopyWork& w) const {
    return dimensions_ <= 1 ? w.rows * w.planes : dimensions_ == 2 ? w.planes : w.pieces;
  }
  /// Cycles that descriptors cost: `setup` for the first one, and for the others too unless they are fetched from a
  /// chain.
  std::int64_t setup_cycles(const program::CopyWork& w) const { return setup_ + (descriptors(w) - 1) * chained_; }
  /// Of each further one.
  std::int64_t further_setup() const { return chained_; }
  /// Cycles that stepping to each row after the first of a descriptor costs.
  std::int64_t row_cycles(const program::CopyWork& w) const { return (w.rows * w.planes - descriptors(w)) * per_row_; }
  /// With at most `outstanding` bursts in flight, every further window of bursts waits for one more round trip to the
  /// source (the first is paid as its latency). So the rate never exceeds outstanding * burst / latency.
  std::int64_t extra_round_trips(std::int64_t bytes) const {
    if (bytes <= burst_ * outstanding_) return 0;
    return ((bytes + burst_ - 1) / burst_ - 1) / outstanding_;
  }

 private:
  int dimensions_ = 1;
  std::int64_t setup_ = 0, per_row_ = 0, chained_ = 0, outstanding_ = 1, burst_ = 64;
};

}  // namespace dse::hw
