// The part of a network that a device can run, where not all of it can: what computes before it and after it is the
// host's.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// Whose an operator is.
enum class Side { host_before, device, host_after };

/// Sides of all operators of a finished network whose unsupported operators were kept. The device's are such that one
/// call runs them: nothing of the host's lies between two of them. Of all such sets the one with the most work
/// (multiply-accumulates, elements made, and one per operator), by a minimum cut. Operators that share a variable are
/// on one side.
std::vector<Side> sides_of(const Network& network);

/// The device's part of such a network: what it reads of the host's becomes inputs after the network's own, what the
/// host reads of it becomes outputs after the network's own. `host` names the rest. Not finished. The network itself
/// where all of it can run; nothing where no operator can.
std::optional<Network> cut_network(const Network& network);

/// "3 operators are the host's: before the device NAME (TYPE); after the device NAME (TYPE), NAME (TYPE)"; empty where
/// there are none.
std::string host_text(const Network& network);

}  // namespace dse::nn
