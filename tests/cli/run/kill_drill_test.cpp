// Runs that are killed, and runs whose workers are killed, at random moments: the same command goes on to the front of
// a run that nobody disturbed.
#include "tests/cli/run/kill_drill.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "tests/support/slow.h"

namespace dse::test::kill_drill_test {
namespace {

class KillDrill : public testing::Test {
 protected:
  static constexpr unsigned seed = 20;
  explicit KillDrill(const std::string& networks = "ds-cnn", const std::string& sizes = "48 KiB")
      : drill(networks, sizes, seed) {
    RecordProperty("seed", static_cast<int>(seed));
    std::printf("seed %u, undisturbed in %.2f s\n", seed, drill.seconds);
  }
  void kill_runs(int total);
  void kill_workers(int total);
  Drill drill;
};
class KillDrillSlow : public KillDrill {
 protected:
  KillDrillSlow() : KillDrill("ds-cnn, autoencoder") {}
};

void KillDrill::kill_runs(int total) {
  int kills = 0;
  for (int n = 0; kills < total; ++n) {
    ASSERT_LT(n, 10 * total) << "hardly any kill comes in time";
    const auto out = drill.here / std::to_string(n);
    const int wanted = 1 + static_cast<int>(drill.random() % 3);  // kills of this one
    int here = 0;
    while (here < wanted && drill.kill_once(out, 1 + static_cast<int>(drill.random() % 2))) ++here;
    kills += here;
    const auto said = dse(drill.resuming(out, 2, n));
    ASSERT_EQ(said.exit, 0) << said.err;
    ASSERT_EQ(difference(outcome(out), drill.expected), "") << "after " << here << " kills, folder " << n;
    std::filesystem::remove_all(out);
  }
  std::printf("%d runs killed\n", kills);
}

void KillDrill::kill_workers(int total) {
  int kills = 0;
  for (int n = 0; kills < total; ++n) {
    ASSERT_LT(n, 10 * total) << "hardly any kill comes in time";
    const auto out = drill.here / std::to_string(n);
    const int here = drill.kill_workers(out, 2);
    kills += here;
    ASSERT_EQ(difference(outcome(out), drill.expected), "") << "after " << here << " kills, folder " << n;
    std::filesystem::remove_all(out);
  }
  std::printf("%d workers killed\n", kills);
}

TEST_F(KillDrill, TheNumberOfJobsDoesNotShow) {
  ASSERT_EQ(dse(drill.command(drill.here / "one", 1)).exit, 0);
  EXPECT_EQ(difference(outcome(drill.here / "one"), drill.expected), "");
}
TEST_F(KillDrill, AKilledRunGoesOnToTheSameFront) { kill_runs(4); }
TEST_F(KillDrill, ARunWhoseWorkersAreKilledGivesTheSameFront) { kill_workers(4); }
TEST_F(KillDrillSlow, AKilledRunGoesOnToTheSameFront) { kill_runs(test::of_slow(100)); }
TEST_F(KillDrillSlow, ARunWhoseWorkersAreKilledGivesTheSameFront) { kill_workers(test::of_slow(100)); }

}  // namespace
}  // namespace dse::test::kill_drill_test
