// Random networks of what exporters leave behind: explicit paddings, transpositions, reductions of images.
#pragma once
#include <random>

#include "models/nn/network.h"

namespace dse::nn::test {

/// What a drawn network is made of besides convolutions.
enum class Habit { pads, transposes, reductions };

/// Not finished yet. Types: int8, uint8 (with zero points of weights) or int16, per tensor or per channel; paddings of
/// any amounts and values, read by one or several operators; `onnx`: that rounding mode.
Network drawn_network(std::mt19937_64& random, Habit habit);

}  // namespace dse::nn::test
