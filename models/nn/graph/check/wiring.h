// Whether operators and tensors are connected as they must be, whatever is computed.
#pragma once
#include <vector>

#include "models/nn/graph/derivation.h"

namespace dse::nn {

/// Indices, arity, and that every input exists before it is read and every output is made once. `made`: per tensor;
/// `missed`: read before it was made, which is said once, however many operators read it.
bool check_wiring(Derivation& d, std::vector<bool>& made, std::vector<bool>& missed);

}  // namespace dse::nn
