// Numbers with units as people write them: `64 KiB`, `8 B/cycle`, `60 ns`, `23 M`, `0.5`. Read exactly, from the
// decimal digits, never through a floating-point number.
//
// A number is decimal digits with an optional fraction: no sign, exponent, hexadecimal or digit grouping, and no
// leading zero (YAML would read 010 as 8). Between number and unit there is one space or none. KB is 1,000 bytes, KiB
// 1,024.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace dse {

/// A value, or the reason why there is none ("'64 kb' is not a size: use B, KB, KiB, ...").
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

/// The suffixes that a quantity may be written with. `factor` converts to the base unit, which is the first one's.
struct Unit {
  struct Suffix {
    std::string text;
    std::int64_t factor;
  };
  std::string what;     // with article: "a size"
  std::string example;  // "64 KiB"
  std::vector<Suffix> suffixes;
  bool bare = false;      // a number alone is fine
  bool fraction = false;  // `1/3` is fine
  int decimals = 9;       // digits after the point at most: keeps products of rates and counts within 64 bits
};

namespace unit {
extern const Unit bytes;        // base: byte
extern const Unit bandwidth;    // base: byte per cycle
extern const Unit cycles;       // base: cycle
extern const Unit frequency;    // base: Hz
extern const Unit time;         // base: ns
extern const Unit count;        // plain, or with k, M, G (thousand, million, milliard)
extern const Unit ratio;        // plain decimal with up to 6 digits after the point, or a fraction of whole numbers
extern const Unit area;         // base: square micrometre
extern const Unit pj_per_byte;  // base: pJ per byte
extern const Unit pj_per_mac;   // base: pJ per multiply-accumulate
extern const Unit pj_per_access, pj_per_element, pj_per_cycle;  // base: pJ per each
extern const Unit power;                                        // base: microwatt
}  // namespace unit

/// Exact value in the base unit, fraction reduced.
Parsed<Ratio> parse_quantity(std::string_view text, const Unit& unit);
/// Same, and whole ("'0.3 B' is not a whole number of B").
Parsed<std::int64_t> parse_whole(std::string_view text, const Unit& unit);

/// A latency: cycles of the owning block's clock, or a time that becomes cycles once the clock is known.
struct Duration {
  Ratio amount;  // cycles, or ns
  bool in_cycles = true;
  /// Whole cycles at `hz`, rounded up. Amounts above 10^9 cycles or 10^9 ns are refused by the parser, so this cannot
  /// overflow.
  std::int64_t cycles(std::int64_t hz) const;
};
/// `10 cycles`, `60 ns`, `1 us`.
Parsed<Duration> parse_duration(std::string_view text);

/// The regular expression (JSON Schema `pattern`) of the texts that parse_quantity accepts, up to overflow and
/// divisibility.
std::string pattern_of(const Unit& unit);
/// `B, KB or KiB`.
std::string suffixes_of(const Unit& unit);

/// A value as a user would write it, in the largest unit that divides it: `64 KiB`, `1 cycle`, `175 MHz`, `0.5`, `1/3`.
std::string format_quantity(Ratio value, const Unit& unit);

/// `3.5 KiB`: rounded, as messages say what is short.
std::string kib_text(std::int64_t bytes);

/// a < b, exactly.
bool less(Ratio a, Ratio b);

}  // namespace dse
