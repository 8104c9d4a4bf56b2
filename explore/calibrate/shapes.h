// Networks that a table of measurements says in words: what is measured does not depend on weights.
#pragma once
#include <optional>
#include <string>

#include "models/nn/network.h"

namespace dse::explore {

/// Layers in the words of docs/network/yaml.md over an input of this shape, "[1, 28, 28, 1]", as a network with seeded
/// weights. What a name may not have becomes `-`. `wide`, here and below: activations of 16 bits. Null: no such
/// network.
nn::NetworkPtr network_of_layers(const std::string& name, const std::string& input, const std::string& layers,
                                 bool wide = false);

/// One operator, by its name as TensorFlow Lite has it and the shapes of its tensors:
///   CONV_2D            in 49x10x1 out 25x5x64 k10x4 s2x2       or 32x32x64 k3 oc64 (same padding), or matrices of
///                                                              pixels and filters, each by their depth: 64x512 x
///                                                              256x512
///   DEPTHWISE_CONV_2D  in 25x5x64 out 25x5x64 k3x3 s1x1        multiplier 64 where channels differ
///   AVERAGE_POOL_2D, MAX_POOL_2D  in 25x5x64 out 1x1x64        k25x5 where it is not all of the input; or 32x32x64 k3
///   FULLY_CONNECTED    in 64 out 12                            or 512 x 256
///   SOFTMAX, RESHAPE, ADD  in 12, or n4096
/// A convolution's map and channels may be apart, as 32x32 16>64 k3. Words behind the name are the shape's: "CONV_2D
/// k3" with 32x32 16>64. Null: not understood.
nn::NetworkPtr operator_of_shape(const std::string& kind, const std::string& shape, bool wide = false);

/// A chain of operators, one after the other, divided by `;`, the input's shape with the first:
///   conv3x3/s2 28x28x1>14x14x4; dw3x3/s1 14x14x4>14x14x4; maxpool2/s2>7x7x4; avgpool7/s1; gap>4; fc 4>10; softmax
/// Numbers behind the shapes are ignored. Ten outputs of a fully connected layer at the end are taken for
/// classes: a softmax follows. Null: not understood.
nn::NetworkPtr network_of_shape(const std::string& name, const std::string& shape, bool wide = false);

}  // namespace dse::explore
