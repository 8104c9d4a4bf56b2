// Which engine computes an operator, where one beside the engine that computes everything takes some.
#pragma once
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "program/work.h"

namespace dse::hw {

/// What `takes` of a device file can name, sorted: convolutions with windows, depthwise ones, those of 1x1.
const std::vector<std::string>& kinds_taken();

/// Why the engine does not compute the operator, in words; empty: it does. One without `takes` computes all.
std::string why_not_taken(const Device& device, const Engine& engine, const dse_op& op);

/// The first engine that takes the operator, else the device's compute engine; -1 = none.
int engine_for(const Device& device, const dse_op& op);

}  // namespace dse::hw
