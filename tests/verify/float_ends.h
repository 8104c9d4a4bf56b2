// A small quantised classifier with FLOAT32 at its ends, for tests and the documentation.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::test {

/// `.tflite`: FLOAT32 image -> QUANTIZE -> two convolutions -> DEQUANTIZE -> RESHAPE -> SOFTMAX -> shares.
std::vector<std::uint8_t> float_ends_file();

}  // namespace dse::test
