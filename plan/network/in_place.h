// Operators in place: choices of plans that save the bytes of a whole tensor, and sometimes the copy of one.
//
// An element-wise operator may write its output over an input that nobody reads afterwards: both tensors have buffers
// at one address, and the second begins its life where the first ends it. A concatenation may have its parts made where
// they belong, by the operators that make them, and a padded tensor its inside: parts have no buffers of their own
// then. Whoever makes or reads a part does so through a view with the strides of the whole, and the layer that would
// have moved it has nothing left to do (a padding: the border).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "models/hw/device.h"
#include "models/nn/network.h"

namespace dse::plan {

/// Inputs (indices into activations()) whose bytes the output of `op` may take over as far as the network is concerned:
/// each output element is computed from the one at the same place, and nobody must read the input later or gets it from
/// outside. Who could read it later or earlier has to run earlier then. `root`: of alias_roots(). In order of the
/// operands; empty for other operators.
std::vector<int> inputs_to_overwrite(const nn::Network& network, int op, const std::vector<int>& root);

/// The box of the output's image that an input of a concatenation or a padding becomes.
struct Part {
  int tensor = -1;
  std::int64_t y = 0, x = 0, c = 0;
};

/// All inputs of `op`, when it is a concatenation or padding each of whose inputs could be made in its place: bytes are
/// moved, not requantised; each is made by an operator of one output, is no output of the network and stands there
/// once; others may read it, too. A border's bytes are all alike. Empty when one of them cannot, and for other
/// operators.
std::vector<Part> parts_of(const nn::Network& network, int op);

/// The value of a padding's border as raw bytes (the first of them, as many as an element has).
std::array<std::uint8_t, 8> border_of(const nn::Operator& padding);
/// An engine that can fill bytes of a memory; -1 = none.
int filling_engine(const hw::Device& device, int memory);

}  // namespace dse::plan
