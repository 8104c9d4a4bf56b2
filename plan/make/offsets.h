// Where the buffers of a plan lie.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"

namespace dse::plan {

/// searched: buffers lie apart. none: those of plans with phased segments all begin where their memory does, and
/// `heights` are `loads`, which no layout is below. Such a plan takes the time that it takes with offsets, which are
/// what takes long to find; it computes nothing.
enum class Offsets { searched, none };

/// Fills offsets, heights and loads of a plan whose layers run one by one. `fixed`: per tensor the offset that it has
/// already; empty = none has.
void place_layerwise(const hw::Device& device, Plan& plan, const std::vector<std::int64_t>& fixed);

/// The same of a plan with phased segments, whose rows share memory over the steps; adds the buffers of rows from
/// elsewhere. @returns what cannot be.
std::optional<Infeasible> place_phased(const nn::Network& network, const hw::Device& device, Plan& plan,
                                       Offsets offsets);

/// What a buffer of a plan with phased segments counts as: its life, and whole units of `alignment` as where layers run
/// one by one; rings, whose rows interleave to the byte, as they are.
alloc::Buffer counted_life(const PlacedBuffer& buffer, int alignment);

}  // namespace dse::plan
