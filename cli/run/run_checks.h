// What can be checked of a sweep before hours are spent on it, once its networks and devices are known.
#pragma once
#include "explore/explore.h"

namespace dse::cli {

/// Memories and engines that constraints and choices name exist in at least one device; each plan belongs to a network
/// and device of the sweep and is sound.
void check_against_devices(const explore::SweepSpec& spec, const std::vector<explore::Case>& cases,
                           Diagnostics& diagnostics);

}  // namespace dse::cli
