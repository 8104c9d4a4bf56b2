// What would make a plan faster: the same plan, or the best one in the same memory, on devices that are better in one
// way each.
#pragma once
#include <string>
#include <vector>

#include "explore/explore.h"
#include "plan/plan.h"

namespace dse::explore {

/// A device that is better in one way.
struct Remedy {
  std::string what;  // "twice the width of l2"
  hw::DevicePtr device;
  /// Sizes and where weights lie change plans, not what a plan takes: the best one is searched for.
  bool another_plan = false;
};

/// One each, of what the device has: memories twice as wide, without latency, and twice as large where they are on the
/// chip; a compute engine that is twice as fast, or whose calls or changes of kernel cost nothing; descriptors that
/// cost nothing, twice the bursts in flight of each DMA; control that issues for nothing; a data cache of 64 KiB
/// where counted loops have none as large; all techniques of convolutions where an engine goes by rates; registers
/// where its sums stand in memory; weights that lie where tensors do.
std::vector<Remedy> remedies_of(const hw::Device& device);

struct Advice {
  std::string what;
  bool another_plan = false;
  std::int64_t ticks = 0;  // of the network; a plan that is searched for is no larger than the one before
  /// By operator of the network; empty for another plan.
  std::vector<std::int64_t> layers;
};

struct Advised {
  std::int64_t ticks = 0;            // as it is
  std::vector<std::int64_t> layers;  // by operator
  std::vector<Advice> advice;        // the most gained first; what gains nothing is left out
};

/// `search`: remedies of another plan are tried too, each by a search as `spec` asks for.
Advised advise(const Case& c, const plan::Plan& plan, bool search, const SweepSpec& spec, const ExploreOptions& options,
               Diagnostics& diagnostics);

}  // namespace dse::explore
