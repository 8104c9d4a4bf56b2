// A part of a feature map.
#pragma once
#include <cstdint>
#include <string>

namespace dse::hw::ethos_u {

/// A block of a feature map: rows, columns, channels.
struct Block {
  int h = 1, w = 1, c = 1;
  std::int64_t area() const { return std::int64_t{h} * w; }
  std::int64_t elements() const { return area() * c; }
  friend bool operator==(const Block&, const Block&) = default;
};

/// "4x8x16": rows x columns x channels.
inline std::string text_of(const Block& b) {
  return std::to_string(b.h) + "x" + std::to_string(b.w) + "x" + std::to_string(b.c);
}

}  // namespace dse::hw::ethos_u
