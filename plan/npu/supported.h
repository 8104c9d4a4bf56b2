// Which operators an Ethos-U has, and why the others stay with the CPU. Source: SUPPORTED_OPS.md of Vela 3.10.
#pragma once
#include <string>

#include "models/nn/network.h"

namespace dse::plan::npu {

/// Empty: the NPU can do it. Else why not.
std::string why_not(const nn::Network& network, const nn::Operator& op);

}  // namespace dse::plan::npu
