// Bounds of schedules lie below their simulations, on devices of every kind.
#include <gtest/gtest.h>

#include <array>

#include "models/hw/libraries/libraries.h"
#include "tests/explore/layer/every_schedule.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::layer_bounds_test {
namespace {

using test::expect_bounds_hold;
using test::simulate_all;

/// On a random layer of each of `wanted` random devices. change(device, random) gives the device that is looked at;
/// nullptr: none.
template <class Change>
void expect_bounds_hold_on(int cases, Change change) {
  int wanted = test::of_share(cases);
  for (std::uint64_t seed = 0; wanted > 0; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const std::shared_ptr<hw::Device> device = change(*test::random_device(random), random);
    if (!device) continue;
    const Space space(*network, *device, SweepSpec());
    wanted -= !expect_bounds_hold(space.tasks[random() % space.tasks.size()], device, seed).empty();
  }
}

TEST(LayerBounds, HoldWhereControlRunsFasterThanTheDevice) {
  expect_bounds_hold_on(20, [](const hw::Device& drawn, test::Random&) -> std::shared_ptr<hw::Device> {
    if (drawn.control.engine < 0) return nullptr;
    auto device = std::make_shared<hw::Device>(drawn);
    device->engines[static_cast<std::size_t>(device->control.engine)].clock_hz = 4 * device->clock_hz;
    device->control.issue = 300;
    return device;
  });
}

/// Cycles of a DMA that are no whole ticks, and descriptors that it fetches by itself.
TEST(LayerBounds, HoldWhereDmaClocksDivideNothingAndDescriptorsAreChained) {
  expect_bounds_hold_on(40, [](const hw::Device& drawn, test::Random& random) -> std::shared_ptr<hw::Device> {
    auto device = std::make_shared<hw::Device>(drawn);
    int moving = 0;
    for (auto& e : device->engines) {
      if (e.kind != hw::EngineKind::dma) continue;
      ++moving;
      e.clock_hz = device->clock_hz * test::pick(random, 2, 6) / 7;
      e.setup = test::pick(random, 1, 9), e.per_row = test::pick(random, 0, 3);
      if (test::pick(random, 0, 1)) e.chained = test::pick(random, 0, 4);
    }
    return moving == 0 ? nullptr : device;
  });
}

/// Tiles that come and go through the memory between their home and the nearest one.
TEST(LayerBounds, HoldWhereTilesPassThroughAnotherMemory) {
  expect_bounds_hold_on(60, [](const hw::Device& drawn, test::Random&) { return test::with_tensors_outside(drawn); });
}

/// Cores whose caches fetch whole lines of memories with clocks of their own.
TEST(LayerBounds, HoldWhereCachesFetchLines) {
  int cores = 0, slower = 0;
  const int wanted = test::of_share(120);
  for (std::uint64_t seed = 0; cores < wanted; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    auto device = std::make_shared<hw::Device>(*test::random_device(random));
    if (device->engines.size() != 1) continue;
    ++cores;
    auto& core = device->engines[0];
    device->kernel_library = std::array{"cmsis-nn", "cmsis-nn-mve", "tflm-reference"}[cores % 3];
    for (const auto& count : hw::counts_of(device->kernel_library)) core.cycles_per_count[count] = {1, 2};
    core.cache = 64 << test::pick(random, 0, 8);
    if (test::pick(random, 0, 1)) device->memories[2].clock_hz = device->clock_hz * 3 / 7;
    const auto in_lines = std::make_shared<hw::Device>(*device);
    in_lines->engines[0].cache_line = 8 << test::pick(random, 0, 2);
    const Space space(*network, *device, SweepSpec()), same(*network, *in_lines, SweepSpec());
    const auto layer = random() % space.tasks.size();
    std::int64_t left_out = 0;
    const auto without = simulate_all(space.tasks[layer], device, left_out);
    const auto all = expect_bounds_hold(same.tasks[layer], in_lines, seed);
    ASSERT_EQ(all.size(), without.size());
    for (std::size_t i = 0; i < all.size(); ++i) slower += all[i].ticks > without[i].ticks;
  }
  EXPECT_GT(slower, wanted * 5 / 6);
}

}  // namespace
}  // namespace dse::explore::layer_bounds_test
