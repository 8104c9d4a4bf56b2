#include "tests/explore/layer/every_schedule.h"

#include <gtest/gtest.h>

#include "explore/layer/bound.h"
#include "sim/platform.h"

namespace dse::test {

const plan::ChoiceRegistry& registry() {
  static const auto r = plan::ChoiceRegistry::standard();
  return r;
}

std::vector<Everything> simulate_all(const explore::LayerTask& task, const hw::DevicePtr& device,
                                     std::int64_t& left_out) {
  auto& platform = sim::Platform::instance();
  platform.configure(device);
  const hw::DeviceTiming timing(device);
  std::vector<Everything> out;
  for (const auto& choice : explore::enumerate(task, registry(), {})) {
    const auto geometry = plan::layer_geometry(task.context, choice);
    bool fits = geometry.feasible && std::int64_t{geometry.tiles} * geometry.sets * geometry.steps <= task.max_calls;
    Everything e;
    for (std::size_t m = 0; fits && m < device->memories.size(); ++m) {
      e.entry.local.push_back(geometry.local_bytes(static_cast<int>(m), device->memories[m].alignment));
      fits &= e.entry.local.back() <= device->memories[m].free();
    }
    if (!fits) {
      ++left_out;
      continue;
    }
    e.entry.choice = choice;
    e.entry.weight_bytes = geometry.weight_bytes;
    const auto program = explore::layer_program(task, geometry);
    const auto job = sim::program_part(program, *device);
    e.bound = explore::cost_bound(program, job.binding, timing)[explore::kTicks];
    e.ticks = e.entry.costs[explore::kTicks] = platform.run({job}, {.data = false, .accounts = false}).ticks;
    out.push_back(std::move(e));
  }
  return out;
}

std::vector<Everything> expect_bounds_hold(const explore::LayerTask& task, const hw::DevicePtr& device,
                                           std::uint64_t seed) {
  explore::search_layer(task, registry(), {},
                        explore::default_goal(*device));  // throws where a bound lies above a simulation
  std::int64_t left_out = 0;
  auto all = simulate_all(task, device, left_out);
  for (const auto& e : all) EXPECT_LE(e.bound, e.ticks) << "seed " << seed;
  return all;
}

}  // namespace dse::test
