// Arena allocation: buffers with lifetimes get byte offsets in one memory ("dynamic storage allocation").
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dse::plan::alloc {

/// A time inside the life of a buffer in which it needs fewer bytes than its size: a window of them, or none at all.
struct Gap {
  std::int64_t lower = 0, upper = 0;  // steps, half open
  std::int64_t begin = 0, end = 0;    // bytes from the start of the buffer, half open; empty = none
  bool operator==(const Gap&) const = default;
};

/// A byte range that is needed during [lower, upper). Bytes unless said otherwise. Offsets are never negative, not even
/// that of a buffer whose windows all begin above its first byte.
struct Buffer {
  std::string id;
  std::int64_t lower = 0, upper = 0;   // steps, half open, of any unit; empty = never needed
  std::int64_t size = 0;               // 0 = occupies nothing
  std::int64_t alignment = 1;          // its offset is a multiple of this
  std::vector<Gap> gaps;               // ascending, apart from each other, inside the life
  std::optional<std::int64_t> offset;  // fixed: it must lie there, at a multiple of the alignment
  bool operator==(const Buffer&) const = default;
};

/// Largest size, offset, time or sum of sizes: keeps every sum of this module within 64 bits.
inline constexpr std::int64_t kLargest = std::int64_t{1} << 56;

/// Offsets of all buffers of a problem, and what is known about the least possible height.
struct Layout {
  std::vector<std::int64_t> offsets;  // per buffer
  std::int64_t height = 0;            // bytes: the highest end of what is needed of a buffer
  std::int64_t load = 0;              // bytes: the most that is needed in one step
  std::int64_t lower_bound = 0;       // bytes: proven, no layout is lower; >= load
  std::int64_t nodes = 0;             // of the exact search, as Effort counts them
  bool optimal() const { return height == lower_bound; }
};

}  // namespace dse::plan::alloc
