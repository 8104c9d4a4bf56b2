// Where energy moved, by cause: between points that are taken apart, and against one that is not.
#include <gmock/gmock.h>

#include "reports/diff/diff_words.h"
#include "tests/reports/diff/diff_case.h"
#include "tests/support/random_energy.h"

namespace dse::reports::diff_energy_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Both {
  testing::Written a, b;
};
/// Two plans, of which A is on a device with energies `of`.
Both both(std::uint64_t seed, int of_a, int of_b) {
  test::Random random(seed);
  explore::Case c;
  c.network = test::random_network(random), c.device = test::random_device(random);
  const auto device = c.device;
  const auto on = [&](int kind) {
    test::Random energies(seed);
    if (kind == 0) {
      auto plain = std::make_shared<hw::Device>(*device);
      for (auto& m : plain->memories) m.energy_pj_per_byte = m.on_chip ? 1 : 20;
      plain->engines[0].energy_pj_per_mac = 2, plain->energy_source = "drawn";
      return hw::DevicePtr(plain);
    }
    return test::with_energy(*device, energies, kind == 1 ? 5000 : 0);
  };
  c.device = on(of_a);
  auto a = testing::measure("a", c, testing::random_plan(random, c));
  c.device = on(of_b);
  return {std::move(a), testing::measure("b", c, testing::random_plan(random, c))};
}

void expect_sums(const PointDiff& d) {
  Pair causes;
  std::map<std::pair<std::string, std::string>, Pair> layers;
  for (const auto& l : d.layers) {
    Pair own;
    for (const auto& [cause, fj] : l.energy) own += fj, layers[cause] += fj;
    EXPECT_EQ(own, l.energy_fj) << l.name;
  }
  for (const auto& e : d.energy) {
    causes += e.fj;
    EXPECT_EQ((layers[{e.block, e.cause}]), e.fj) << e.block << " " << e.cause;
  }
  EXPECT_EQ(causes, d.energy_fj);
  Pair rest = d.arithmetic_fj;
  rest += d.leakage_fj;
  for (const auto& m : d.memories) rest += m.energy_fj;
  EXPECT_EQ(rest, d.energy_fj);
}

TEST(DiffEnergy, CausesAddUpBetweenAnyTwo) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed)
    for (const auto& [of_a, of_b] : {std::pair(1, 1), std::pair(0, 1), std::pair(2, 1)}) {
      const auto [a, b] = both(seed, of_a, of_b);
      const auto d = diff_points(a, b);
      ASSERT_FALSE(d.energy.empty());
      expect_sums(d);
      EXPECT_EQ(d.leakage_fj.a > 0, of_a == 1);
      EXPECT_GT(d.leakage_fj.b, 0);
      ++compared;
    }
  EXPECT_EQ(compared, 72);
}

TEST(DiffEnergy, IsToldByCauseAndByLayer) {
  const auto [a, b] = both(3, 2, 1);
  const auto d = diff_points(a, b);
  Document out;
  describe(d, out);
  EXPECT_THAT(out.text(), AllOf(HasSubstr("energy in pJ (estimate)"), HasSubstr("  l1 leakage "),
                                HasSubstr("energy by layer and cause in pJ (estimate), B - A")));
  const auto j = to_json(d);
  EXPECT_EQ(j["leakage_fj"]["b"], d.leakage_fj.b);
  EXPECT_EQ(j["energy"].size(), d.energy.size());
  EXPECT_TRUE(j["layers"][0].contains("energy"));
}

TEST(DiffEnergy, OneFigurePerBlockIsComparedAsBefore) {
  const auto [a, b] = both(3, 0, 0);
  const auto d = diff_points(a, b);
  EXPECT_TRUE(d.energy.empty());
  Document out;
  describe(d, out);
  EXPECT_THAT(out.text(), Not(HasSubstr("energy by layer and cause")));
  EXPECT_FALSE(to_json(d).contains("energy"));
  EXPECT_FALSE(to_json(d)["layers"][0].contains("energy"));
}

}  // namespace
}  // namespace dse::reports::diff_energy_test
