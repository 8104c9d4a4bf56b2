// The block of outputs that an operation is computed in.
#pragma once
#include <optional>

#include "models/hw/ethos_u/shram.h"

namespace dse::plan::npu {

/// The block that fetches least per output, as Vela 3.10 chooses it (ethosu/vela/architecture_allocator.py). `job`:
/// shapes of the stripe. Nothing where no block fits.
/// Of a U85 by the rule of Vela 5.1 (u85/block_rule.h).
std::optional<hw::ethos_u::BlockConfig> block_by_rule(const hw::ethos_u::Accelerator& a, const hw::ethos_u::Job& job);

}  // namespace dse::plan::npu
