#include "models/hw/compute_timing.h"

#include "base/diagnostics.h"
#include "models/hw/clocking.h"
#include "models/hw/libraries/libraries.h"

namespace dse::hw {

ComputeTiming::ComputeTiming(const Engine& e, const std::string& library)
    : library_(library_timing(library, e)),
      copy_(e.copy_bytes_per_cycle),
      streams_(e.is_array()),
      by_width_(e.is_array() || !e.cycles_per_mac_int16.empty() || !e.cycles_per_count_int16.empty()) {}

std::int64_t ComputeTiming::copy_cycles(std::int64_t bytes) const {
  if (copy_.zero()) throw InvariantError("engine cannot copy: it has no copy_bytes_per_cycle");
  return scale_up(bytes, copy_.den, copy_.num);
}

}  // namespace dse::hw
