// Bounds on copies between two memories of which no more is known than how many there are and how much they move.
#pragma once
#include <cstdint>

#include "models/hw/cost_model.h"
#include "plan/layer/placement.h"

namespace dse::explore {

/// How many, how much in all, and in how many contiguous runs at least.
struct Copies {
  std::int64_t times, bytes, runs;
};

/// Of all of them, one after the other, by the engine that copies from here to there.
std::int64_t least_ticks(const hw::DeviceTiming& timing, int from, int to, const Copies& copies);

/// Runs in which an image is copied at least, once: what lies side by side in both layouts stays together. `slices`:
/// of its channels, which are copied apart. `parts`: of its rows, if they are copied apart, from or to where all of
/// them lie.
std::int64_t least_runs(plan::TensorLayout from, plan::TensorLayout to, std::int64_t rows, std::int64_t width,
                        std::int64_t channels, std::int64_t slices, std::int64_t parts);

}  // namespace dse::explore
