// The figure `flash` of a point: what an interpreted package of a plan takes of flash (deploy/size/flash.h), on the
// core that takes most. It is told of each point, and neither an objective nor a limit: how long a program gets is
// known when a plan is whole.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "explore/question/case.h"
#include "explore/question/sweep.h"
#include "plan/plan.h"

namespace dse::explore {

constexpr const char* kFlash = "flash";

/// Bytes with the sweep's kernels: constants, the encoded program (program_bytes), the code that it needs. Nothing: not
/// known on this device, as `ram` (ram.h), or of its processor, beside an array that computes.
std::optional<std::int64_t> flash_of(const SweepSpec& spec, const Case& c, const plan::Plan& plan,
                                     std::int64_t program_bytes);

/// Why nobody can search for it, of its name; empty: of other metrics' names.
std::string why_not_searched(const std::string& metric);

}  // namespace dse::explore
