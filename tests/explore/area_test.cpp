// Area in sweeps: over the sizes of a memory, as a limit, and as a question that is asked wrongly.
#include <gmock/gmock.h>

#include <algorithm>

#include "explore/dry_run.h"
#include "explore/explore.h"
#include "explore/front/front.h"
#include "explore/question/goal.h"
#include "explore/within.h"
#include "models/hw/device_reader.h"
#include "tests/plan/segment/branched_networks.h"

namespace dse::explore::area_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Constants in one memory off the chip, everything else in l1, whose size is the area: 0.001 mm2 a KiB.
hw::DevicePtr chip(const std::string& l1, const std::string& more = "") {
  const std::string text = R"(name: chip
clock: 100 MHz
kernels: {library: none}
memories:
  l1: {size: )" + l1 + R"(, width: 8 B/cycle, on_chip: true)" +
                           more + R"(}
  flash: {size: 1 MiB, width: 1 B/cycle}
engines:
  array: {kind: mac-array, memory: l1, macs_per_cycle: {int8: 8}, cycles_per_element: {default: 1}, dispatch: 100 cycles}
  dma: {kind: dma, between: [flash, l1], setup: 20 cycles}
constants: flash
io: l1
)";
  Diagnostics d;
  auto device = hw::read_device_text(text, "chip.yaml", {}, d);
  EXPECT_TRUE(device) << d.text();
  return device;
}

std::vector<Case> sizes(const std::vector<std::string>& l1, const std::string& more = ", area_per_kib: 1000 um2") {
  std::vector<Case> out;
  for (const auto& size : l1) {
    auto& c = out.emplace_back();
    c.network = test::six_operators(), c.device = chip(size, more), c.device_label = "chip/l1=" + size, c.base = "chip";
  }
  return out;
}

Sweep explored(const std::vector<Case>& cases, const SweepSpec& spec, std::string* said = nullptr) {
  ExploreOptions options;
  Diagnostics diags;
  auto sweep = explore(spec, cases, options, diags);
  if (said) *said = diags.text();
  EXPECT_TRUE(said || !diags.has_errors()) << diags.text();
  return sweep;
}

SweepSpec asking(std::vector<std::string> objectives) {
  SweepSpec spec;
  spec.objectives = std::move(objectives), spec.front_points = 0, spec.by_phases = false;
  return spec;
}

const std::vector<std::string> kSizes = {"16 KiB", "20 KiB", "22 KiB", "24 KiB", "32 KiB"};

/// What fits in a memory fits in a larger one, in the same time: so of a size those points are left that are better
/// than all of the sizes below, and from some size on none is.
TEST(Area, OfTheSizesOfAMemoryThoseAreLeftThatAddSomething) {
  const auto sweep = explored(sizes(kSizes), asking({"memory", "latency", "area"}));
  ASSERT_EQ(sweep.fronts.size(), kSizes.size());
  ASSERT_EQ(sweep.across.size(), 1u);
  const auto& across = sweep.across[0];
  EXPECT_THAT(across.objectives, ElementsAre("memory", "latency", "area"));
  std::vector<std::size_t> counts;
  for (std::size_t f = 0; f < sweep.fronts.size(); ++f) {
    const auto& front = sweep.fronts[f];
    EXPECT_THAT(front.objectives, ElementsAre("memory", "latency")) << "of one device";
    EXPECT_TRUE(front.complete || front.points.empty()) << front.device;
    counts.push_back(0);
    for (const auto& p : front.points) {
      bool beaten = false;
      for (std::size_t smaller = 0; smaller < f; ++smaller)
        for (const auto& q : sweep.fronts[smaller].points)
          beaten |= q.memory_bytes <= p.memory_bytes && q.latency_ticks <= p.latency_ticks;
      EXPECT_EQ(across.holds(f, p.id, sweep.fronts), !beaten) << front.device << " " << p.id;
      counts.back() += !beaten;
    }
  }
  EXPECT_TRUE(sweep.fronts[0].points.empty()) << "that is less than any plan needs";
  EXPECT_GT(*std::max_element(counts.begin(), counts.end()), 1u);
  EXPECT_GT(std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; }), 2);
  EXPECT_EQ(counts.back(), 0u) << "all that is best fits in less";
}

