// What is fetched in blocks of a size: what the rules for blocks compare. By the arithmetic of Vela
// (ethosu/vela/architecture_allocator.py).
#pragma once
#include "models/hw/ethos_u/job.h"

namespace dse::plan::npu {

/// What a job fetches in blocks of `ofm`, per output: `fit` of them over inputs of `ifm`. `in`: the input's shape. The
/// order of the products decides ties.
double fetch_cost(const hw::ethos_u::Job& job, const hw::ethos_u::Shape& in, const hw::ethos_u::Block& ofm,
                  const hw::ethos_u::Block& fit, const hw::ethos_u::Block& ifm);

}  // namespace dse::plan::npu
