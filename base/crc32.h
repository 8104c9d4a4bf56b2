// CRC-32 (IEEE 802.3, reflected, as zlib's): whether bytes are those that were written.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dse {

inline std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = t[i] >> 1 ^ (t[i] & 1 ? 0xedb88320u : 0);
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 0; i < size; ++i) crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
  return ~crc;
}

}  // namespace dse
