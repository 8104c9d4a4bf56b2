// Random networks of every kind of operator and arithmetic: for the property that a plan's bytes equal the
// interpreter's.
#pragma once
#include "tests/support/random_cases.h"

namespace dse::test {

/// int8 and int16: TensorFlow Lite's arithmetic (16-bit activations, 8-bit weights); q8, q16, mixed: Q formats of 8
/// bits, 16 bits, or either per tensor.
enum class Arithmetic { int8, int16, q8, q16, mixed };
const char* name_of(Arithmetic a);

/// A directed graph of 3 to 9 operators over images: convolutions (grouped, dilated, transposed), pools, element-wise
/// operators with second operands that are activations, constants or broadcast, concatenations of up to four, splits,
/// pads, transposes, slices, reductions, resizing. Several outputs. Null where the drawn scales do not add up (ADD and
/// SUB refuse ratios beyond their fixed-point range).
nn::NetworkPtr random_wide_network(Random& random, Arithmetic arithmetic);

}  // namespace dse::test
