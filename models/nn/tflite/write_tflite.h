#pragma once
#include <cstdint>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// The network as a TensorFlow Lite flatbuffer (schema version 3) that import_tflite() and TensorFlow Lite's own
/// interpreters read. Tensors keep their indices; operands that stand in OperatorOptions follow as further constants,
/// unless an equal constant is there already. Variables of READ_VARIABLE and ASSIGN_VARIABLE become resource variables,
/// with a subgraph that assigns their initial values; all others become variable tensors.
///
/// Errors, one per operator or tensor: operators, roundings, layouts and paddings for which the format has no words,
/// and constants that are to be made up.
/// @returns nothing on error.
std::vector<std::uint8_t> write_tflite(const Network& network, Diagnostics& diags);

}  // namespace dse::nn
