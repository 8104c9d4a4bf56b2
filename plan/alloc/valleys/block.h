// A rectangle of time and memory that is full of buffers.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace dse::plan::alloc {

/// A rectangle of sections [first, end) and units that is full of buffers.
struct Block {
  int first = 0, end = 0;
  std::int64_t size = 0;
  std::int64_t highest = 0;                         // offset that the height allows; negative = none
  std::vector<std::pair<int, std::int64_t>> parts;  // buffers, and how far each lies above the bottom
};

}  // namespace dse::plan::alloc
