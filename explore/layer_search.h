// The schedules of one layer that are worth composing: every one simulated in SystemC, or proven dominated by one that
// was.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "explore/space.h"

namespace dse::explore {

struct LayerEntry {
  plan::LayerChoice choice;
  std::int64_t ticks = 0;           // simulated, from quiescence to quiescence
  std::int64_t energy_fj = 0;       // femtojoules
  std::int64_t traffic = 0;         // bytes read from and written to memories off the chip
  std::vector<std::int64_t> local;  // bytes of the layer's own buffers, per memory of the device
  std::int64_t weight_bytes = 0;    // packed filters (what residency would cost)
};

struct LayerFront {
  std::vector<LayerEntry>
      entries;  // Pareto-optimal in (ticks, local bytes per on-chip memory), per place of the filters; by ticks
  std::int64_t simulated = 0, discarded = 0, infeasible = 0;
  std::int64_t skipped = 0;  // the budget was used up
  std::int64_t outside = 0;  // more calls than kMaxCalls
  std::string reason;        // when there is no entry: why the last candidate failed
};

/// Limits on one layer search. Whatever they are, the fastest-looking and the smallest candidate are simulated.
struct LayerBudget {
  std::int64_t simulations = 0;  // at most; 0 = as many as it takes
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// Candidates are taken in the order of their bounds; one whose bound and bytes a simulated one already reaches is
/// discarded. `budget`: when to stop before all candidates are settled.
LayerFront search_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& allowed, const LayerBudget& budget = {});

/// The layer alone as a program: for timing only (every buffer at offset 0 of its memory).
program::Program layer_program(const LayerTask& task, const plan::LayerGeometry& geometry);

}  // namespace dse::explore
