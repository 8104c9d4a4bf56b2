// Mantissas are read only where their factors are, too.
#pragma once
#include <vector>

#include "models/nn/graph/derivation.h"

namespace dse::nn {

/// Checks what the operator reads and makes against the factors of what it reads, and says whether it takes them.
/// @param factors by tensor (graph/sums/factors.h), of all that was made before.
bool check_factors(Derivation& d, const std::vector<int>& factors);

}  // namespace dse::nn
