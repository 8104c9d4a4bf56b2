// The ports of a network as every later stage wants them: each output a tensor of its own that an operator makes.
#pragma once
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Outputs that no operator makes for them alone get a copy: an input or a constant that is an output too, a tensor
/// that is listed twice (RESHAPE to its own shape), a variable (READ_VARIABLE, after everything else). Idempotent.
/// Indices that are no tensors stay as they are, for check_ports to name. Structure hashes of other networks stay.
void settle_outputs(Network& network);

/// Inputs are distinct tensors of kind `input` and all of that kind; outputs are made. `made`: per tensor, after the
/// last operator. One diagnostic per port. @returns false after one.
bool check_ports(const Network& network, const std::vector<bool>& made, const std::string& file, Diagnostics& diags);

}  // namespace dse::nn
