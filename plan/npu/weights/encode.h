// The lossless code of an Ethos-U's weights: palettes, Golomb-Rice codes whose divisor changes along the stream, and
// runs of zeros apart. docs/npu/schedules.md has the format; dse_npu_decode of the kernels reads it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace dse::plan::npu {

/// Weights of -255 to 255. @returns a multiple of 16 bytes.
std::vector<std::uint8_t> encode(std::span<const std::int16_t> weights);

}  // namespace dse::plan::npu
