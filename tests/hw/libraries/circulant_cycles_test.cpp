// What circulant layers take: the golden cost model, and where it says that they pay.
#include "models/hw/libraries/circulant_cycles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/hw/device_reader.h"
#include "models/hw/libraries/libraries.h"
#include "models/hw/library.h"
#include "models/nn/kernels/dse_circulant.h"
#include "program/work.h"

namespace dse::hw::circulant_cycles_test {
namespace {

/// One engine with a Cortex-M4F's or M7's transforms and so many cycles per multiply-accumulate.
DevicePtr device_of(const std::string& transforms, const std::string& per_mac, const std::string& per_complex) {
  Diagnostics d;
  const auto text = fmt::format(
      "format: 1\nname: one\nsource: a test\nclock: 100 MHz\nkernels: {{library: rates}}\nmemories:\n"
      "  sram: {{size: 1 MiB, width: 4 B/cycle, latency: 0 cycles, on_chip: true}}\n"
      "engines:\n  core:\n    kind: cpu\n    memories: [sram]\n    cycles_per_mac: {{default: {}}}\n{}"
      "    cycles_per_complex_mac: {}\n    copy: 4 B/cycle\n    dispatch: 0 cycles\n"
      "control: {{issue: 1 cycle, engine: core}}\nconstants: sram\nio: sram\n",
      per_mac, transforms, per_complex);
  auto device = read_device_text(text, "one.yaml", {}, d);
  EXPECT_TRUE(device) << d.text();
  return device;
}

const char* const kM4 =
    "    cycles_per_transform: {32: 1456, 64: 3008, 128: 5488, 256: 14240, 512: 30880, 1024: 56360}\n";
const char* const kM7 =
    "    cycles_per_transform: {32: 796, 64: 1692, 128: 3134, 256: 7718, 512: 18236, 1024: 35072}\n";

TEST(CirculantCyclesGolden, AreThoseOfTheCostModel) {
  const char* shared = std::getenv("DSE_SHARED");
  const auto file =
      std::filesystem::path(shared ? shared : DSE_SOURCE_DIR "/../shared") / "golden/circulant/cost_model.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no golden values";
  std::ifstream in(file);
  const auto golden = nlohmann::json::parse(in);
  const std::pair<const char*, DevicePtr> devices[] = {
      {"M4F f32 CMSIS vs int8 dense 1.0 MAC/cyc", device_of(kM4, "1", "4")},
      {"M4F, dense 0.5 MAC/cyc (float or flash bound)", device_of(kM4, "2", "4")},
      {"M7 f32 vs int8 dense 1.15 MAC/cyc", device_of(kM7, "20/23", "3")}};
  int compared = 0;
  for (const auto& [name, device] : devices)
    for (const auto& row : golden.at("cycle_model").at(name)) {
      const int b = row.at("block"), p = row.at("p"), q = row.at("q");
      const auto c = circulant_cycles(*device, device->engines[0], q * b, p * b, b);
      EXPECT_EQ(c.frequency, row.at("bc_cycles").get<std::int64_t>()) << name << " " << b << " " << p;
      EXPECT_NEAR(static_cast<double>(c.dense), row.at("dense_cycles").get<double>(), 1) << name << " " << b;
      EXPECT_EQ(c.pays(), row.at("speedup").get<double>() > 1) << name << " " << b << " " << p;
      ++compared;
    }
  EXPECT_EQ(compared, 90);
}

TEST(CirculantCycles, BreakEvenOfACortexM4F) {
  const auto device = device_of(kM4, "1", "4");
  const auto pays = [&](int b, int blocks) {
    return circulant_cycles(*device, device->engines[0], blocks * b, blocks * b, b).pays();
  };
  EXPECT_FALSE(pays(64, 1));  // one block: between 64 and 128
  EXPECT_TRUE(pays(128, 1));
  EXPECT_FALSE(pays(16, 4));  // 4 x 4 blocks: between 16 and 32
  EXPECT_TRUE(pays(32, 4));
}

TEST(CirculantCycles, AMacArrayWinsBytesAlone) {
  Diagnostics d;
  for (const char* name : {"gap8-class", "array-45nm", "conv-units", "os-array-16x16"}) {
    const auto file = find_device(name, d);
    const auto device = file ? read_device(*file, {}, d) : nullptr;
    ASSERT_TRUE(device) << d.text();
    for (const auto& e : device->engines) {
      if (!e.is_array()) continue;
      const auto c = circulant_cycles(*device, e, 512, 512, 128);
      EXPECT_EQ(c.frequency, -1) << name;  // no transforms
      EXPECT_EQ(c.time, c.dense) << name;  // as many products
      EXPECT_FALSE(c.pays());
    }
  }
}

TEST(CirculantCycles, TimeIsTheDenseLayerAndWhatExpandingTakes) {
  const auto device = device_of("", "1", "0");
  const auto c = circulant_cycles(*device, device->engines[0], 256, 128, 64);
  EXPECT_EQ(c.dense, 256 * 128);
  EXPECT_EQ(c.time, 256 * 128 + 256 * 128 / 4);  // 4 bytes per cycle
  // Without a table a transform takes a multiply-accumulate per operation: 64 * 6 products, 96 * 6 + 32 sums.
  const std::int64_t transform = 64 * 6 + 96 * 6 + 32;
  EXPECT_EQ(c.frequency, (4 + 2) * transform + 4 * 8 * 32);
}

TEST(CirculantCycles, LengthsThatAreNotGivenGoByTheNextOne) {
  const auto device = device_of(kM4, "1", "4");
  const auto of = [&](int b) { return circulant_cycles(*device, device->engines[0], b, b, b).frequency; };
  EXPECT_EQ(of(16), (2 * 1456 * 64 + 159) / 160 + 4 * 8);  // two transforms: 16 log 16 / 32 log 32 of those of 32
  EXPECT_EQ(of(24), -1);
  EXPECT_EQ(of(2048), -1);
}

TEST(CirculantWork, CountsTransformsAndProducts) {
  dse_op op{};
  op.kind = DSE_CIRCULANT;
  op.in_h = op.in_w = 6, op.out_h = op.out_w = 4, op.kernel_h = op.kernel_w = 3;
  op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
  op.in_c = 20, op.out_c = 40;
  op.arg[DSE_ARG_BLOCK] = 16, op.arg[DSE_ARG_DOMAIN] = DSE_FREQUENCY;
  op.weight_type = DSE_I16;
  const auto a = program::arithmetic_of(program::whole_call(op));
  EXPECT_EQ(a.macs, 0);
  EXPECT_EQ(a.transform, 16);
  EXPECT_EQ(a.transforms, 6 * 6 * 2 + 4 * 4 * 3);  // each pixel's blocks once, each output's rows once
  EXPECT_EQ(a.spectrum_macs, 4 * 4 * 3 * 2 * 9 * (16 / 2));
  EXPECT_EQ(a.products(), a.transforms * 16 * 4 + 4 * a.spectrum_macs);
  op.arg[DSE_ARG_DOMAIN] = DSE_TIME, op.weight_type = DSE_I8;
  EXPECT_EQ(program::arithmetic_of(program::whole_call(op)).macs, 4 * 4 * 40 * 9 * 20);
}

}  // namespace
}  // namespace dse::hw::circulant_cycles_test
