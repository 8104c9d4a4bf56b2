// Odd graphs, as damaged and hand-made files hold them: small valid networks whose ports and wires are bent at random.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "tests/support/random_cases.h"

namespace dse::test {

struct OddGraph {
  std::string what;     // what was done to which network
  nn::Network network;  // not finished: only to be written
};

/// How many ways there are to bend a graph.
int odd_ways();
/// This way bends the wires between operators, not the ports of the network.
bool bends_wires(int way);
/// Bends `network` once in way `way` (below odd_ways()) and says how.
std::string bend(nn::Network& network, int way, Random& random);

/// A small network: every way once over several networks for `seed` below odd_ways() * 4, then two or three at a time.
OddGraph odd_graph(std::uint64_t seed);

}  // namespace dse::test
