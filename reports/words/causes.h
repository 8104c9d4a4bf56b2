// The causes of the per-layer account as files and pages name them.
#pragma once
#include <array>

#include "sim/measurement.h"

namespace dse::reports {

struct CauseName {
  sim::Cause cause;
  const char* key;    // in JSON
  const char* label;  // on the page
  const char* means;  // one sentence for the legend
};

/// In the order of sim::Cause.
inline constexpr std::array<CauseName, sim::kCauses> kCauseNames = {{
    {sim::Cause::compute, "compute", "compute", "the compute engine works on this layer"},
    {sim::Cause::dispatch, "dispatch", "dispatch", "fixed cost per task and kernel switch"},
    {sim::Cause::memory, "memory", "memory port",
     "busy for longer than its own work takes, because a memory port is slow or shared, or its banks conflict"},
    {sim::Cause::dma_weights, "dma_weights", "DMA: weights", "stands still until weights have arrived"},
    {sim::Cause::dma_input, "dma_input", "DMA: input", "stands still until input rows have arrived"},
    {sim::Cause::dma_output, "dma_output", "DMA: output", "stands still until outputs have been copied away"},
    {sim::Cause::issue, "issue", "issue", "the control processor has not issued the next task yet"},
    {sim::Cause::wait, "wait", "wait", "the control processor waits for a completion"},
    {sim::Cause::other, "other", "other", "anything else, such as another task before it in its queue"},
}};
static_assert([] {
  for (int i = 0; i < sim::kCauses; ++i) {
    if (static_cast<int>(kCauseNames[static_cast<std::size_t>(i)].cause) != i) return false;
  }
  return true;
}());

}  // namespace dse::reports
