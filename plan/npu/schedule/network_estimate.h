// What Arm's compiler says of a schedule: cycles and bytes of every operation and of the network, by the arithmetic of
// Vela 3.10.
#pragma once
#include <array>
#include <vector>

#include "plan/npu/costs.h"

namespace dse::plan::npu {

struct OperationEstimate {
  double total = 0, npu = 0;
  std::array<double, hw::ethos_u::kAreas> access{};           // cycles, by area
  std::array<double, hw::ethos_u::kAreas> read{}, written{};  // bytes, by area
  std::int64_t macs = 0, usage = 0;                           // bytes of the fast memory while it runs
};

struct NetworkEstimate {
  std::vector<OperationEstimate> operations;
  OperationEstimate sum;
  std::int64_t original_weights = 0, coded_weights = 0;  // bytes, each once
};

NetworkEstimate estimate_network(const Costs& costs, const Schedule& schedule);

}  // namespace dse::plan::npu
