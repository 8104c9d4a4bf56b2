// What can be checked of a sweep before hours are spent on it, once its networks and devices are known.
#pragma once
#include <string>
#include <vector>

#include "explore/explore.h"

namespace dse::cli {

/// Memories and engines that constraints and choices name exist in at least one device; each plan belongs to a network
/// and device of the sweep and is sound.
void check_against_devices(const explore::SweepSpec& spec, const std::vector<explore::Case>& cases,
                           Diagnostics& diagnostics);

/// `--device gap8 resnet8`: an option that takes several devices takes a network behind them, too. Takes out of
/// `devices` what, behind the first, names a network, by its kind of file or as one that is shipped. @returns these.
std::vector<std::string> networks_among(std::vector<std::string>& devices);

/// Bytes that `--memory` lets all processes take; 0 after a diagnostic.
std::int64_t memory_of(const std::string& text, Diagnostics& d);

}  // namespace dse::cli
