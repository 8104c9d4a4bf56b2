// Random networks of one operator that moves, reduces, resizes or remembers.
#pragma once
#include "models/nn/network.h"
#include "tests/nn/operators.h"

namespace dse::nn::test {

/// Derived and checked. Kinds: data movement, parts, reductions, ARG_MAX and ARG_MIN, resizing, L2_NORMALIZATION,
/// LOG_SOFTMAX, SVDF, LSTM.
NetworkPtr random_flat_network(Random& r);

/// Random bytes for every tensor: inputs, variables, and (unused) outputs.
TensorBytes random_bytes(const Network& n, Random& r);

}  // namespace dse::nn::test
