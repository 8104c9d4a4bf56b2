#include "models/hw/ports/arbiter.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"

namespace dse::hw::arbiter_test {
namespace {

DeviceTiming two_memories(int ports = 1) {
  auto d = std::make_shared<Device>();
  d->clock_hz = 1;
  Memory a, b;
  a.name = "a", a.width = {4, 1}, a.ports = ports;
  b.name = "b", b.width = {2, 1};
  d->memories = {a, b};
  return DeviceTiming(d);
}
program::TaskCost cost(std::int64_t a, std::int64_t b) {
  program::TaskCost c;
  c.add_flow(0, a, false);
  c.add_flow(1, b, true);
  return c;
}

TEST(Arbiter, ATransactionEndsWhenAllOfItHas) {
  Arbiter arbiter;
  arbiter.configure(two_memories());
  arbiter.begin(0, 0, 5, 7, cost(40, 40));  // 10 ticks on a, 20 on b
  EXPECT_EQ(arbiter.next(), 25);
  arbiter.begin(1, 5, 5, 100, cost(4, 0));
  EXPECT_EQ(arbiter.complete(24), 0u);
  EXPECT_EQ(arbiter.complete(25), 1u);
  EXPECT_EQ(arbiter.next(), 100);  // the engine's own pace
}

TEST(Arbiter, ReadsAndWritesOfOneTaskShareATurn) {
  Arbiter arbiter;
  arbiter.configure(two_memories());
  program::TaskCost both = cost(20, 0);
  both.add_flow(0, 20, true);
  arbiter.begin(0, 0, 0, 0, both);
  arbiter.begin(1, 0, 0, 0, cost(40, 0));
  EXPECT_EQ(arbiter.complete(20), 3u);  // 40 bytes each at half of 4 B per tick
  EXPECT_EQ(arbiter.next(), kNever);
}

TEST(Arbiter, PortsAreIndependent) {
  Arbiter arbiter;
  arbiter.configure(two_memories(2));
  arbiter.begin(0, 0, 0, 0, cost(40, 0));
  arbiter.begin(1, 0, 0, 0, cost(40, 0));
  EXPECT_EQ(arbiter.complete(10), 3u);
}

TEST(Arbiter, RefusesWhatItDoesNotModel) {
  auto d = std::make_shared<Device>();
  d->arbitration = "lottery";
  Arbiter arbiter;
  EXPECT_THROW(arbiter.configure(DeviceTiming(d)), InvariantError);
  d = std::make_shared<Device>();
  d->memories.resize(kMaxMemories + 1);
  EXPECT_THROW(arbiter.configure(DeviceTiming(d)), InvariantError);
}

}  // namespace
}  // namespace dse::hw::arbiter_test
