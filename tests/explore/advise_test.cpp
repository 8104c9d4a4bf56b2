// Remedies are better devices, and what they gain is what the simulator says.
#include "explore/advise/advise.h"

#include <gmock/gmock.h>

#include "explore/measure/point.h"
#include "plan/rules/rules.h"
#include "tests/support/shipped_case.h"

namespace dse::explore::advise_test {
namespace {

using test::shipped_case;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

plan::Plan rule(const Case& c) {
  auto made = plan::rule_based_plan(*c.network, *c.device, true);
  if (std::holds_alternative<plan::Infeasible>(made)) made = plan::tflm_plan(*c.network, *c.device);
  return std::get<plan::Plan>(made);
}

std::vector<std::string> names(const hw::Device& d) {
  std::vector<std::string> out;
  for (const auto& r : remedies_of(d)) out.push_back(r.what);
  return out;
}

TEST(Advise, RemediesAreOfWhatTheDeviceHas) {
  const auto gap8 = names(*shipped_case("ds-cnn", "gap8-class").device);
  for (const char* what :
       {"twice the width of l3", "no latency of l2", "twice the size of l1", "twice the speed of cluster",
        "calls of cluster that cost nothing", "changes of kernel on cluster that cost nothing",
        "descriptors of cluster_dma that cost nothing", "twice the bursts in flight of io_dma",
        "control that issues for nothing", "weights in l2"})
    EXPECT_THAT(gap8, Contains(what));
  EXPECT_THAT(gap8, Not(Contains("twice the size of l3")));  // it is off the chip
  const auto m4 = names(*shipped_case("ds-cnn", "stm32l4r5").device);
  EXPECT_THAT(m4, Contains("a data cache of 64 KiB on core"));
  EXPECT_THAT(m4, Not(Contains("changes of kernel on core that cost nothing")));
  EXPECT_THAT(names(*shipped_case("ds-cnn", "apollo510").device), Not(Contains("a data cache of 64 KiB on core")));
}

TEST(Advise, DescriptorsCostWhereOneOfTheirCyclesDoes) {
  auto device = *shipped_case("ds-cnn", "gap8-class").device;
  auto& dma = device.engines[static_cast<std::size_t>(device.engine("cluster_dma"))];
  const auto* remedy = "descriptors of cluster_dma that cost nothing";
  dma.setup = 1, dma.per_row = 0, dma.chained = -1;
  EXPECT_THAT(names(device), Contains(remedy));
  dma.setup = 0;
  EXPECT_THAT(names(device), Not(Contains(remedy)));
  dma.chained = 1;
  EXPECT_THAT(names(device), Contains(remedy));
}

TEST(Advise, GainsAreSimulatedAndAddUp) {
  for (const char* device : {"gap8-class", "gap8", "cortex-m7-class", "stm32l4r5", "apollo510", "dsp-l1-l2-l3"}) {
    const auto c = shipped_case("ds-cnn", device);
    const auto plan = rule(c);
    Diagnostics d;
    const auto advised = advise(c, plan, false, {}, {}, d);
    EXPECT_EQ(advised.ticks, simulate_point(c, plan, false, false).latency_ticks);
    EXPECT_THAT(advised.advice, Not(IsEmpty())) << device;
    std::int64_t before = 0;
    for (const auto& a : advised.advice) {
      EXPECT_LT(a.ticks, advised.ticks) << device << " " << a.what;
      EXPECT_GE(a.ticks, before) << "the most gained first";
      before = a.ticks;
      // Layers add up to the network; only the start-up is none's.
      std::int64_t sum = 0;
      for (const auto ticks : a.layers) sum += ticks;
      EXPECT_EQ(sum, a.ticks) << device << " " << a.what;
      for (const auto& remedy : remedies_of(*c.device)) {
        if (remedy.what != a.what) continue;
        Case better = c;
        better.device = remedy.device;
        EXPECT_EQ(simulate_point(better, plan, false, false).latency_ticks, a.ticks);
      }
    }
    std::int64_t sum = 0;
    for (const auto ticks : advised.layers) sum += ticks;
    EXPECT_EQ(sum, advised.ticks) << device;
  }
}

TEST(Advise, AnotherPlanIsNoLarger) {
  const auto c = shipped_case("autoencoder", "gap8-class");
  const auto plan = rule(c);
  Diagnostics d;
  SweepSpec spec;
  spec.front_points = 0;
  const auto advised = advise(c, plan, true, spec, {}, d);
  int searched = 0;
  for (const auto& a : advised.advice) {
    searched += a.another_plan;
    EXPECT_EQ(a.layers.empty(), a.another_plan);
  }
  EXPECT_GT(searched, 0);
}

}  // namespace
}  // namespace dse::explore::advise_test
