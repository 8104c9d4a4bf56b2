// Traces add up to what the point's record says, whatever ran where.
#include <gmock/gmock.h>

#include <algorithm>

#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "plan/make/make_plan.h"
#include "plan/rules/cluster_plan.h"
#include "plan/rules/rules.h"
#include "reports/run/json.h"
#include "reports/trace/chrome.h"
#include "reports/trace/vcd.h"
#include "tests/reports/trace/trace_checks.h"
#include "tests/support/random_cases.h"
#include "tests/support/shipped_case.h"

namespace dse::reports::trace_test {
namespace {

using explore::Case;
using nlohmann::json;
using test::shipped_case;

/// Both traces of a plan, checked against its point in results.json.
test::TraceRead check(const Case& c, const plan::Plan& plan) {
  explore::Sweep sweep;
  auto& front = sweep.fronts.emplace_back();
  explore::describe_front(c, front);
  front.points.push_back(explore::simulate_point(c, plan, false, true));
  const auto& point = front.points[0];
  EXPECT_FALSE(point.run.failure);
  const json recorded = results_json(sweep)["fronts"][0]["points"][0];
  const auto program = explore::lower(c, plan);
  const Traced traced{front, point, program, c.device};

  std::string text, vcd;
  std::size_t longest = 0;
  const auto counts = write_chrome_trace(traced, [&](const std::string& piece) {
    text += piece;
    longest = std::max(longest, piece.size());
  });
  const int signals = write_vcd(traced, [&](const std::string& piece) { vcd += piece; });
  EXPECT_LT(longest, 5000u) << "it is not written event by event";
  const auto read = test::expect_sound_trace(text, recorded);
  EXPECT_EQ(counts.slices, read.slices);
  EXPECT_EQ(counts.tracks, read.tracks);
  EXPECT_EQ(counts.counters, read.counters);
  EXPECT_EQ(signals, test::expect_sound_vcd(vcd, recorded, front.tick_hz));
  return read;
}

TEST(Trace, PicosecondsAreExactAndKeepTicksApart) {
  EXPECT_EQ(picoseconds(0, 175'000'000), 0);
  EXPECT_EQ(picoseconds(1, 175'000'000), 5714);
  EXPECT_EQ(picoseconds(7, 175'000'000), 40'000);
  EXPECT_EQ(picoseconds(123'456'789'012, 1'000'000'000), 123'456'789'012'000);
  EXPECT_EQ(picoseconds(999'999'999'999, 999'999'999'989), 1'000'000'000'010);
}

TEST(Trace, ShippedNetworksAddUpOnADmaACpuAndACluster) {
  for (const char* network : {"ds-cnn", "resnet8"})
    for (const char* device : {"gap8-class", "cortex-m7-class", "stm32l4r5", "dsp-l1-l2-l3", "gap9", "gap9-ne16"}) {
      SCOPED_TRACE(std::string(network) + " on " + device);
      const auto c = shipped_case(network, device);
      auto made = plan::rule_based_plan(*c.network, *c.device, true);
      if (!std::holds_alternative<plan::Plan>(made)) made = plan::tflm_plan(*c.network, *c.device);
      if (!std::holds_alternative<plan::Plan>(made)) continue;
      const auto read = check(c, std::get<plan::Plan>(made));
      EXPECT_GT(read.slices, static_cast<std::int64_t>(3 * c.network->operators.size()) - 3);
      EXPECT_GE(read.tracks, 3);
    }
}

TEST(Trace, FiltersThatAreFetchedAheadAddUp) {
  const auto c = shipped_case("ds-cnn", "gap8");
  const auto plan = std::get<plan::Plan>(plan::cluster_plan(*c.network, *c.device));
  EXPECT_TRUE(std::any_of(plan.choices.begin(), plan.choices.end(), [](const auto& l) { return l.prefetch; }));
  EXPECT_GT(check(c, plan).arrows, 10);  // from the DMA to the cluster
}

TEST(Trace, RandomPlansAddUp) {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Case c;
    c.network = test::random_network(random), c.device = test::random_device(random), c.device_label = "d";
    auto made = plan::make_plan(*c.network, *c.device, test::random_choices(random, *c.network, *c.device, true));
    if (!std::holds_alternative<plan::Plan>(made)) continue;
    check(c, std::get<plan::Plan>(made));
    ++checked;
  }
  EXPECT_GT(checked, 15);
}

}  // namespace
}  // namespace dse::reports::trace_test
