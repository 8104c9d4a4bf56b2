// What a composition with runs counts too much.
#pragma once
#include <cstdint>
#include <vector>

#include "explore/space/space.h"

namespace dse::explore {

/// Per memory of the device: by how many bytes a plan with runs may need less than what is composed of its sections. A
/// composition rounds each tensor and each buffer of a layer up to where the next may begin; where rows share memory,
/// some lie closer.
std::vector<std::int64_t> most_rounding(const Space& space);

}  // namespace dse::explore
