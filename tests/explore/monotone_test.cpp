// A device that is better in one way has a best plan that is no slower.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "explore/explore.h"
#include "explore/question/case.h"

namespace dse::explore::monotone_test {
namespace {

struct Better {
  const char *device, *field, *value;
};

/// Ticks of the fastest plan, in ns.
double fastest(const std::string& network, const std::string& device, const std::string& field,
               const std::string& value) {
  SweepSpec spec;
  spec.networks = {network};
  spec.by_phases = false, spec.front_points = 2;
  std::vector<Axis> axes;
  if (!field.empty()) axes.push_back({field, {value}, {}});
  spec.devices = {{DSE_SOURCE_DIR "/configs/devices/" + device + ".yaml", axes, {}}};
  Diagnostics diags;
  const auto cases = resolve(spec, diags);
  EXPECT_EQ(cases.size(), 1u) << diags.text();
  const auto sweep = explore(spec, cases, {}, diags);
  double best = std::numeric_limits<double>::max();
  for (const auto& p : sweep.fronts.at(0).points) best = std::min(best, p.latency_us);
  EXPECT_LT(best, 1e9) << diags.text();
  return best;
}

class Monotone : public testing::TestWithParam<const char*> {};

/// Convolutions of each kind and a fully connected layer, small enough for sixty searches.
const char* const kConvolutions =
    "format: 1\nname: convolutions\nseed: 1\ninput: {shape: [1, 24, 24, 3], scale: 0.0078, zero_point: 0}\nlayers:\n"
    "  - conv: {filters: 16, kernel: 3, stride: 2, activation: relu}\n  - depthwise: {kernel: 3, activation: relu}\n"
    "  - conv: {filters: 24, kernel: 1, activation: relu}\n  - average_pool: {kernel: 12}\n"
    "  - reshape: {shape: [1, 24]}\n  - fully_connected: {units: 10}\n";

const char* const kDense =
    "format: 1\nname: dense\nseed: 1\ninput: {shape: [1, 128], scale: 0.0078, zero_point: 0}\nlayers:\n"
    "  - fully_connected: {units: 64, activation: relu}\n  - fully_connected: {units: 96, activation: relu}\n"
    "  - fully_connected: {units: 10}\n  - softmax\n";

TEST_P(Monotone, ABetterDeviceIsNoSlower) {
  const std::string network = testing::TempDir() + GetParam() + ".yaml";
  std::ofstream(network) << (std::string(GetParam()) == "dense" ? kDense : kConvolutions);
  std::string device;
  double base = 0;
  for (const Better& b : {Better{"gap8-class", "memories.l1.size", "96 KiB"},
                          {"gap8-class", "memories.l2.size", "1 MiB"},
                          {"gap8-class", "memories.l1.width", "64 B/cycle"},
                          {"gap8-class", "memories.l2.width", "16 B/cycle"},
                          {"gap8-class", "memories.l3.width", "2 B/cycle"},
                          {"gap8-class", "memories.l3.latency", "20 cycles"},
                          {"gap8-class", "memories.l2.latency", "2 cycles"},
                          {"gap8-class", "engines.cluster.macs_per_cycle.int8", "64"},
                          {"gap8-class", "engines.cluster.dispatch", "20 cycles"},
                          {"gap8-class", "engines.cluster_dma.setup", "5 cycles"},
                          {"gap8-class", "engines.io_dma.outstanding", "8"},
                          {"stm32l4r5", "memories.sram.size", "1 MiB"},
                          {"stm32l4r5", "memories.flash.width", "8 B/cycle"},
                          {"stm32l4r5", "memories.flash.latency", "1 cycle"},
                          {"stm32l4r5", "engines.core.cache", "16 KiB"},
                          {"stm32l4r5", "engines.core.cycles_per_count.conv_block", "1"},
                          {"stm32h743-reference", "memories.flash.width", "16 B/cycle"},
                          {"stm32h743-reference", "engines.core.cycles_per_count.conv_mac", "10"},
                          {"cortex-m7-class", "memories.dtcm.size", "256 KiB"},
                          {"cortex-m7-class", "memories.flash.latency", "1 cycle"},
                          {"cortex-m7-class", "engines.core.cycles_per_mac.conv", "1"},
                          {"dsp-l1-l2-l3", "memories.l2.width", "64 B/cycle"}}) {
    if (b.device != device) device = b.device, base = fastest(network, device, "", "");
    const double now = fastest(network, device, b.field, b.value);
    EXPECT_LE(now, base * (1 + 1e-9)) << device << " with " << b.field << " " << b.value;
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, Monotone, testing::Values("convolutions", "dense"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace dse::explore::monotone_test
