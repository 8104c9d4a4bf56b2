// Energies of devices that do not say where they come from are told nowhere; what is searched and all else is the same.
#include <gmock/gmock.h>

#include "explore/front/front.h"
#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "reports/diff/diff_words.h"
#include "reports/page/payload.h"
#include "reports/run/csv.h"
#include "reports/run/json.h"
#include "reports/run/recorded.h"
#include "reports/words/energy.h"
#include "tests/reports/diff/diff_case.h"
#include "tests/support/random_energy.h"

namespace dse::reports::energy_known_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A random plan on a random device with energies of all kinds, which says whose they are; and on the same that does
/// not.
struct Pair {
  explore::Case said, unsaid;
  plan::Plan plan;
};
Pair pair(std::uint64_t seed) {
  test::Random random(seed);
  Pair out;
  out.said.network = out.unsaid.network = test::random_network(random);
  out.said.device = test::with_energy(*test::random_device(random), random);
  auto quiet = std::make_shared<hw::Device>(*out.said.device);
  quiet->energy_source.clear();
  out.unsaid.device = quiet;
  out.plan = testing::random_plan(random, out.said);
  return out;
}

explore::Sweep sweep_of(const explore::Case& c, const plan::Plan& plan) {
  explore::Sweep sweep;
  auto& front = sweep.fronts.emplace_back();
  explore::describe_front(c, front);
  front.points.push_back(explore::simulate_point(c, plan, true, false));
  front.marked.push_back(explore::light_point(c, explore::evaluate(c, plan)));
  return sweep;
}

/// Removes all that speaks of energy. @returns how many fields that were
int strip(json& j) {
  int found = 0;
  if (j.is_object())
    for (const char* key : {"energy", "energy_uj", "energy_fj", "arithmetic_fj", "leakage_fj", "energy_source", "uj"})
      found += static_cast<int>(j.erase(key));
  if (j.is_structured())
    for (auto& child : j) found += strip(child);
  return found;
}

TEST(EnergyKnown, NothingTellsWhatNobodyHasMeasured) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto p = pair(seed);
    const auto said = sweep_of(p.said, p.plan), unsaid = sweep_of(p.unsaid, p.plan);
    EXPECT_EQ(said.fronts[0].points[0].costs, unsaid.fronts[0].points[0].costs) << "what is searched is the same";
    auto with = results_json(said)["fronts"], without = results_json(unsaid)["fronts"];
    for (auto* j : {&with, &without}) (*j)[0].erase("engines");  // which `energy` names
    EXPECT_GT(strip(with), 8) << seed;
    EXPECT_EQ(strip(without), 0) << without;
    EXPECT_EQ(with, without) << seed;
    auto page = page_payload(said, {}, 1'000'000)["fronts"], bare = page_payload(unsaid, {}, 1'000'000)["fronts"];
    EXPECT_GT(strip(page), 2) << seed;
    EXPECT_EQ(strip(bare), 0);
    EXPECT_NE(energy_csv(said), "");
    EXPECT_EQ(energy_csv(unsaid), "");
    EXPECT_FALSE(tells_energy(unsaid.fronts[0]));
  }
}

TEST(EnergyKnown, ACellIsEmptyWhereItIsNot) {
  const auto p = pair(3);
  const auto cell = [](const std::string& csv) {
    const auto line = csv.substr(csv.find('\n') + 1);
    std::size_t at = 0;
    for (int comma = 0; comma < 9; ++comma) at = line.find(',', at) + 1;
    return line.substr(at, line.find(',', at) - at);
  };
  auto said = sweep_of(p.said, p.plan), unsaid = sweep_of(p.unsaid, p.plan);
  for (auto* s : {&said, &unsaid}) s->fronts[0].network = "n", s->fronts[0].device = "d";
  EXPECT_GT(std::stod(cell(front_csv(said))), 0);
  EXPECT_EQ(cell(front_csv(unsaid)), "");
}

/// Runs that were written before devices said it hold energies of all of them.
TEST(EnergyKnown, OlderResultsAreReadWithoutTheirs) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto p = pair(seed);
    auto old = results_json(sweep_of(p.said, p.plan))["fronts"][0];
    const auto known = read_point("p", old, old["points"][0]);
    old.erase("energy_source");
    const auto read = read_point("p", old, old["points"][0]);
    EXPECT_TRUE(read.missing.empty());
    explore::Sweep again;
    again.fronts = {read.front}, again.fronts[0].points = {read.point}, again.fronts[0].marked.clear();
    auto written = results_json(again)["fronts"][0];
    EXPECT_EQ(strip(written), 0) << written;
    EXPECT_TRUE(known.point.energy_uj.has_value());
    EXPECT_EQ(read.point.latency_ticks, known.point.latency_ticks);
    EXPECT_EQ(known.point.energy_uj,
              read_front(results_json(sweep_of(p.said, p.plan))["fronts"][0]).points[0].energy_uj);
  }
}

TEST(EnergyKnown, ComparisonsSpeakOfItWhereBothSidesKnowIt) {
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto p = pair(seed);
    test::Random random(seed + 100);
    const auto other = testing::random_plan(random, p.said);
    const auto words = [](const PointDiff& d) {
      Document out;
      describe(d, out);
      return out.text();
    };
    const auto a = testing::measure("a", p.said, p.plan), b = testing::measure("b", p.said, other);
    const auto c = testing::measure("c", p.unsaid, other);
    const auto known = diff_points(a, b);
    auto told = to_json(known);
    EXPECT_GT(strip(told), 3);
    if (known.energy_fj.change() != 0) {
      EXPECT_THAT(words(known), HasSubstr("energy in pJ (estimate)"));
      ++differ;
    }
    for (const auto& d : {diff_points(a, c), diff_points(c, a)}) {
      auto j = to_json(d);
      EXPECT_EQ(strip(j), 0) << j;
      EXPECT_EQ(d.cycles.change() == 0, known.cycles.change() == 0);
      EXPECT_THAT(words(d), AllOf(HasSubstr("energies from"), Not(HasSubstr("(estimate)"))));
    }
  }
  EXPECT_GT(differ, 5);
}

}  // namespace
}  // namespace dse::reports::energy_known_test
