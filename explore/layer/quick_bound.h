// A bound on a layer's schedule from its geometry alone, without making its program.
#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/cost_model.h"
#include "plan/layer/layer.h"

namespace dse::explore {

/// Of the schedules of one layer on one device.
class QuickBounds {
 public:
  /// Keeps the reference.
  explicit QuickBounds(const hw::DeviceTiming& timing) : timing_(timing) {}
  /// Ticks that no program of this geometry beats, in every memory system: what each queue's tasks take one after the
  /// other, the first loads before the first call, the last call before the last store. 0 for whole layers, of which
  /// there is one schedule per combination of homes. `next`: with this copy in the same section.
  std::int64_t of(const plan::LayerGeometry& geometry, const plan::Prefetch& next = {});

 private:
  /// Ticks of arithmetic that no way to cut the operator goes below. Schedules differ little in it, by technique and by
  /// how the image is seen, so that it is worked out once for each.
  std::int64_t uncut(const plan::LayerGeometry& geometry);

  const hw::DeviceTiming& timing_;
  struct Uncut {
    int engine;
    dse_op op;
    std::int64_t ticks;
  };
  std::vector<Uncut> uncut_;
};

}  // namespace dse::explore
