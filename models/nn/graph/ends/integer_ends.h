// Ends of a network that only convert: what comes in or goes out in FLOAT32 though the network computes in integers.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// The network without such ends, which `host` names; it reads and makes integers itself. Tensors and operators keep
/// their names, ports their order. Left out are
/// * a QUANTIZE of an input that nothing else reads (several that say the same are one);
/// * a DEQUANTIZE whose result leaves the network, alone or through SOFTMAX, LOG_SOFTMAX, LOGISTIC, and moves of it in
///   FLOAT32, brought to integers again or not. Two outputs that come of one tensor become one.
/// Operators with a price stay, and so does an end behind which nothing would be left.
/// @param n not finished, not even checked.
/// @param said for people, what became of each port: "input 'x' is 'x_q' (INT8)"; added to.
/// @returns the same where there is nothing to leave out.
Network integer_ends(Network n, const LoadOptions& options, std::vector<std::string>& said);

}  // namespace dse::nn
