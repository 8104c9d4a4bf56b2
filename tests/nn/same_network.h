#pragma once
#include "models/nn/network.h"

namespace dse::nn::test {

/// Expects that `copy` has the tensors (and perhaps more constants after them), operators, options and derived kernel
/// parameters of `original`.
void expect_same_network(const Network& copy, const Network& original);

/// Expects that a network that is written as a TensorFlow Lite file and read again is the same, and that writing that
/// again gives the same bytes.
void expect_round_trip(const Network& original);

}  // namespace dse::nn::test
