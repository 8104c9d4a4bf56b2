// How far a search of an NPU's schedules would go, known before it goes there.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explore/npu/front.h"

namespace dse::explore::npu {

/// An operation of the NPU.
struct OperationExtent {
  std::string name;
  int source = -1;           // of the network's operators; -1: none alone
  std::int64_t options = 1;  // blocks that fit, each with the weights where they lie or brought, where it has some
  std::int64_t tried = 0;    // other blocks and places that are tried, over all schedules that are to be improved
};

struct Extent {
  std::vector<OperationExtent> operations;
  std::vector<Point> starts;     // schedules that are to be improved, simulated
  std::int64_t simulated = 0;    // to know them
  std::int64_t simulations = 0;  // of the whole search
  double candidates = 0;         // by rule, limit and the options of all operations
};

/// What front() would do. Makes and simulates the schedules that it begins with.
Extent extent_of(const nn::NetworkPtr& network, const hw::ethos_u::Npu& npu, FrontEffort effort = {});

}  // namespace dse::explore::npu
