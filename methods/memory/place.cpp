#include "methods/memory/place.h"

#include <map>

namespace dse::plan::shared {
namespace {

/// One block for each stretch of time in which a row is held.
void add_rows(const TensorUse& t, int tensor, std::int64_t row_bytes, std::vector<Block>& out) {
  std::map<std::int64_t, std::pair<int, int>> open;  // by row: from, to
  const auto close = [&](std::int64_t row, std::pair<int, int> life) {
    Block b{tensor, row, {}};
    b.buffer.lower = life.first, b.buffer.upper = life.second, b.buffer.size = row_bytes;
    out.push_back(std::move(b));
  };
  for (const Held& h : t.held) {
    for (auto at = open.begin(); at != open.end();) {
      if (at->first >= h.lo && at->first < h.hi && at->second.second == h.from) {
        ++at;
        continue;
      }
      close(at->first, at->second);
      at = open.erase(at);
    }
    for (auto row = h.lo; row < h.hi; ++row) open.try_emplace(row, h.from, h.to).first->second.second = h.to;
  }
  for (const auto& [row, life] : open) close(row, life);
}

bool callers(const TensorUse& t, int steps) {
  if (t.held.empty()) return false;
  const Held &first = t.held.front(), &last = t.held.back();
  const auto whole = [&](const Held& h) { return h.lo == 0 && h.hi == t.rows; };
  return (first.from == 0 && whole(first)) || (last.to == steps && whole(last));
}

}  // namespace

std::vector<Block> blocks_of(const Schedule& s, std::int64_t bytes_per_element, Placement placement,
                             std::int64_t alignment) {
  std::vector<Block> out;
  const int steps = static_cast<int>(s.steps.size());
  for (int i = 0; i < static_cast<int>(s.tensors.size()); ++i) {
    const TensorUse& t = s.tensors[static_cast<std::size_t>(i)];
    const bool by_rows =
        placement == Placement::ring_rows ? t.ring > 0 : placement == Placement::rows && !callers(t, steps);
    if (by_rows)
      add_rows(t, i, t.row_elements * bytes_per_element, out);
    else
      out.push_back({i, -1, buffer_of(t, bytes_per_element)});
  }
  for (Block& b : out) b.buffer.alignment = alignment;
  return out;
}

Placed place(const Schedule& s, std::int64_t bytes_per_element, Placement placement, std::int64_t alignment,
             const alloc::Effort& effort) {
  Placed p{placement, blocks_of(s, bytes_per_element, placement, alignment), {}};
  std::vector<alloc::Buffer> buffers;
  buffers.reserve(p.blocks.size());
  for (const Block& b : p.blocks) buffers.push_back(b.buffer);
  p.layout = alloc::allocate(buffers, {}, effort);
  return p;
}

alloc::Layout arena(const Schedule& s, std::int64_t bytes_per_element, std::int64_t alignment,
                    const alloc::Effort& effort) {
  return place(s, bytes_per_element, Placement::rings, alignment, effort).layout;
}

}  // namespace dse::plan::shared
