// The end of an exact search where addresses cost more than the highest sum of live bytes: every whole candidate that
// could still lie between the bound front and the points in hand gets addresses, until none is left.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "explore/compose/composition.h"
#include "explore/layer/packing.h"

namespace dse::explore {

/// Counted steps, so that the result depends on nothing else.
struct GapLimits {
  std::int64_t layouts = 20000;  // layouts searched, of whole plans and of parts of them
  std::int64_t steps = 2000000;  // partial plans looked at
  const std::atomic<bool>* interrupted = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

struct GapClosure {
  /// Plans whose values, with their real addresses, neither a point in hand nor another of them beats or equals. To be
  /// simulated as all plans are; their costs are the sums of their layers'.
  std::vector<Composition> points;
  /// Every candidate of the space is as good as, or worse than, a point in hand or one of `points`.
  bool closed = false;
  /// Otherwise: each further candidate is at least as large as one of these in every objective. Empty: there are too
  /// many to say.
  std::vector<std::vector<std::int64_t>> left;
  std::int64_t plans = 0, layouts = 0, steps = 0;  // whole plans given addresses, layouts searched, partial plans
};

/// `layers`: per task of the space, pack_layer() of its finished search. `reached`: values of the goal's objectives of
/// the points that were simulated.
///
/// Homes of tensors first: of those paths through the network, the ones on which a candidate would be open by its loads
/// and costs. Then schedules, layers with the highest loads first, since they decide about addresses. A partial plan is
/// dropped when the optimal layout of what is alive in the layers decided so far, and the least that the others add,
/// is beaten by a point in hand. Of schedules that pack into each other only one is tried: its plan is no larger as
/// long as its layout is optimal, which is checked (with the load, or by the exact search within its effort).
GapClosure close_gap(const Space& space, const std::vector<PackingFront>& layers, const Goal& goal,
                     std::vector<std::vector<std::int64_t>> reached, const GapLimits& limits = {});

}  // namespace dse::explore
