// Random networks in Q formats whose layers are chains and forks of sums of products, with pools, paddings and reshapes
// in between.
#pragma once
#include "models/nn/network.h"

namespace dse::nn::test {

/// A network that is not finished and rescales statically. Formats are off by up to a few bits either way, so that
/// factors are of all sizes and some outputs are clamped. @param most of the extents and channels; at least 2.
Network drawn_chain(unsigned seed, int most = 9);

/// The same with dynamic rescaling in batches at random, finished. Null never: what cannot have factors has none.
NetworkPtr drawn_chain_with_factors(unsigned seed, int most = 9);

}  // namespace dse::nn::test
