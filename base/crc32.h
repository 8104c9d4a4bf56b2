// Cyclic redundancy checks of 32 bits, reflected: whether bytes are those that were written.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dse {

template <std::uint32_t kPolynomial>
std::uint32_t reflected_crc(const std::uint8_t* data, std::size_t size) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = t[i] >> 1 ^ (t[i] & 1 ? kPolynomial : 0);
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 0; i < size; ++i) crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
  return ~crc;
}

/// CRC-32 as Ethernet and zlib compute it (IEEE 802.3).
inline std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  return reflected_crc<0xedb88320u>(data, size);
}

/// CRC-32C (Castagnoli; RFC 3720, B.4), of packages.
inline std::uint32_t crc32c(const std::uint8_t* data, std::size_t size) {
  return reflected_crc<0x82f63b78u>(data, size);
}

}  // namespace dse
