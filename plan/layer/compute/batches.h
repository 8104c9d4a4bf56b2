// Output batches (models/nn/kernels/dse_batches.h) as a choice of a layer, on engines whose sums stand in memory.
#pragma once
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

/// The operator as the engine computes it by this choice: by its technique and, where its sums stand in memory, in its
/// batches. A layer by phases has as many as its output has rows, so that scratch holds a row.
dse_op computed(dse_op op, const LayerChoice& choice, const hw::Engine& engine);

/// Another call of an operator whose first one is computed like this.
dse_op computed_like(const dse_op& first, dse_op op);

/// Values of M worth trying, given the layer's other choices: 1, powers of 4, and the output channels, as far as its
/// largest call has outputs for two batches. Only 1 where sums stand in registers, or in partial sums because a call is
/// a step of several; by a technique, which arranges once for all outputs of a call; and by phases.
std::vector<int> batches_of(const LayerContext& context, const LayerChoice& choice);

}  // namespace dse::plan
