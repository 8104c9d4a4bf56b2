// Fronts reach below what any order of whole layers needs: plans by phases, simulated with real bytes, on the shipped
// Cortex-M7 class device, whose weights stay in flash.
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/explore.h"
#include "explore/question/files/sweep_file.h"
#include "tests/support/slow.h"
#include "tests/verify/point_checks.h"

namespace dse::verify::phased_fronts_test {
namespace {

struct Reached {
  std::int64_t smallest = 0;  // bytes: of the front
  double latency_us = 0, layer_by_layer_us = 0;
};

/// The least memory of a front, and what it costs in time beside the fastest plan of whole layers.
Reached reached(const std::string& network, const std::string& device, const std::string& input) {
  Diagnostics diags;
  const auto spec =
      explore::read_sweep_text("networks: [" DSE_SOURCE_DIR "/configs/networks/" + network + ".yaml]\ndevices: [" +
                                   device + "]\nexplore:\n  choices:\n    network.input: " + input + "\n",
                               "sweep.yaml", diags);
  EXPECT_TRUE(spec) << diags.text();
  const auto cases = explore::resolve(*spec, diags);
  EXPECT_FALSE(diags.has_errors()) << diags.text();
  explore::ExploreOptions options;
  options.verify = true;
  const auto sweep = explore::explore(*spec, cases, options, diags);
  EXPECT_FALSE(diags.has_errors()) << diags.text();
  const auto& front = sweep.fronts.at(0);
  EXPECT_TRUE(front.complete);
  EXPECT_GT(front.phased, 0);
  Reached out;
  for (const auto& p : front.points) EXPECT_TRUE(p.verified) << p.id;
  out.smallest = front.points.front().memory_bytes, out.latency_us = front.points.front().latency_us;
  out.layer_by_layer_us = front.points.back().latency_us;
  std::printf("%s on %s, input %s: %lld bytes in %.0f us, fastest %.0f us\n", network.c_str(), device.c_str(),
              input.c_str(), static_cast<long long>(out.smallest), out.latency_us, out.layer_by_layer_us);
  return out;
}

constexpr double kResnet8 = 49'152, kMobilenet = 55'296;  // bytes: least over all orders of whole layers

TEST(PhasedFronts, Resnet8NeedsTwoFifths) {
  const auto r = reached("resnet8", "cortex-m7-class", "released");
  EXPECT_LE(static_cast<double>(r.smallest), kResnet8 / 2.5);
  EXPECT_GE(r.latency_us, r.layer_by_layer_us);
}

TEST(PhasedFronts, MobilenetByWhatBecomesOfItsInput) {
  struct Asked {
    const char *device, *input;
    double factor;
  };
  const std::vector<Asked> all = {
      {"cortex-m7-class", "kept", 1.45},  // rows alone reach 1.38 (docs/measurements.md); strips do the rest
      {"cortex-m7-class", "released", 1.9},
      {"cortex-m7-camera", "streamed", 4}};
  for (const auto& asked : test::share_of(all)) {
    const auto r = reached("mobilenet-v1-0.25-96", asked.device, asked.input);
    EXPECT_LE(static_cast<double>(r.smallest), kMobilenet / asked.factor);
  }
}

}  // namespace
}  // namespace dse::verify::phased_fronts_test
