// Circulant layers of a network: the shape of their product, and their weights in either domain.
#pragma once
#include <string>

#include "models/nn/circulant/blocks.h"
#include "models/nn/network.h"

namespace dse::nn::circulant {

/// Of a circulant operator whose weights have three or five dimensions; channels by the tensors.
Blocks blocks_of(const Network& n, const Operator& op);
/// Shape of the weights: [p, q, b] of a fully connected layer, else [p, kernel_h, kernel_w, q, b].
std::vector<std::int64_t> weights_shape(const Blocks& s, std::int64_t kernel_h, std::int64_t kernel_w, bool conv);

/// The kernel parameters that say how much there is to compute, of a float layer that can have blocks
/// (can_have_blocks) in int8: extents, window, types. Scales are left out, as nobody has chosen them.
dse_op int8_form(const Network& n, const Operator& op);

/// What is wrong with a block size, empty when nothing is. @param spectral integers in the frequency domain.
std::string why_no_block(std::int64_t block, bool spectral);

/// Every circulant layer of a float network with weights in this domain; with `transformable_only` the others stay
/// where their blocks are no power of two that integer transforms can have.
Network in_domain(Network n, bool spectral, bool transformable_only);

}  // namespace dse::nn::circulant
