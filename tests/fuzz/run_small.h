#pragma once
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Interprets a network that was accepted, if it is small: what an importer lets through must be safe to run.
inline void run_small(const Network& n) {
  std::int64_t bytes = 0;
  for (const auto& t : n.tensors) bytes += t.bytes();
  std::int64_t taps = 0;
  for (const auto& op : n.operators) {
    taps += n.tensors[static_cast<std::size_t>(op.outputs[0])].elements() * op.kernel.kernel_h * op.kernel.kernel_w;
    taps += 100 * static_cast<std::int64_t>(op.calls.size());
  }
  if (n.macs() > 1'000'000 || bytes > 1'000'000 || taps > 1'000'000) return;
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const int t : n.inputs) inputs.push_back(seeded_input(n.tensors[static_cast<std::size_t>(t)], 0, 0));
  // Twice, with what the variables keep.
  TensorBytes state = initial_state(n);
  interpret(n, inputs, state);
  interpret(n, inputs, state);
  n.structure_hash();
}

}  // namespace dse::nn
