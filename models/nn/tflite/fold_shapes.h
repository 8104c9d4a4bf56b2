// Shapes that a file computes: where every shape is known as the file is read, so is what comes of them.
#pragma once
#include "models/nn/tflite/reading.h"

namespace dse::nn {

/// An operator on the shapes of tensors, or on small constants of INT32 or INT64 without scales (SHAPE, RANK, PACK,
/// STRIDED_SLICE, GATHER, CAST, arithmetic, ...): its outputs become constants. `op` has the file's type, inputs and
/// outputs, all of them valid or -1.
/// @returns true when it dissolves; false, with nothing changed, when it is no such operator.
bool fold_tflite_shape(TfliteReading& reading, const tflite::Operator& from, const Operator& op);

}  // namespace dse::nn
