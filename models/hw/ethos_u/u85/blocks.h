// Which blocks an Ethos-U85 computes in: the micro block, the walk, the inputs under a block, and what fits into its
// RAMs. Source: Vela 5.1 (ethosu/regor/architecture/ethosu85/ethos_u85.cpp); docs/npu/model.md says where this is
// simpler.
#pragma once
#include <optional>

#include "models/hw/ethos_u/job.h"
#include "models/hw/ethos_u/u85/table.h"

namespace dse::hw::ethos_u::u85 {

/// Whether a convolution's kernel elements go inside the input channels: where that keeps as many multipliers busy.
bool kernel_first(const Job& job);

/// Whether the unit of a job works on this micro block.
bool takes(const Accelerator& a, const Job& job, const Block& micro);

/// The micro block that wastes least at the edges of a job's outputs; the first of several.
Block best_ublock(const Accelerator& a, const Job& job);

/// The micro block in which blocks of `ofm` are computed: the first that the unit takes and that divides them. So a
/// stream need not carry it. Null where there is none.
const Block* ublock_of(const Accelerator& a, const Job& job, const Block& ofm);

/// The input block that an output block needs.
Block input_block(const Accelerator& a, const Job& job, const Block& ofm, const Block& micro);

/// Bytes that a block of inputs takes in its RAM, and a block of outputs in that of the accumulators.
std::int64_t input_bytes(const Job& job, const Block& ifm);
std::int64_t accumulator_bytes(const Accelerator& a, const Job& job, const Block& ofm);

/// Bytes of the output buffer that a block element by element takes, and of a slot of the chaining buffer its stretched
/// operand; of two stretched ones the smaller part.
std::int64_t output_bytes(const Job& job, const Block& ofm);
std::int64_t stretched_bytes(const Job& job, const Block& ofm);

/// Units whose blocks fill the RAMs once: the one after follows row by row.
inline bool follows_by_row(Unit u) { return u == Unit::depthwise || u == Unit::pooling || u == Unit::reduce_sum; }

/// The whole configuration for blocks of `ofm`, or nothing where they do not fit or no micro block divides them.
std::optional<BlockConfig> block_config(const Accelerator& a, const Job& job, const Block& ofm);

}  // namespace dse::hw::ethos_u::u85
