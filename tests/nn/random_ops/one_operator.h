// A drawn operator as a network of one operator, and that operator computed in tiles.
#pragma once
#include "cases.h"
#include "models/nn/network.h"

namespace dse::nn::random_ops {

/// The network, before finish_network().
Network network_of(const Case& c);

/// Computes the network's only operator call by call and tile by tile: random cuts, every operand in a box of its own
/// in a random layout, all other memory poison. `bytes`: of every tensor, as interpret() gives them.
/// @returns the outputs' bytes, and in `violations` what was written outside a box.
std::vector<std::vector<std::uint8_t>> run_in_tiles(const Network& n, const TensorBytes& bytes, unsigned seed,
                                                    std::uint8_t poison, std::string& violations);

}  // namespace dse::nn::random_ops
