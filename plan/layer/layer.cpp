#include "plan/layer/layer.h"

#include <algorithm>

#include "base/units.h"

namespace dse::plan {

const char* name_of(Order o) {
  return o == Order::filters_outer ? "filters-outer" : o == Order::rows_outer ? "rows-outer" : "channels-outer";
}

std::int64_t LayerGeometry::local_bytes(int memory, int alignment) const {
  std::int64_t sum = 0;
  for (const auto& b : buffers)
    if (b.memory == memory) sum += round_up(b.size, alignment);
  return sum;
}

const LocalBuffer* LayerGeometry::find(const std::string& name) const {
  for (const auto& b : buffers)
    if (b.name == name) return &b;
  return nullptr;
}

std::vector<program::Queue> device_queues(const hw::Device& device) {
  std::vector<program::Queue> out;
  for (int e = 0; e < static_cast<int>(device.engines.size()); ++e)
    for (int c = 0; c < std::max(1, device.engines[e].channels); ++c)
      out.push_back({device.engines[e].name + (c ? "." + std::to_string(c) : ""), e, c});
  return out;
}

int queue_of(const hw::Device& device, int engine, int channel) {
  int queue = 0;
  for (int e = 0; e < engine; ++e) queue += std::max(1, device.engines[e].channels);
  return queue + channel % std::max(1, device.engines[engine].channels);
}

}  // namespace dse::plan
