// The memory planner that TensorFlow Lite for Microcontrollers runs today: what a user has without us.
#pragma once
#include <cstdint>
#include <vector>

#include "models/nn/network.h"

namespace dse::plan {

struct GreedyPlan {
  std::vector<std::int64_t> offsets;  // per tensor of the network; -1 = not planned (constants, variables, unused ones)
  std::vector<int> first,
      last;               // per tensor: times of creation and last use; inputs are made at 0, operator k runs at k + 1
  std::int64_t head = 0;  // bytes: the highest end of a planned tensor
};

/// Offsets of all inputs and activations, operators run in list order, sizes rounded up to 16 bytes. Buffers are placed
/// from the largest to the smallest (of equal ones the higher index first), each into the lowest gap that those placed
/// before leave among the ones alive at the same time. Equal to GreedyMemoryPlanner of tflite-micro
/// (micro/memory_planner/greedy_memory_planner.cc), whose kernels for our operators ask for no scratch buffers.
/// `keep_inputs`: inputs live until the last operator has run.
GreedyPlan greedy_plan(const nn::Network& network, bool keep_inputs = false);

}  // namespace dse::plan
