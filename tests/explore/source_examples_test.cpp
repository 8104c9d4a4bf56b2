// The worked examples of the source of the tiling schemes (US 12,112,265): what lies in the nearest memory, and what
// moves.
#include <gtest/gtest.h>

#include "explore/measure/point.h"
#include "models/hw/device_reader.h"
#include "models/nn/import.h"
#include "plan/network/layers.h"
#include "plan/place/contexts.h"
#include "plan/rules/rules.h"

namespace dse::explore::source_examples_test {
namespace {

hw::DevicePtr with_l1(const std::string& size) {
  Diagnostics d;
  auto device = hw::read_device(DSE_SOURCE_DIR "/configs/devices/gap8-class.yaml",
                                {{"memories.l1.size", size, {}}, {"memories.l2.size", "8 MiB", {}}}, d);
  EXPECT_TRUE(device) << d.text();
  return device;
}

nn::NetworkPtr network(const std::string& shape, const std::string& layer) {
  Diagnostics d;
  auto n = nn::import_yaml("format: 1\nname: n\ninput: {shape: " + shape +
                               ", scale: 0.02, zero_point: 0}\nlayers:\n  - conv: {" + layer + ", padding: same}\n",
                           "n.yaml", d);
  EXPECT_TRUE(n) << d.text();
  return n;
}

/// Bytes of the input's rows (or planes) in the nearest memory.
std::int64_t resident(const nn::Network& n, const hw::Device& device, plan::LayerChoice choice) {
  choice.output_memory = device.io, choice.operands = plan::Operands::tiled;
  const auto context = plan::context_of(n, device, {choice}, 0, true);
  const auto g = plan::layer_geometry(context, choice);
  EXPECT_TRUE(g.feasible) << g.reason;
  const auto* in = g.find("in0");
  EXPECT_TRUE(in);
  return in ? in->size : -1;
}

TEST(SourceExamples, InterleavedRowsOfAnImage) {
  const auto n = network("[1, 480, 640, 3]", "filters: 8, kernel: 3");
  const auto device = with_l1("64 KiB");
  plan::LayerChoice c;
  c.scheme = plan::Scheme::interleaved, c.tile = 1, c.filters = 1, c.buffering = plan::Buffering::once;
  EXPECT_EQ(resident(*n, *device, c), 5760);  // three rows
  c.buffering = plan::Buffering::twice;
  EXPECT_EQ(resident(*n, *device, c), 7680);  // and the one that is prefetched
  c.tile = 2;
  EXPECT_EQ(resident(*n, *device, c) - 7680, 2 * 1920);  // a row more resident, a row more on its way
}

TEST(SourceExamples, EightFilterSetsReadTheInputEightTimes) {
  const auto n = network("[1, 480, 640, 3]", "filters: 8, kernel: 3");
  const auto device = with_l1("64 KiB");
  const auto made = plan::rule_based_plan(*n, *device, false);
  ASSERT_TRUE(std::holds_alternative<plan::Plan>(made));
  Case c;
  c.network = n, c.device = device;
  const auto point = simulate_point(c, std::get<plan::Plan>(made), false, false);
  const std::int64_t image = 640 * 480 * 3, weights = 8 * 40;  // 27 taps, 12 bytes that requantise, and up to four
  const auto& l2 = point.run.memories[static_cast<std::size_t>(device->memory("l2"))];
  EXPECT_EQ(l2.read, 8 * image + weights);
  EXPECT_EQ(l2.written, 640 * 480 * 8 + weights);
}

TEST(SourceExamples, PlanesWhereRowsAreTooWide) {
  const auto n = network("[1, 15, 20, 512]", "filters: 64, kernel: 3");
  const auto large = with_l1("128 KiB");
  plan::LayerChoice rows;
  rows.scheme = plan::Scheme::interleaved, rows.tile = 1, rows.filters = 1, rows.buffering = plan::Buffering::once;
  EXPECT_EQ(resident(*n, *large, rows), 30720);
  plan::LayerChoice planes;
  planes.scheme = plan::Scheme::planar, planes.tile = 15, planes.filters = 1, planes.channels = 1;
  planes.buffering = plan::Buffering::once;
  EXPECT_EQ(resident(*n, *large, planes), 300);
  // The rule takes rows as long as they fit, then planes.
  const auto scheme = [&](const std::string& l1) {
    const auto made = plan::rule_based_plan(*n, *with_l1(l1), false);
    EXPECT_TRUE(std::holds_alternative<plan::Plan>(made)) << l1;
    return std::get<plan::Plan>(made).choices[0].scheme;
  };
  EXPECT_EQ(scheme("128 KiB"), plan::Scheme::interleaved);
  EXPECT_EQ(scheme("50 KiB"), plan::Scheme::planar);  // 22 KiB of it are free
}

TEST(SourceExamples, ThePixelBlockGrowsUntilItNoLongerFits) {
  const auto n = network("[1, 32, 32, 64]", "filters: 32, kernel: 1");
  std::int64_t before = 0;
  for (const char* l1 : {"40 KiB", "48 KiB", "64 KiB", "96 KiB"}) {
    const auto device = with_l1(l1);
    const auto made = plan::rule_based_plan(*n, *device, false);
    ASSERT_TRUE(std::holds_alternative<plan::Plan>(made));
    auto choice = std::get<plan::Plan>(made).choices[0];
    EXPECT_EQ(choice.scheme, plan::Scheme::pixel_block);
    EXPECT_GE(choice.tile, before);
    before = choice.tile;
    if (choice.tile == 1024) continue;
    // One pixel more, and it does not.
    choice.tile += 1;
    const auto context = plan::context_of(*n, *device, {choice}, 0, true);
    const auto g = plan::layer_geometry(context, choice);
    const int near = device->engines[static_cast<std::size_t>(device->compute_engine())].memories.front();
    const auto& memory = device->memories[static_cast<std::size_t>(near)];
    EXPECT_GT(g.local_bytes(near, memory.alignment), memory.free()) << l1;
  }
  EXPECT_GT(before, 100);
}

}  // namespace
}  // namespace dse::explore::source_examples_test
