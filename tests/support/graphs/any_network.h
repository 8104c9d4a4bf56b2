// Random networks of any build: chains and branches, operators that join and part, state, several outputs.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// About so many operators on images of up to 16 x 16 x 24 in INT8, INT16 or UINT8, scales per tensor or per channel:
/// convolutions (grouped, transposed), depthwise ones with multipliers, pools, curves, sums and products (stretched
/// ones too), concatenations, slices, splits, paddings, resizings, transpositions, softmax, tensors of one, two and
/// three dimensions, variables that are read before they are written and the other way round. How far back operators
/// reach is drawn, from chains to many branches at once. Outputs: what nobody reads (some of it is left unread) and
/// some that are read inside, at times behind RESHAPE, FULLY_CONNECTED, SOFTMAX. Of some networks the ends are FLOAT32:
/// those are finished with LoadOptions::allow_float. Never null.
nn::NetworkPtr random_any_network(Random& random, int operators);

}  // namespace dse::test
