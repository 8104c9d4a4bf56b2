// Exact composition over the network: since each layer ends in quiescence, ticks add up, and a plan's memory is, per
// on-chip memory, the highest sum of live tensors and the layer's own buffers, plus what stays resident.
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "explore/layer_search.h"

namespace dse::explore {

struct Composition {
  std::vector<plan::LayerChoice> choices;  // per operator of the network
  std::int64_t memory = 0;                 // bytes: sum over on-chip memories of the load
  std::int64_t ticks = 0;
};

struct CompositionFront {
  std::vector<Composition> points;  // Pareto-optimal in (memory, ticks), by memory
  std::int64_t boxes = 0;           // cap boxes solved
  std::int64_t labels = 0;          // labels made: partial plans
  bool exact = true;                // false: the label limit or an interruption cut the search
  std::string infeasible_reason;
  struct Dot {
    std::int64_t memory, ticks;
  };
  std::vector<Dot> beaten;  // complete plans that were found on the way and are dominated by `points` (at most 4,000)
};

/// Caps per on-chip memory are searched by boxes: a box of cap vectors is solved at its upper corner, which is
/// optimistic for all of it, and dropped when every point so found, at the memory of the lower corner, is dominated by
/// a point in hand; else it is halved. `limits`: bytes a plan may use, per memory of the device.
CompositionFront compose(const Space& space, const std::vector<LayerFront>& layers,
                         const std::vector<std::int64_t>& limits, const std::atomic<bool>* interrupted = nullptr);

}  // namespace dse::explore
