// What a CPU waits for operands that its loops read from slow memory, counted by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "explore/calibrate/calibrate.h"
#include "explore/calibrate/shapes.h"

namespace dse::explore::waits_test {
namespace {

/// A core whose arithmetic is free, so that what is left are dispatch (100), issue and waits. Weights in flash.
std::string device(const std::string& library, const std::string& flash_width, const std::string& cache) {
  const std::string dsp =
      "{conv_block: 0, conv_rest: 0, im2col: 0, conv_tap: 0, conv_output: 0, depthwise_mac: 0, depthwise_output: 0, "
      "multiplied_mac: 0, multiplied_output: 0, dense_mac: 0, dense_output: 0, pool_element: 0, pool_output: 0}";
  const std::string mve =
      "{conv_vector: 0, conv_rest: 0, im2col: 0, conv_tap: 0, conv_output: 0, depthwise_vector: 0, depthwise_tap: 0, "
      "depthwise_output: 0, multiplied_mac: 0, dense_vector: 0, dense_output: 0, pool_element: 0, pool_output: 0}";
  const std::string plain =
      "{conv_mac: 0, conv_tap: 0, conv_output: 0, depthwise_mac: 0, depthwise_tap: 0, depthwise_output: 0, "
      "dense_mac: 0, dense_output: 0, pool_element: 0, pool_output: 0, max_pool_output: 0}";
  return fmt::format(
      "format: 1\nname: d\nclock: 100 MHz\nkernels: {{library: {}}}\n"
      "memories:\n  ram: {{size: 1 MiB, width: 512 B/cycle, on_chip: true}}\n  flash: {{size: 8 MiB, width: {}}}\n"
      "engines:\n  core: {{kind: cpu, memories: [ram, flash], cycles_per_mac: {{default: 0}}, "
      "cycles_per_element: {{default: 0}}, cycles_per_count: {}, dispatch: 100 cycles, cache: {}}}\n"
      "constants: flash\nio: ram\n",
      library, flash_width,
      library == "cmsis-nn"       ? dsp
      : library == "cmsis-nn-mve" ? mve
                                  : plain,
      cache);
}

double cycles(const std::string& device, const nn::NetworkPtr& network) {
  EXPECT_TRUE(network);
  CalibrationBoard board{device, "d.yaml", {}};
  MeasuredRow row;
  row.network = network, row.cycles = 1, row.about = "it";
  board.rows.push_back(row);
  Diagnostics d;
  const auto c = predict({board}, d);
  EXPECT_TRUE(c) << d.text();
  return c ? c->rows[0].after : -1;
}

struct Case {
  const char *library, *kind, *shape;
  double bytes;      // of weights and, 12 for each output channel, what requantises
  double uncached;   // times that they are read
  double cached_in;  // cache, in bytes, that makes it once
};

class Waits : public testing::TestWithParam<Case> {};

TEST_P(Waits, FollowTheWidthOfTheMemoryAndTheReadings) {
  const auto& c = GetParam();
  const auto network = operator_of_shape(c.kind, c.shape);
  const auto at = [&](const char* width, const std::string& cache) {
    return cycles(device(c.library, width, cache), network);
  };
  const std::string fits = fmt::format("{} B", c.cached_in), less = fmt::format("{} B", c.cached_in - 1);
  // Twice as wide: half of the waits, all else the same.
  EXPECT_EQ(at("1 B/cycle", less) - at("2 B/cycle", less), c.bytes * c.uncached / 2);
  EXPECT_EQ(at("2 B/cycle", less) - at("4 B/cycle", less), c.bytes * c.uncached / 4);
  if (c.uncached > 1) EXPECT_LT(at("1 B/cycle", fits), at("1 B/cycle", less));
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, Waits,
    testing::Values(
        // For each two of 16 pixels; between two readings lie two channels' 8 weights and 12 bytes that requantise.
        Case{"cmsis-nn", "CONV_2D", "in 4x4x8 out 4x4x4 k1x1 s1x1", 4 * 8 + 4 * 12, 8, 40},
        // 3x3: all weights between two readings, 9 pixels are 5 pairs. 4 x 9 x 8 bytes.
        Case{"cmsis-nn", "CONV_2D", "in 3x3x8 out 3x3x4 k3x3 s1x1", 288 + 48, 5, 336},
        Case{"cmsis-nn", "DEPTHWISE_CONV_2D", "in 4x4x8 out 4x4x8 k3x3 s1x1", 72 + 96, 16, 168},
        Case{"cmsis-nn", "FULLY_CONNECTED", "in 64 out 12", 768 + 144, 1, 1},
        // Four pixels at a time.
        Case{"cmsis-nn-mve", "CONV_2D", "in 3x3x8 out 3x3x4 k3x3 s1x1", 288 + 48, 3, 336},
        Case{"cmsis-nn-mve", "DEPTHWISE_CONV_2D", "in 4x4x8 out 4x4x8 k3x3 s1x1", 72 + 96, 4, 168},
        Case{"cmsis-nn-mve", "FULLY_CONNECTED", "in 64 out 12", 768 + 144, 1, 1},
        // One pixel at a time, all of the weights for each.
        Case{"tflm-reference", "CONV_2D", "in 4x4x8 out 4x4x4 k1x1 s1x1", 4 * 8 + 4 * 12, 16, 80},
        Case{"tflm-reference", "DEPTHWISE_CONV_2D", "in 4x4x8 out 4x4x8 k3x3 s1x1", 72 + 96, 16, 168},
        Case{"tflm-reference", "FULLY_CONNECTED", "in 64 out 12", 768 + 144, 1, 1}));

TEST(Waits, WhatLiesNearestIsPartOfTheRates) {
  const auto network = operator_of_shape("CONV_2D", "in 4x4x8 out 4x4x4 k1x1 s1x1");
  auto near = device("cmsis-nn", "1 B/cycle", "0 B");
  near.replace(near.find("constants: flash"), 16, "constants: ram");
  EXPECT_EQ(cycles(near, network), 101);  // 208 bytes go through the port in one cycle
}

}  // namespace
}  // namespace dse::explore::waits_test
