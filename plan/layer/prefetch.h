// Filters that are fetched across layers: the first copy of a layer's filters is made in the section before its own,
// which ends when it has ended. What they pass through lives from there on.
#pragma once
#include <string>

#include "plan/layer/layer.h"

namespace dse::plan {

/// Why the filters of a layer with this geometry cannot be fetched ahead; empty: they can.
std::string why_no_prefetch(const LayerGeometry& geometry, const hw::Device& device);

/// What is fetched, offsets open. `geometry`: of a layer whose filters can be.
Prefetch prefetch_of(const LayerGeometry& geometry);
/// The layer's own buffer that it goes to.
const char* prefetch_buffer(const LayerGeometry& geometry);

/// What an operator with its operands at these homes may want fetched, offsets open; `bytes` 0: nothing.
Prefetch possible_prefetch(const LayerContext& context);

/// Adds the copy to a section that begins at instruction `begin` and is complete but for the Wait that ends it: behind
/// the last task of its own on the same queue, and before what is computed.
void insert_prefetch(program::Program& program, std::size_t begin, const Prefetch& prefetch, const hw::Device& device);

}  // namespace dse::plan
