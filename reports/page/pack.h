// Integers as short text: the page carries traces and accounts this way (decoded in assets/report/data.js).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dse::reports {

/// Zigzag, then LEB128 (7 bits per byte, low first), then base64 with padding. Any int64 is exact; small magnitudes are
/// short.
std::string pack(const std::vector<std::int64_t>& values);
/// Inverse of `pack`. @throws InvariantError on text that `pack` does not write.
std::vector<std::int64_t> unpack(const std::string& text);

}  // namespace dse::reports
