// Budgets of time and of simulations.
#include <gmock/gmock.h>

#include "explore/explore.h"
#include "explore/space/space.h"
#include "models/hw/device_reader.h"
#include "tests/explore/drawn_graphs.h"
#include "tests/plan/segment/branched_networks.h"
#include "tests/support/random_cases.h"
#include "tests/support/slow.h"

namespace dse::explore::budget_test {
namespace {

TEST(Budget, OfTimeThatIsUpAtOnceLeavesAFront) {
  test::Random random(5);
  for (const auto wiring : test::kWirings) {
    Diagnostics d;
    Case c;
    c.network = test::drawn_graph(wiring, 24, random);
    c.device = hw::read_device("stm32h743", {}, d), c.device_label = "stm32h743";
    SweepSpec spec;
    spec.seconds = 0.001;
    ExploreOptions options;
    options.jobs = 2, options.store_plans = false;
    const auto sweep = explore(spec, {c}, options, d);
    EXPECT_FALSE(d.has_errors()) << d.text();
    EXPECT_FALSE(sweep.fronts.at(0).points.empty());
    EXPECT_FALSE(sweep.fronts.at(0).complete);
    // To go through the schedules of a layer would take its time, whatever of them were simulated.
    for (const auto& p : sweep.fronts.at(0).points) EXPECT_NE(p.origin, "front");
    EXPECT_THAT(sweep.fronts.at(0).notes, testing::Contains(testing::HasSubstr("searches of layers were not made")));
  }
}

struct Ran {
  Front front;
  std::int64_t simulated = 0;  // by whatever stage, as progress tells
};

Ran ran(const Case& c, const SweepSpec& spec) {
  Ran out;
  ExploreOptions options;
  options.jobs = 2, options.store_plans = false;
  options.progress = [&](const Progress& p) { out.simulated = p.simulated; };
  Diagnostics d;
  out.front = explore(spec, {c}, options, d).fronts.at(0);
  EXPECT_FALSE(d.has_errors()) << d.text();
  return out;
}

/// On devices of every kind, with limits that lead to questions and without.
TEST(Budget, OfSimulationsIsKept) {
  int kept = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::of_share(24)); ++seed) {
    test::Random random(seed);
    Case c;
    c.network = seed % 2 ? test::random_network(random) : test::random_branches(random);
    c.device = test::random_device(random, seed % 4 < 2), c.device_label = "random " + std::to_string(seed);
    SweepSpec spec;
    const auto least = 8 * static_cast<std::int64_t>(Space(*c.network, *c.device, spec).tasks.size()) + 24;
    spec.simulations = least << seed % 3;
    const auto free = ran(c, spec);
    EXPECT_LE(free.simulated, spec.simulations * 6 / 5) << c.device_label;
    EXPECT_FALSE(free.front.points.empty()) << free.front.infeasible_reason;
    if (free.front.points.empty()) continue;
    spec.constraints = {{"memory", static_cast<double>(free.front.points.front().memory_bytes) / 2, {}}};
    const auto limited = ran(c, spec);
    EXPECT_LE(limited.simulated, spec.simulations * 6 / 5) << c.device_label << ", with a limit";
    kept += limited.front.points.empty();
  }
  std::printf("%d cases with a limit that nothing keeps\n", kept);
}

/// Whatever a budget leaves of a search, "no feasible plan" is said only of what a search without one says it of.
TEST(Budget, NeverSaysThatThereIsNoPlanWhereThereIsOne) {
  int undecided = 0, decided = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::of_share(16)); ++seed) {
    test::Random random(seed + 100);
    Case c;
    c.network = seed % 2 ? test::random_network(random) : test::random_branches(random);
    c.device = test::random_device(random, seed % 4 < 2), c.device_label = "random " + std::to_string(seed);
    const auto free = ran(c, {}).front;
    for (std::size_t i = 0; i < free.points.size(); i += 1 + free.points.size() / 2) {
      const auto& p = free.points[i];
      SweepSpec spec;
      spec.constraints = {{"memory", static_cast<double>(p.memory_bytes), {}}, {"latency", p.latency_us, {}}};
      for (const bool timed : {false, true}) {
        spec.seconds = timed ? 0.001 : 0, spec.simulations = timed ? 0 : 1;
        const auto front = ran(c, spec).front;
        EXPECT_TRUE(!front.points.empty() || front.undecided) << c.device_label << ": " << front.infeasible_reason;
        undecided += front.undecided;
        decided += !front.points.empty();
      }
    }
  }
  EXPECT_GT(undecided, 0);
  EXPECT_GT(decided, 0);
}

}  // namespace
}  // namespace dse::explore::budget_test
