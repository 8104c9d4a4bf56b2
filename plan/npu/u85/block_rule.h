// The block of outputs that an operation is computed in on an Ethos-U85.
#pragma once
#include <optional>

#include "models/hw/ethos_u/u85/blocks.h"

namespace dse::plan::npu {

/// As Vela 5.1 chooses (ethosu/regor/architecture/ethosu85/ethos_u85.cpp), in fewer words. Convolutions and products:
/// what fetches least per output, of blocks that fit into both RAMs twice, else once. Depthwise convolutions, pools and
/// sums: a block of the picture's aspect that fills the RAMs. Element by element: what the output buffer holds. Nothing
/// where no block fits.
std::optional<hw::ethos_u::BlockConfig> u85_block_by_rule(const hw::ethos_u::Accelerator& a,
                                                          const hw::ethos_u::Job& job);

}  // namespace dse::plan::npu
