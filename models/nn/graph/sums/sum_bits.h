// How wide the accumulators of an operator must be.
#pragma once
#include "models/nn/network.h"

namespace dse::nn {

/// Bits, sign included, within which every sum of products of the operator stays, and every part of it in whatever
/// order they are summed, for every input that its type can hold: from its weights, zero points and biases. Factors of
/// the input (kernels/dse_factors.h) count as the largest. Of operators with weights and of matrix products; others: 0.
/// @param op derived: parameters, records and calls are there.
int sum_bits(const Network& n, const Operator& op);

}  // namespace dse::nn
