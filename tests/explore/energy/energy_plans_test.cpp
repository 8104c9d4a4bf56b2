// Energy of whole plans on random devices where everything takes some, in every part and to the last femtojoule.
#include <gtest/gtest.h>

#include "explore/layer/bound.h"
#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "explore/runs/runs.h"
#include "explore/space/space.h"
#include "plan/make/make_plan.h"
#include "plan/rules/phased_front.h"
#include "sim/platform.h"
#include "tests/support/random_energy.h"

namespace dse::explore::energy_plans_test {
namespace {

/// A random plan on a random device; nothing where it does not fit.
struct Drawn {
  Case c;
  std::optional<plan::Plan> plan;
};
Drawn drawn(std::uint64_t seed) {
  test::Random random(seed);
  Drawn out;
  out.c.network = test::random_network(random);
  const auto plain = test::random_device(random);
  const auto choices = test::random_choices(random, *out.c.network, *plain);
  out.c.device = test::with_energy(*plain, random);
  auto made = plan::make_plan(*out.c.network, *out.c.device, choices, out.c.whole);
  if (auto* plan = std::get_if<plan::Plan>(&made)) out.plan = std::move(*plan);
  return out;
}

/// The platform multiplies what it counted; layers are added up task by task, and leak for the ticks of their accounts.
TEST(EnergyOfPlans, LayersAndCausesAddUpToIt) {
  int plans = 0, started = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto [c, plan] = drawn(seed);
    if (!plan) continue;
    const auto p = simulate_point(c, *plan, true, false);
    ASSERT_FALSE(p.run.failure) << seed;
    ++plans;
    sim::Energy sum(hw::EnergyRates(*c.device));
    std::int64_t all = 0, ticks = 0;
    for (const auto& use : p.uses) {
      EXPECT_EQ(use.energy.total(), use.energy_fj);
      sum += use.energy, all += use.energy_fj;
    }
    for (const auto& l : p.run.layers) ticks += l.total();
    EXPECT_EQ(ticks, p.run.ticks);
    EXPECT_EQ(sum, p.run.energy) << seed;
    EXPECT_EQ(all, p.run.energy_fj);
    EXPECT_EQ(p.run.energy.total(), p.run.energy_fj);
    EXPECT_EQ(p.run.energy.all_leaked(), p.run.ticks * hw::EnergyRates(*c.device).per_tick());
    started += c.device->control.start > 0;
  }
  EXPECT_GT(plans, 20);
  EXPECT_GT(started, 5);
}

TEST(EnergyOfPlans, BoundsAreNeverAboveIt) {
  int plans = 0, held_up = 0;
  for (std::uint64_t seed = 100; seed < 180; ++seed) {
    const auto [c, plan] = drawn(seed);
    if (!plan) continue;
    const auto m = evaluate(c, *plan);
    if (!m.feasible()) continue;
    ++plans;
    const hw::DeviceTiming timing(c.device);
    const auto program = lower(c, *plan);
    const auto job = sim::program_part(program, *c.device);
    const auto bound = cost_bound(program, job.binding, timing);
    const auto late = m.costs[kTicks] - bound[kTicks];
    EXPECT_GE(late, 0) << seed;
    // Everything but the leakage of the ticks that it was held up is known from the program.
    EXPECT_EQ(m.costs[kEnergy] - bound[kEnergy], late * timing.energy().per_tick()) << seed;
    held_up += late > 0;
    for (const auto enough : {bound[kTicks] / 2, bound[kTicks] / 7}) {
      const auto part = cost_bound(program, job.binding, timing, enough);
      for (int k = 0; k < kCosts; ++k) EXPECT_LE(part[k], bound[k]) << seed;
    }
  }
  EXPECT_GT(plans, 30);
  EXPECT_GT(held_up, 10);
}

TEST(EnergyOfPlans, LeakageChangesNothingElse) {
  int plans = 0;
  for (std::uint64_t seed = 200; seed < 240; ++seed) {
    const auto leaking = drawn(seed);
    if (!leaking.plan) continue;
    ++plans;
    auto device = std::make_shared<hw::Device>(*leaking.c.device);
    for (auto& m : device->memories) m.leakage_uw = m.leakage_uw_per_kib = 0;
    for (auto& e : device->engines) e.leakage_uw = 0;
    device->leakage_uw = 0;
    Case c = leaking.c;
    c.device = device;
    const auto with = evaluate(leaking.c, *leaking.plan), without = evaluate(c, *leaking.plan);
    EXPECT_EQ(with.costs[kTicks], without.costs[kTicks]);
    EXPECT_EQ(with.costs[kTraffic], without.costs[kTraffic]);
    EXPECT_EQ(with.costs[kEnergy] - without.costs[kEnergy],
              with.costs[kTicks] * hw::EnergyRates(*leaking.c.device).per_tick());
  }
  EXPECT_GT(plans, 10);
}

/// Runs by phases are timed on a device with room for everything. Room that is not there does not leak.
TEST(EnergyOfPlans, RunsByPhasesLeakAsTheDeviceDoes) {
  int options = 0;
  for (std::uint64_t seed = 0; seed < 40 && options < 60; ++seed) {
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random);
    auto per_kib = std::make_shared<hw::Device>(*test::random_device(random)), fixed = per_kib;
    fixed = std::make_shared<hw::Device>(*per_kib);
    for (auto& m : per_kib->memories) m.leakage_uw_per_kib = 25;
    for (auto& m : fixed->memories) m.leakage_uw = 25 * static_cast<double>(m.size) / 1024;
    const SweepSpec spec;
    const auto measured = [&](const hw::DevicePtr& device) {
      c.device = device;
      return runs_of(c, spec, Space(*c.network, *device, spec), 4, {});
    };
    const auto a = measured(per_kib), b = measured(fixed);
    ASSERT_EQ(a.list.size(), b.list.size());
    for (std::size_t r = 0; r < a.list.size(); ++r) {
      ASSERT_EQ(a.list[r].options.size(), b.list[r].options.size());
      for (std::size_t o = 0; o < a.list[r].options.size(); ++o) {
        const auto& costs = a.list[r].options[o].costs;
        EXPECT_EQ(costs, b.list[r].options[o].costs);
        EXPECT_EQ(costs[kEnergy], costs[kTicks] * hw::EnergyRates(*per_kib).per_tick());
        ++options;
      }
    }
    for (const auto& run : a.open)
      for (const auto& o : run.options)
        EXPECT_EQ(o.costs[kEnergy], o.costs[kTicks] * hw::EnergyRates(*per_kib).per_tick());
  }
  EXPECT_GT(options, 10);
}

}  // namespace
}  // namespace dse::explore::energy_plans_test
