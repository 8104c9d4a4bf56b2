// What the MAC unit and the output unit of an Ethos-U take for a block: the same arithmetic for Arm's estimate and for
// the blocks that SystemC runs. Source: Vela 3.10 (ethosu/vela/npu_performance.py); of a U85 u85/cycles.h.
#pragma once
#include <cstdint>

#include "models/hw/ethos_u/job.h"

namespace dse::hw::ethos_u {

/// One row of an even number of outputs is computed four columns at a time where two rows of two are else. A U85 has
/// micro blocks of one row to choose from.
bool one_row(const Accelerator& a, const Job& job);

/// The MAC unit on one part of a kernel of `taps` elements, for outputs of `ofm` over `ifm_depth` input channels, on
/// all cores.
std::int64_t mac_cycles(const Accelerator& a, const Job& job, const BlockConfig& block, const Block& ofm, int ifm_depth,
                        int taps);

/// What no choice of blocks and stripes is below, of the whole job: without waits between micro blocks, every edge
/// counted once.
std::int64_t least_mac_cycles(const Accelerator& a, const Job& job);

/// The output unit per element.
double output_cycles(const Accelerator& a, const Job& job, Accumulator accumulator);

}  // namespace dse::hw::ethos_u
