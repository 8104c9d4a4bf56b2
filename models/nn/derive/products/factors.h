// Dynamic rescaling of sums of products: the factors of what they read and make (kernels/dse_factors.h).
#pragma once
#include "models/nn/derive/derive.h"

namespace dse::nn {

/// Sets what `op.kernel` says of factors; its types, extents and parameters are derived already. Factors belong to one
/// image: the batch must be 1.
bool derive_factors(Derivation& d);
/// Gives the operator's only call the factors as operands.
void bind_factors(Derivation& d);

}  // namespace dse::nn
