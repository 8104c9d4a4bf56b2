#include "reports/page/pack.h"

#include <algorithm>
#include <string_view>

#include "base/diagnostics.h"

namespace dse::reports {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const std::string& bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 4; ++k) text += k <= present ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string pack(const std::vector<std::int64_t>& values) {
  std::string bytes;
  for (const std::int64_t v : values) {
    std::uint64_t z = static_cast<std::uint64_t>(v) << 1 ^ (v < 0 ? ~std::uint64_t{0} : 0);
    for (; z >= 128; z >>= 7) bytes += static_cast<char>((z & 127) | 128);
    bytes += static_cast<char>(z);
  }
  return base64(bytes);
}

std::vector<std::int64_t> unpack(const std::string& text) {
  std::vector<std::int64_t> values;
  std::uint64_t z = 0;
  int shift = 0;
  const auto take = [&](unsigned byte) {
    ensure(shift < 64, "a packed integer is longer than 64 bits");
    z |= static_cast<std::uint64_t>(byte & 127) << shift;
    shift += 7;
    if (byte & 128) return;
    values.push_back(static_cast<std::int64_t>(z >> 1 ^ (z & 1 ? ~std::uint64_t{0} : 0)));
    z = 0;
    shift = 0;
  };
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const auto digit = kAlphabet.find(c);
    ensure(digit != std::string_view::npos, "a packed list holds a character that is not base64");
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      take(group >> bits & 255);
    }
  }
  ensure(shift == 0, "a packed list ends within an integer");
  return values;
}

}  // namespace dse::reports
