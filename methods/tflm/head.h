// The head of TensorFlow Lite Micro's arena, planned before it runs: the order of operators and the offsets of tensors
// that need the least, by that runtime's rules.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "methods/order/order.h"
#include "plan/alloc/allocate.h"

namespace dse::plan {

/// MicroArenaBufferAlignment() of tflite-micro: what sizes are rounded up to, and offsets are multiples of.
constexpr std::int64_t kTflmAlignment = 16;

struct TflmHead {
  std::vector<int> order;             // operators
  std::vector<std::int64_t> offsets;  // by tensor; -1: the runtime's
  std::int64_t bytes = 0;             // of the head
  std::int64_t lower_bound = 0;       // proven: no order and no offsets need less
  std::int64_t today = 0;             // bytes that the runtime's own planner takes, in the order of the file
  int shared = 0;  // tensors that lie in the bytes of another, which their operator overwrites or renames
  bool optimal() const { return bytes == lower_bound; }
};

/// `network`: of nn::read_tflm_graph(). A tensor lives from its operator to its last reader, inputs from the start,
/// outputs to the end. What reshapes lies where its input does; with OrderRule::inplace_ew element-wise operators
/// write over an input of equal size that dies there, as the runtime's kernels allow. Operators that share a variable,
/// and custom ones, keep the order of the file. Never worse than `today`.
TflmHead tflm_head(const nn::Network& network, OrderRule rule, const OrderEffort& order = {},
                   const alloc::Effort& offsets = {});

/// What is wrong with a plan, by the definition above alone: tensors that are needed at the same time and share bytes
/// though neither renames the other nor is written over it element by element, offsets that are no multiples of 16, an
/// operator before what it reads. Empty: nothing. Time: pairs of tensors.
std::vector<std::string> tflm_faults(const nn::Network& network, const std::vector<int>& order,
                                     const std::vector<std::int64_t>& offsets);

}  // namespace dse::plan
