// Buffers that are live at once in the same bytes.
#pragma once
#include <optional>
#include <vector>

#include "models/hw/device.h"
#include "program/program.h"
#include "sim/measurement.h"

namespace dse::sim {

/// The first two buffers that are live at once in the same bytes of a memory, of one job or of several; nothing = all
/// well.
std::optional<Failure> find_overlap(const hw::Device& device, const std::vector<program::Job>& jobs);

}  // namespace dse::sim
