// The metric `ram`: what an interpreted package of a plan takes of a 32-bit target's RAM on the chip, its stack
// included (deploy/size/ram.h). That is `memory` and something that all plans of a network share, so that plans are in
// the same order by either, and bounds on memory are bounds on RAM.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "explore/question/case.h"
#include "explore/question/sweep.h"

namespace dse::explore {

constexpr const char* kRam = "ram";

/// Bytes beside the arenas, with the sweep's kernels; nothing: not known on this device.
std::optional<std::int64_t> beside_arenas(const SweepSpec& spec, const nn::Network& network, const hw::Device& device);

/// The same, 0 where it is not known or the sweep has no limit on it.
std::int64_t beside_memory(const SweepSpec& spec, const nn::Network& network, const hw::Device& device);

/// Adds errors where the sweep asks for it and it is not known.
void check_ram(const SweepSpec& spec, const Case& c, Diagnostics& diags);

}  // namespace dse::explore
