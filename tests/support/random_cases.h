// Random networks, devices and plans for property tests: seeded, small, and varied enough to reach every scheme.
#pragma once
#include <random>

#include "models/hw/device.h"
#include "models/nn/network.h"
#include "plan/choices/choice.h"

namespace dse::test {

using Random = std::mt19937_64;
int pick(Random& random, int lo, int hi);  // inclusive

/// A chain with occasional residual additions: convolutions (all kernel, stride, padding shapes), depthwise with
/// multipliers, pools, additions, then perhaps reshape, fully connected and softmax. int8, seeded weights. Never null.
nn::NetworkPtr random_network(Random& random);

/// A MAC array with two or three memories and one or two DMA engines, or a CPU with no DMA at all; sizes are ample
/// unless `tight`.
hw::DevicePtr random_device(Random& random, bool tight = false);

/// The device with techniques on its computing engine, all or some of them, and rates of their own for some.
hw::DevicePtr with_techniques(const hw::Device& device, Random& random);
/// The device with sums of products in the memory of its computing engine: layers are made in output batches.
hw::DevicePtr with_batches(const hw::Device& device, Random& random);
/// The device with its io memory off the chip and no copy engine that leads from there to the nearest memory: all
/// tensors there pass through the memory between. nullptr where the cores reach everything.
std::shared_ptr<hw::Device> with_tensors_outside(const hw::Device& device);
/// The network with filters that are a column times a row in some of its depthwise convolutions of 8 bits.
nn::NetworkPtr with_separable_filters(const nn::Network& network, Random& random);

/// Values drawn from the registry's domains, layer by layer. `tiled`: tiles and what makes them necessary are drawn
/// more often than not, and outputs live in places that a search does not offer.
std::vector<plan::LayerChoice> random_choices(Random& random, const nn::Network& network, const hw::Device& device,
                                              bool tiled = false);

}  // namespace dse::test
