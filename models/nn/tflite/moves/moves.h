// Operators of TensorFlow Lite that dissolve into others, or into constants, as they are read.
#pragma once
#include <map>
#include <string>

#include "models/nn/tflite/reading.h"

namespace dse::nn {

/// GATHER by constant indices, TILE and BROADCAST_TO become operators that move values; of constants, constants.
/// @param stays false: nothing is left of the operator. @returns whether it is one of these.
bool read_tflite_moves(TfliteReading& reading, const tflite::Operator& from, std::int32_t builtin, Operator& op,
                       bool& stays);

/// DEQUANTIZE of a constant (of FLOAT16, too, which is read as FLOAT32): its output is one. @returns whether it is.
bool fold_tflite_dequantize(TfliteReading& reading, const Operator& op);

/// Constants of INT8 that an operator in FLOAT32 reads (dynamic range) as FLOAT32: (q - zero point) * scale in
/// binary32. @param widened those that were made so far.
void widen_tflite_weights(TfliteReading& reading, Operator& op, std::map<int, int>& widened);

/// Why an operator of that custom code cannot be run, where a compiler for one machine writes it; else empty.
std::string foreign_tflite_runtime(const std::string& custom);

}  // namespace dse::nn
