// Fronts of several networks on several systems, and Arm's compiler as the one to beat.
#include "explore/npu/sweep.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/csv.h"
#include "explore/npu/simulated.h"
#include "models/hw/library.h"
#include "tests/explore/npu/networks.h"
#include "tests/explore/npu/vela_rows.h"
#include "tests/nn/golden/golden.h"

namespace dse::explore::npu::sweep_test {
namespace {

TEST(NpuSweep, TheFastestThatFitsOfEveryCell) {
  const hw::Device device = test::cpu();
  SweepAxes axes{.networks = {test::thesis_network(8, 16), test::thesis_network(16, 32)},
                 .npus = {test::npu("ethos-u55-32"), test::npu("ethos-u55-256")},
                 .arenas = {256, 30'000, 0},
                 .cpu = &device,
                 .hand_over = 100,
                 .effort = {.limits = 6, .arenas = {}, .simulations = 40, .stop = {}}};
  int told = 0;
  const auto cells = sweep(axes, [&](const SweepCell&) { ++told; });
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(told, 4);
  for (const SweepCell& c : cells) {
    ASSERT_EQ(c.fits.size(), 3u);
    ASSERT_EQ(c.times.size(), c.points.size());
    EXPECT_EQ(c.fits[0], -1) << "256 bytes do not even hold the input";
    EXPECT_EQ(c.fits[2], static_cast<int>(c.points.size()) - 1);
    if (const int i = c.fits[1]; i >= 0) {
      EXPECT_LE(c.points[static_cast<std::size_t>(i)].bytes(), 30'000);
      if (i + 1 < static_cast<int>(c.points.size()))
        EXPECT_GT(c.points[static_cast<std::size_t>(i) + 1].bytes(), 30'000);
    }
    for (std::size_t i = 0; i < c.points.size(); ++i) EXPECT_EQ(c.times[i].total, c.points[i].cycles() + 100);
  }
}

TEST(NpuSweep, StopsBetweenCellsWithThoseThatAreWhole) {
  const hw::Device device = test::cpu();
  int asked = 0;
  SweepAxes axes{.networks = {test::thesis_network(2, 4)},
                 .npus = {test::npu(), test::npu("ethos-u55-256")},
                 .arenas = {0},
                 .cpu = &device,
                 .hand_over = 0,
                 .effort = {}};
  bool stop = false;
  axes.effort.stop = [&] { return ++asked, stop; };
  const auto cells = sweep(axes, [&](const SweepCell&) { stop = true; });
  EXPECT_EQ(cells.size(), 1u);
  EXPECT_GT(asked, 1);
}

// Of every network that has rows of both: no more SRAM than Arm's compiler needs when it saves it, no more cycles, in
// the same simulation, than its fast schedule takes.
TEST(NpuSweepGolden, FrontsAreAtLeastAsGoodAsBothRulesOfArmsCompiler) {
  const auto file = nn::test::shared() / "golden/ethos_u/vela310.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no golden files";
  int compared = 0;
  for (const auto& row : test::rows_of(file)) {
    const bool asked = row.at("optimise") == "Size" && row.at("system_config") == "Ethos_U55_High_End_Embedded" &&
                       row.at("memory_mode") == "Shared_Sram" &&
                       (row.at("accel") == "ethos-u55-128" || row.at("accel") == "ethos-u55-256");
    const auto network = nn::test::shared() / "models/tflite" / (row.at("model") + ".tflite");
    if (!asked || !std::filesystem::exists(network)) continue;
    Diagnostics d;
    const auto n = nn::load_network(network.string(), d);
    ASSERT_TRUE(n) << d.text();
    const auto npu = test::npu(row.at("accel"));
    const auto points = front(n, npu, {.limits = 8, .arenas = {}, .simulations = 100, .stop = {}});
    ASSERT_FALSE(points.empty());
    const auto where = row.at("model") + " on " + row.at("accel");
    EXPECT_LE(static_cast<double>(points.front().bytes()), std::stod(row.at("sram_memory_used_KiB")) * 1024) << where;
    const auto fast = simulate(compile(n, npu, plan::npu::Optimise::performance));
    EXPECT_LE(points.back().cycles(), fast.pmu.active) << where;
    ++compared;
  }
  EXPECT_GE(compared, 16);
}

}  // namespace
}  // namespace dse::explore::npu::sweep_test
