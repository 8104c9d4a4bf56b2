// Networks whose cycles on GAP8 are known, by their topology: weights change no cycles, so they are seeded.
#pragma once
#include <string>

#include "models/nn/network.h"

namespace dse::explore {

/// MobileNet v1 for square RGB images, 1,000 classes: `alpha` in hundredths.
nn::NetworkPtr mobilenet_v1(int alpha, int resolution);

/// The networks of DORY's regression tests (github.com/pulp-platform/dory_examples), by the name that
/// golden/cycles/whole_networks.csv has for them; null where it is none of them. Variants that differ in the width of
/// the requantisation alone are one network.
nn::NetworkPtr dory_network(const std::string& name);

}  // namespace dse::explore
