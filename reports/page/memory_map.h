// What the memory map draws of a point: boxes in time and offset, and the bytes alive at once, few enough for a page.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::reports {

/// Bytes [begin, end) from one tick to another, of one member of a map (a buffer).
struct Box {
  std::size_t of = 0;
  std::int64_t from = 0, to = 0, begin = 0, end = 0;
  bool operator==(const Box&) const = default;
};

/// At most `most` boxes where that is possible: neighbours in the list that are of the same member become the smallest
/// box around both, those first that add least area. So what is left covers all that was there. Boxes of one member
/// follow each other; a member keeps at least one.
std::vector<Box> thin(const std::vector<Box>& boxes, std::size_t most);

/// What the buffers of one memory take, by index into `p.buffers`: their windows, or all of them for their whole life.
std::vector<Box> boxes_of(const explore::Point& p, const std::string& memory);

/// Bytes alive at once in a memory over time: `begin` is 0, `end` the bytes that the load counts, with `constants` that
/// lie there all the time. Without buffers, none.
std::vector<Box> load_curve(const explore::Point& p, const std::string& memory, std::int64_t constants);

}  // namespace dse::reports
