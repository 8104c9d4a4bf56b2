// What the units of an Ethos-U85 take for a block. Source: Vela 5.1
// (ethosu/regor/architecture/ethosu85/ethos_u85_performance.cpp), except what is said to be left out in
// docs/npu/model.md.
#pragma once
#include "models/hw/ethos_u/job.h"
#include "models/hw/ethos_u/u85/table.h"

namespace dse::hw::ethos_u::u85 {

/// The MAC unit on one part of a kernel of `taps` elements, for outputs of `ofm` over `ifm_depth` input channels. A
/// micro block is that of all cores.
std::int64_t mac_cycles(const Accelerator& a, const Job& job, const BlockConfig& block, const Block& ofm, int ifm_depth,
                        int taps);

/// What no choice of blocks and stripes is below, of the whole job.
std::int64_t least_mac_cycles(const Accelerator& a, const Job& job);

/// The output unit per element.
double output_cycles(const Accelerator& a, const Job& job);

/// Weights that are decoded in a cycle where this share of them is zero, by the standard decoder of every core.
int decoded_per_cycle(const Accelerator& a, double zeros);

}  // namespace dse::hw::ethos_u::u85
