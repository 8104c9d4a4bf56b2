// What an axis of the space adds: the same search without it.
#pragma once
#include <vector>

#include "explore/within.h"

namespace dse::explore {

/// For every front and every axis of `spec.without`: searches again without that axis, by `search`, and says in
/// Front::without what becomes of the front. What a search of the same folder has simulated is not simulated again.
void add_without(const SweepSpec& spec, const std::vector<Case>& cases, const ExploreOptions& options,
                 const Search& search, Sweep& sweep, Diagnostics& diags);

}  // namespace dse::explore
