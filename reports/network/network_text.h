// `dse inspect` for people.
#pragma once
#include <string>

#include "models/nn/network.h"

namespace dse::reports {

/// The table of operators with totals, then inputs and outputs, memory (peak, variables, weights), operators by kind,
/// what cannot be run and why, what computes in float, quantisation. Lines keep to 100 columns where names and shapes
/// allow.
std::string network_text(const nn::Network& n);

}  // namespace dse::reports
