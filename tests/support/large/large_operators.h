// Networks around one operator whose tensors are larger than the nearest memory of a device: every kind that is no sum
// of products, alone and between two convolutions.
#pragma once
#include <string>
#include <vector>

#include "tests/support/random_cases.h"

namespace dse::test {

/// "mul by channel", "concat of 3 rows", "pad 0 1", ...
const std::vector<std::string>& large_operators();

/// One of them, int8, whose larger tensor has about `bytes` bytes. `between`: with a convolution before it and, where
/// it makes an image, after it. @throws InvariantError when it cannot be derived.
nn::NetworkPtr large_operator(Random& random, const std::string& name, std::int64_t bytes, bool between);

/// The device with so many bytes left in the nearest memory of its computing engine.
hw::DevicePtr with_near_bytes(const hw::Device& device, std::int64_t bytes);

}  // namespace dse::test
