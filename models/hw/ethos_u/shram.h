// How the internal RAM of an Ethos-U is shared by input blocks, accumulators and tables, and so which blocks are
// possible. A U85 has no shared RAM: its rules are in u85/blocks.h, and are asked where an accelerator is one.
#pragma once
#include <optional>

#include "models/hw/ethos_u/job.h"

namespace dse::hw::ethos_u {

/// First banks of the regions: outputs from 0, inputs, of elementwise operations those of the second operand,
/// accumulators, tables.
struct ShramLayout {
  int ifm = 0, ifm2 = 0, ifm_end = 0, accumulators = 0, tables = 0;
  friend bool operator==(const ShramLayout&, const ShramLayout&) = default;
};

/// Whether a convolution's kernel elements go inside the input channels: where that keeps more of the multipliers busy.
/// A tie is depth-first for blocks, though weights are ordered part-kernel-first on one (`of_weights`).
bool part_kernel_first(const Accelerator& a, const Job& job, bool of_weights = false);

/// The input block that an output block needs.
Block ifm_block(const Accelerator& a, const Job& job, const Block& ofm, bool part_kernel);

/// The accumulators that an output block takes: one row of outputs under a kernel of one row no more than it has
/// outputs.
Block held_block(const Accelerator& a, const Job& job, const Block& ofm);

/// The layout in which both blocks fit twice, or nothing; a U85 has none.
std::optional<ShramLayout> layout_of(const Accelerator& a, const Job& job, const Block& ofm, const Block& ifm);

/// The whole configuration for blocks of `ofm`, or nothing where they do not fit or are no multiple of what is computed
/// at once.
std::optional<BlockConfig> block_config(const Accelerator& a, const Job& job, const Block& ofm);

}  // namespace dse::hw::ethos_u
