// The block of outputs that an operation is computed in.
#pragma once
#include <optional>

#include "models/hw/ethos_u/shram.h"

namespace dse::plan::npu {

/// The block that fetches least per output, as Vela 3.10 chooses it (ethosu/vela/architecture_allocator.py). `job`:
/// shapes of the stripe. Nothing where no block fits.
/// Of a U85 by the rule of Vela 5.1 (u85/block_rule.h).
std::optional<hw::ethos_u::BlockConfig> block_by_rule(const hw::ethos_u::Accelerator& a, const hw::ethos_u::Job& job);

/// What a job fetches in blocks of `ofm`, per output: `fit` of them over inputs of `ifm`. `in`: the input's shape. The
/// order of the products decides ties.
double fetch_cost(const hw::ethos_u::Job& job, const hw::ethos_u::Shape& in, const hw::ethos_u::Block& ofm,
                  const hw::ethos_u::Block& fit, const hw::ethos_u::Block& ifm);

}  // namespace dse::plan::npu
