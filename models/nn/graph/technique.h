// Which techniques (kernels/dse_technique.h) compute an operator.
#pragma once
#include <string>
#include <vector>

#include "models/nn/kernels/dse_technique.h"
#include "models/nn/network.h"

namespace dse::nn {

/// By value: direct, im2row, im2row-by-row, winograd, zero-insertion, sub-pixel, separable.
const std::vector<std::string>& technique_names();

/// Those that compute this operator, DSE_DIRECT first: its parameters fit, and separable only where every filter is.
std::vector<int> techniques_of(const Network& network, const Operator& op);

/// The operator computed by the technique, where its kind knows one; as it is otherwise.
dse_op by_technique(dse_op op, int technique);

}  // namespace dse::nn
