// A plan through the checker and the simulation with data.
#pragma once
#include <string>

#include "models/hw/device.h"
#include "models/nn/network.h"
#include "plan/plan.h"

namespace dse::test {

hw::DevicePtr shipped_device(const std::string& name);

/// What is wrong with the plan's program, or with the bytes that it makes beside the interpreter's; empty when nothing
/// is.
std::string fault_of(const nn::Network& network, const hw::DevicePtr& device, const plan::Plan& plan);

}  // namespace dse::test
