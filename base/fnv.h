// FNV-1a, 64 bits (Fowler, Noll, Vo; offset basis and prime as published): ids and keys of what was computed, not
// protection against anyone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace dse {

class Fnv {
 public:
  /// Eight bytes, least significant first.
  Fnv& word(std::int64_t v) {
    for (int i = 0; i < 8; ++i) byte(static_cast<std::uint64_t>(v) >> (8 * i) & 0xff);
    return *this;
  }
  /// Characters alone: where texts of any length follow each other, a word with the length belongs to them.
  Fnv& characters(std::string_view s) {
    for (const char c : s) byte(static_cast<unsigned char>(c));
    return *this;
  }
  /// Characters, then their number.
  Fnv& text(std::string_view s) { return characters(s).word(static_cast<std::int64_t>(s.size())); }
  std::uint64_t value() const { return hash_; }
  /// 16 digits.
  std::string hex() const {
    std::string out(16, '0');
    for (std::size_t i = 0; i < 16; ++i) out[i] = "0123456789abcdef"[hash_ >> (60 - 4 * i) & 15];
    return out;
  }

 private:
  void byte(std::uint64_t b) { hash_ = (hash_ ^ b) * 0x100000001b3u; }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace dse
