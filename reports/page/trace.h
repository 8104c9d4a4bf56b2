// Traces on the page: encoded compactly, and cut where the page would grow too large.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/measurement.h"

namespace dse::reports {

/// The first `most` tasks by start (then queue, then issue), packed column by column as payload.h describes.
std::string pack_trace(const std::vector<sim::TaskRecord>& trace, std::size_t most);

struct TraceShare {
  const std::vector<sim::TaskRecord>* trace = nullptr;
  std::int64_t weight = 1;  // of the budget, relative to the others
  std::size_t kept = 0;     // tasks encoded in `data`
  std::string data = {};
};

/// Encodes every trace within `budget` bytes together: what a short trace does not need of its weighted share goes to
/// the longer ones.
void share_traces(std::vector<TraceShare>& shares, std::int64_t budget);

}  // namespace dse::reports
