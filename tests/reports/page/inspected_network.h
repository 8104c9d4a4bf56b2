// Networks that the tests of `dse inspect`'s pages share.
#pragma once
#include "models/nn/network.h"

namespace dse::reports::testing {

/// In Q formats: input -> conv (Q0.7 weights, factors 2 and 3) -> RELU; conv + RELU -> ADD -> SPLIT in two -> an
/// operator that is not known, and one whose name would end the script element of a careless page.
nn::NetworkPtr small_network();

/// A float chain of blocks like densenet's, with shortcuts: about `operators` operators.
nn::NetworkPtr large_network(int operators);

}  // namespace dse::reports::testing
