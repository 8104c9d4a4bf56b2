// Random networks of any build: chains and branches, operators that join and part, state, several outputs.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// INT8, about so many operators on images of up to 16 x 16 x 24: convolutions, depthwise ones with multipliers, pools,
/// curves, sums and products (stretched ones too), concatenations, slices, paddings, resizings, variables that are read
/// before they are written and the other way round. How far back operators reach is drawn, from chains to many branches
/// at once. Outputs: what nobody reads (some of it is left unread) and some that are read inside. Never null.
nn::NetworkPtr random_any_network(Random& random, int operators);

}  // namespace dse::test
