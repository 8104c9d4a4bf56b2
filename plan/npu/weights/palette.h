// Of a stream of weights: the sections that have few values each, and the palette of a section.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dse::plan::npu {

/// Values by which a section is coded: entries of the palette first, then all others as they are (sign below
/// magnitude), less `direct_offset` small ones that do not come up.
struct Palette {
  std::vector<int> entries;  // magnitude * 2 + sign; 0 or 2 to 32 of them
  int bits = 2;              // of an entry; without entries of the largest value
  int direct_offset = 0;
  bool zero_runs = false;  // zeros are counted apart and are no values
  bool complete = false;   // every value of the section is an entry
  bool only_zeros = false;

  std::array<int, 512> index_of{};  // by weight + 256
};

Palette palette_of(std::span<const std::int16_t> section);

/// Where another palette begins: after a stretch whose values fewer bits can tell apart, or where a palette has to grow
/// by a bit.
std::vector<std::size_t> section_starts(std::span<const std::int16_t> weights);

}  // namespace dse::plan::npu
