// Layers one by one: buffers that meet in no section may share bytes.
#include <algorithm>
#include <map>

#include "base/units.h"
#include "plan/make/offsets.h"
#include "plan/place/arena.h"
#include "plan/plan.h"

namespace dse::plan {
namespace {

/// Indices of buffers that are one block of memory, because each takes over the one before it; most are alone.
std::vector<std::vector<int>> shared_blocks(const std::vector<PlacedBuffer>& buffers) {
  std::map<int, int> of_tensor;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].tensor >= 0 && buffers[i].role == program::BufferRole::tensor)
      of_tensor[buffers[i].tensor] = static_cast<int>(i);
  std::vector<std::vector<int>> out(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    auto first = static_cast<int>(i);
    while (buffers[first].over >= 0) first = of_tensor.at(buffers[first].over);
    out[first].push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace

void place_layerwise(const hw::Device& device, Plan& plan, const std::vector<std::int64_t>& fixed) {
  const auto groups = shared_blocks(plan.buffers);
  for (int m = 0; m < static_cast<int>(device.memories.size()); ++m) {
    const std::int64_t base = m == device.constants ? round_up(plan.constants_size, 16) : 0;
    std::vector<Block> blocks;
    std::vector<const std::vector<int>*> of;
    for (const auto& group : groups) {
      if (group.empty()) continue;
      const auto& b = plan.buffers[group.front()];
      if (b.memory != m || b.role == program::BufferRole::constants) continue;
      Block block{b.size, b.first, b.last};
      for (const int i : group)
        block.first = std::min(block.first, plan.buffers[i].first),
        block.last = std::max(block.last, plan.buffers[i].last);
      if (b.tensor >= 0 && b.role == program::BufferRole::tensor && !fixed.empty()) block.fixed = fixed[b.tensor];
      blocks.push_back(block);
      of.push_back(&group);
    }
    const auto layout = allocate(blocks, device.memories[m].alignment);
    for (std::size_t i = 0; i < of.size(); ++i)
      for (const int k : *of[i]) plan.buffers[k].offset = base + layout.offsets[i];
    plan.heights[m] = base + layout.height;
    plan.loads[m] = base + layout.load;
  }
}

}  // namespace dse::plan
