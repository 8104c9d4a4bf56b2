#include "explore/runs/rounding.h"

#include <algorithm>

#include "base/units.h"

namespace dse::explore {

std::vector<std::int64_t> most_rounding(const Space& space) {
  constexpr std::int64_t kMostBuffers = 6;  // of a layer besides a tile per tensor: filters, stages, sums, scratch
  const auto& n = *space.network;
  const auto& memories = space.device->memories;
  std::vector<std::int64_t> out(memories.size(), 0);
  std::vector<char> made(n.tensors.size(), 0), executed(n.operators.size(), 0);
  for (std::size_t t = 0; t < made.size(); ++t) made[t] = n.producer(static_cast<int>(t)) < 0;
  for (const int op : space.layers) {
    const auto& o = n.operators[op];
    std::vector<std::int64_t> here;
    for (const auto& m : memories)
      here.push_back((m.alignment - 1) *
                     (kMostBuffers + static_cast<std::int64_t>(o.inputs.size() + o.outputs.size())));
    for (const int t : o.outputs) made[space.root[t]] = 1;
    for (std::size_t t = 0; t < made.size(); ++t) {
      const auto& readers = space.readers[t];
      if (!made[t] ||
          (!space.stays[t] && std::all_of(readers.begin(), readers.end(), [&](int r) { return executed[r]; })))
        continue;
      std::vector<std::int64_t> most(memories.size(), 0);
      for (const auto& home : space.homes[t]) {
        const auto bytes = plan::bytes_of(n.tensors[t], home.layout);
        most[home.memory] = std::max(most[home.memory], round_up(bytes, memories[home.memory].alignment) - bytes);
      }
      for (std::size_t m = 0; m < here.size(); ++m) here[m] += most[m];
    }
    for (std::size_t m = 0; m < here.size(); ++m) out[m] = std::max(out[m], here[m]);
    executed[op] = 1;
  }
  return out;
}

}  // namespace dse::explore
