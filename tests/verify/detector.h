// A small detector as exporters make them: floats in front, floats and a custom operator behind.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::test {

/// `.tflite`: FLOAT32 image -> MUL -> QUANTIZE -> convolutions -> boxes and scores -> DEQUANTIZE each -> CUSTOM
/// TFLite_Detection_PostProcess -> boxes, scores.
std::vector<std::uint8_t> detector_file();

}  // namespace dse::test
