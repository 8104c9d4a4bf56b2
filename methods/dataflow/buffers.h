// Sizes of buffers, one per channel: what none can go below, what the lazy schedule takes, and the least total with
// which one iteration completes.
#pragma once
#include <cstdint>
#include <vector>

#include "methods/dataflow/flow.h"

namespace dse::plan::phases {

struct Buffers {
  std::vector<std::int64_t> tokens;  // by channel
  std::int64_t bytes(const Flow& f) const;
};

/// Per channel, what its two actors need if nothing else held them up: tokens before each firing of the reader, made as
/// late as possible. No schedule does with less. The graph must be free of deadlock().
Buffers lower_bound(const Flow& f);

/// A schedule of one iteration, and the most tokens that each channel held in it.
struct Schedule {
  std::vector<Firing> firings;
  Buffers buffers;
};

/// Demand driven: actors without readers fire in order, and everything else only when a firing lacks its tokens; what
/// nobody asked for comes last. The graph must be free of deadlock().
Schedule lazy_schedule(const Flow& f);

/// With these buffers, whichever actor furthest downstream (of the highest index) can fire does. @returns a schedule
/// that does not complete the iteration where the buffers are too small.
Schedule run_with(const Flow& f, const Buffers& capacity);

struct CapacityOptions {
  std::int64_t max_branches = 2'000;         // alternatives that are kept beside the one that is tried
  std::int64_t max_work = 1'000'000'000;     // actors and channels looked at, over all steps
  std::int64_t max_state_bytes = 256 << 20;  // of all alternatives
};

/// Buffers of least total size with which one iteration completes: from the lower bound up, raising what a circular
/// wait proves to be too small; where it proves only that one of several is, all are tried, cheapest total first.
struct CapacityResult {
  Buffers buffers;
  std::int64_t bytes = 0;
  std::int64_t lower_bound_bytes = 0;  // no buffers do with less; equals `bytes` when optimal
  bool optimal = false;                // else a limit ended the search, and the lazy schedule may be what is here
};
CapacityResult least_capacity(const Flow& f, const CapacityOptions& options = {});

}  // namespace dse::plan::phases
