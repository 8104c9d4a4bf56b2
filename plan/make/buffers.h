// The buffers of a plan without phased segments' steps: everything that lies in a memory, and through which sections.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/place/aliases.h"
#include "plan/plan.h"

namespace dse::plan {

/// Every buffer with its lifetime; offsets come later, but for those in the constants image, of `constants_size` bytes.
/// `plan`: its choices and segments.
std::vector<PlacedBuffer> buffers_of(const nn::Network& network, const hw::Device& device, const Plan& plan,
                                     const std::vector<LayerGeometry>& geometry, const TensorPlaces& places,
                                     std::int64_t& constants_size);

}  // namespace dse::plan
