#include "plan/place/arena.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/diagnostics.h"
#include "base/units.h"
#include "plan/alloc/allocate.h"

namespace dse::plan {
namespace {

/// The largest sum of rounded sizes alive in one step.
std::int64_t load_of(std::span<const Block> blocks, int alignment) {
  std::map<std::int64_t, std::int64_t> change;
  for (const Block& b : blocks) {
    const auto size = round_up(b.size, alignment);
    change[b.first] += size, change[std::int64_t{b.last} + 1] -= size;
  }
  std::int64_t live = 0, load = 0;
  for (const auto& [step, delta] : change) load = std::max(load, live += delta);
  return load;
}

}  // namespace

Layout allocate(std::span<const Block> blocks, int alignment, const ArenaEffort& effort) {
  ensure(alignment >= 1, "arena: alignment < 1");
  std::int64_t start = 0;
  for (const Block& b : blocks) start = std::min<std::int64_t>(start, b.first);
  std::vector<alloc::Buffer> buffers;
  buffers.reserve(blocks.size());
  for (const Block& b : blocks) {
    ensure(b.size >= 0 && b.last >= b.first, "arena: a block with a negative size or lifetime");
    const bool fixed = b.fixed >= 0;
    alloc::Buffer& buffer = buffers.emplace_back();
    buffer.lower = b.first - start;
    buffer.upper = std::int64_t{b.last} + 1 - start;
    buffer.size = fixed ? b.size : round_up(b.size, alignment);
    buffer.alignment = fixed ? 1 : alignment;
    if (fixed) buffer.offset = b.fixed;
  }
  const alloc::Layout found = alloc::allocate(buffers, {}, {effort.local_moves, effort.nodes, {}});
  Layout out;
  out.offsets = found.offsets;
  out.load = load_of(blocks, alignment);
  out.optimal = found.optimal();
  for (std::size_t i = 0; i < blocks.size(); ++i)
    out.height = std::max(out.height, out.offsets[i] + round_up(blocks[i].size, alignment));
  return out;
}

}  // namespace dse::plan
