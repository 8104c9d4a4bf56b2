// Operators in float32: what has no kernel and is for inference on the host, inspection and quantisation.
#pragma once
#include "models/nn/network.h"

namespace dse::nn {

/// Computes one operator of Evaluation::floating. Reads its inputs from `bytes` (constants from the network) and writes
/// its outputs, which have their size already. Sums of products run in binary32 (Eigen's matrix products), means and
/// norms in binary64; the result does not depend on what ran before.
/// @throws InvariantError for an operator that derive_float refuses.
void evaluate_float(const Network& n, const Operator& op, TensorBytes& bytes);

}  // namespace dse::nn
