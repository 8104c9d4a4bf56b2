// What was measured on boards, against what is simulated with each network left out of the fit: the sets that
// configs/accuracy.yaml describes.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "explore/calibrate/validation_files.h"
#include "models/hw/device_reader.h"
#include "models/hw/library.h"

namespace dse::explore::calibrate_golden_test {
namespace {

namespace fs = std::filesystem;

fs::path golden() {
  if (const char* given = std::getenv("DSE_SHARED")) return fs::path(given) / "golden";
  return fs::path(DSE_SOURCE_DIR) / ".." / "shared" / "golden";
}

/// All of it, once.
const std::optional<Validation>& everything() {
  static const auto made = []() -> std::optional<Validation> {
    Diagnostics d;
    ValidationSpec spec;
    EXPECT_TRUE(yaml::read_file(DSE_SOURCE_DIR "/configs/accuracy.yaml", validation_fields(), {}, d, spec)) << d.text();
    auto v = validate(spec, validation_files(golden().string()), d);
    EXPECT_TRUE(v) << d.text();
    return v;
  }();
  return made;
}

class CalibrateGolden : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(golden() / "cycles")) GTEST_SKIP() << "no golden folder";
  }
};

TEST_F(CalibrateGolden, EveryRowIsComparedOrLeftAsideWithAReason) {
  ASSERT_TRUE(everything());
  for (const auto& table : everything()->tables) EXPECT_THAT(table.unspoken, testing::IsEmpty()) << table.table;
  std::set<std::string> spoken_of;
  for (const auto& table : everything()->tables) spoken_of.insert(table.table);
  for (const char* folder : {"cycles", "silicon"})
    for (const auto& file : fs::directory_iterator(golden() / folder))
      if (file.path().extension() == ".csv" && file.path().stem() != "board_facts")
        EXPECT_EQ(spoken_of.count(std::string(folder) + "/" + file.path().filename().string()), 1u) << file.path();
}

TEST_F(CalibrateGolden, CountedLoopsPredictOtherNetworks) {
  ASSERT_TRUE(everything());
  const auto& fit = everything()->fits.front();
  const auto networks = error_sizes(fit, true), layers = error_sizes(fit, false);
  ASSERT_GE(networks.size(), 34u);
  ASSERT_GE(layers.size(), 21u);
  std::printf("%s: networks: middle %.1f %%, 9 of 10 within %.1f %%; layers: middle %.1f %%\n", fit.name.c_str(),
              100 * networks[networks.size() / 2], 100 * networks[networks.size() * 9 / 10],
              100 * layers[layers.size() / 2]);
  EXPECT_LE(networks[networks.size() / 2], 0.10);
  EXPECT_LE(networks[networks.size() * 9 / 10], 0.25);
  EXPECT_LE(layers[layers.size() / 2], 0.20);
}

const ValidatedFit* fit_named(const std::string& name) {
  for (const auto& fit : everything()->fits)
    if (fit.name == name) return &fit;
  return nullptr;
}

/// Kernels of a core with vectors, built without them: the price list of a core that has none, by one factor.
TEST_F(CalibrateGolden, KernelsBuiltWithoutVectors) {
  ASSERT_TRUE(everything());
  struct Build {
    const char* name;
    std::size_t rows;
    double middle, worst;
  };
  for (const Build& b : {Build{"CMSIS-NN with DSP on Cortex-M55", 5, 0.25, 0.35},
                         {"CMSIS-NN with DSP, 16-bit activations, on Cortex-M55", 4, 0.16, 0.25}}) {
    const auto* fit = fit_named(b.name);
    ASSERT_TRUE(fit) << b.name;
    const auto sizes = error_sizes(*fit, false);
    ASSERT_EQ(sizes.size(), b.rows) << b.name;
    EXPECT_LE(sizes[sizes.size() / 2], b.middle) << b.name;
    EXPECT_LE(sizes.back(), b.worst) << b.name;
  }
}

/// The device's prices were made from these rows: loops that count right meet all convolutions with three of them.
TEST_F(CalibrateGolden, ReferenceKernelsMeetTheLayersThatTheyWereReadOff) {
  Diagnostics d;
  ValidationSpec spec;
  ValidationFit fit;
  fit.name = "reference", fit.boards = {{"apollo4-plus-reference", {}, {}}};
  fit.boards[0].rows.push_back({"cycles/per_layer.csv", {"device~Apollo4"}, {}, {}});
  spec.fits = {fit};
  const auto v = validate(spec, validation_files(golden().string()), d);
  ASSERT_TRUE(v) << d.text();
  const auto& rows = v->fits[0].calibration.rows;
  ASSERT_EQ(rows.size(), 13u);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_LE(std::abs(rows[i].left_out), 0.01) << rows[i].label;
}

TEST_F(CalibrateGolden, WhichIsFasterComesOutRight) {
  ASSERT_TRUE(everything());
  const auto o = pair_orders(*everything());
  EXPECT_GE(o.networks.pairs, 500);
  EXPECT_GE(o.networks.right, 0.9 * o.networks.pairs);
  EXPECT_GE(o.boards.pairs, 100);
  EXPECT_GE(o.boards.right, 0.9 * o.boards.pairs);
}

TEST_F(CalibrateGolden, WhatIsShippedIsWhatTheFitSays) {
  ASSERT_TRUE(everything());
  int checked = 0;
  for (const auto& fit : everything()->fits)
    for (const auto& k : fit.calibration.constants)
      if (k.told && !k.constant.factor && &fit == &everything()->fits.front()) {
        EXPECT_NEAR(k.after, k.constant.value(), 0.02 * k.constant.value() + 0.01)
            << fit.name << " " << k.constant.path;
        ++checked;
      }
  EXPECT_GE(checked, 12);
}

}  // namespace
}  // namespace dse::explore::calibrate_golden_test
