#include "sim/measurement.h"

#include <numeric>

namespace dse::sim {

const char* name_of(Cause c) {
  static const char* const words[kCauses] = {"compute",    "dispatch", "memory", "dma weights", "dma input",
                                             "dma output", "issue",    "wait",   "other"};
  return words[static_cast<int>(c)];
}

std::int64_t LayerAccount::total() const { return std::accumulate(ticks.begin(), ticks.end(), std::int64_t{0}); }

}  // namespace dse::sim
