// Which techniques (kernels/dse_technique.h) compute an operator.
#pragma once
#include <string>
#include <vector>

#include "models/nn/kernels/dse_technique.h"
#include "models/nn/network.h"

namespace dse::nn {

/// By value: direct, im2row, im2row-by-row, winograd, zero-insertion, sub-pixel, separable.
const std::vector<std::string>& technique_names();

/// Whether the technique computes this operator: its parameters fit, and separable only where every filter is.
bool computes(const Network& network, const Operator& op, int technique);
/// Those that do, DSE_DIRECT first.
std::vector<int> techniques_of(const Network& network, const Operator& op);

/// The operator computed by the technique, where its kind knows one; as it is otherwise.
dse_op by_technique(dse_op op, int technique);

}  // namespace dse::nn
