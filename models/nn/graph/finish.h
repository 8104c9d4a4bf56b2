// Names of operators in a network that importers have read.
#pragma once
#include "models/nn/network.h"

namespace dse::nn {

/// Names for operators that have none: "conv3", unique and stable.
void name_operators(Network& n);

}  // namespace dse::nn
