// A part of a feature map.
#pragma once
#include <cstdint>

namespace dse::hw::ethos_u {

/// A block of a feature map: rows, columns, channels.
struct Block {
  int h = 1, w = 1, c = 1;
  std::int64_t area() const { return std::int64_t{h} * w; }
  std::int64_t elements() const { return area() * c; }
  friend bool operator==(const Block&, const Block&) = default;
};

}  // namespace dse::hw::ethos_u