/// With area as an objective each device has the front that it has without.
TEST(Area, ChangesNoFrontOfOneDevice) {
  const auto with = explored(sizes({"24 KiB"}), asking({"memory", "area", "latency"}));
  const auto without = explored(sizes({"24 KiB"}), asking({"memory", "latency"}));
  ASSERT_EQ(with.fronts.size(), 1u);
  EXPECT_TRUE(with.across.empty());
  EXPECT_EQ(with.fronts[0].complete, without.fronts[0].complete);
  EXPECT_EQ(with.fronts[0].bound.size(), without.fronts[0].bound.size());
  ASSERT_EQ(with.fronts[0].values, without.fronts[0].values);
  EXPECT_FALSE(with.fronts[0].points.empty());
  for (const auto& p : with.fronts[0].points) EXPECT_EQ(value_of(p, "area"), 0.024);
}

TEST(Area, DevicesOverTheLimitAreNotSearched) {
  auto spec = asking({"latency"});
  spec.constraints = {{"area", 0.024, {}}};
  const auto sweep = explored(sizes({"32 KiB", "20 KiB", "24 KiB"}), spec);
  ASSERT_EQ(sweep.fronts.size(), 3u);
  EXPECT_EQ(sweep.fronts[0].device, "chip/l1=32 KiB");
  EXPECT_EQ(sweep.fronts[0].infeasible_reason, "the device's area of 0.032 mm2 is over the limit of 0.024 mm2");
  EXPECT_EQ(sweep.fronts[0].simulated, 0);
  EXPECT_EQ(dry_run(sizes({"32 KiB"})[0], spec, {1, 6, nullptr}).infeasible, sweep.fronts[0].infeasible_reason);
  EXPECT_EQ(dry_run(sizes({"24 KiB"})[0], spec, {1, 6, nullptr}).infeasible, "");
  for (const auto& f : sweep.fronts) {
    ASSERT_EQ(f.constraints.size(), 1u) << f.device;
    EXPECT_EQ(f.constraints[0].metric, "area");
  }
  EXPECT_EQ(sweep.fronts[1].points.size(), 1u);
  EXPECT_EQ(sweep.fronts[2].points.size(), 1u) << "exactly at the limit";
  spec.constraints[0].limit = 0.001;  // none is left
  const auto none = explored(sizes({"32 KiB", "8 KiB"}), spec);
  ASSERT_EQ(none.fronts.size(), 2u);
  for (const auto& f : none.fronts) EXPECT_THAT(f.infeasible_reason, HasSubstr("over the limit of 0.001 mm2"));
}

TEST(Area, IsRefusedWhereItSaysNothing) {
  std::string said;
  explored(sizes({"8 KiB"}, ""), asking({"latency", "area"}), &said);
  EXPECT_THAT(said, HasSubstr("objective area: chip/l1=8 KiB says nothing of its area"));
  auto spec = asking({"latency"});
  spec.constraints = {{"area", 1, {}}};
  explored(sizes({"8 KiB"}, ""), spec, &said);
  EXPECT_THAT(said, HasSubstr("constraint area: chip/l1=8 KiB says nothing of its area"));
  explored(sizes({"8 KiB"}), asking({"area"}), &said);
  EXPECT_THAT(said, HasSubstr("objective area: it is the same for all plans of a device"));
  const auto five = asking({"memory", "latency", "energy", "traffic", "area"});
  Diagnostics d;
  auto device = *chip("8 KiB", ", area: 1 mm2");
  device.energy_source = "made up";
  check_goal(five, device, "chip", d);
  EXPECT_FALSE(d.has_errors()) << d.text();  // four are searched
}

TEST(Area, IsNothingToBeNear) {
  EXPECT_EQ(tolerance_objective(asking({"memory", "area"})), "");
  EXPECT_EQ(tolerance_objective(asking({"area", "memory", "energy"})), "energy");
}

}  // namespace
}  // namespace dse::explore::area_test
