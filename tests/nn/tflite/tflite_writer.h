// Writes a Network as a TensorFlow Lite flatbuffer, so that the importer can be tested without model files.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "models/nn/network.h"
#include "tflite_generated.h"

namespace dse::nn::test {

/// Damage done to the model before it is written: gets the object form of the flatbuffer.
using Damage = std::function<void(tflite::ModelT&)>;

std::vector<std::uint8_t> to_tflite(const Network& network, const Damage& damage = {});

/// A network with one operator of every kind, a few hundred weights.
NetworkPtr every_operator();

/// y = x + v; v = y: sums its inputs up from `initial` on. INT8 of scale 1/2 and zero point 0, four elements.
NetworkPtr running_sum(std::uint8_t initial);

}  // namespace dse::nn::test
