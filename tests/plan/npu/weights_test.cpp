// The weights of an Ethos-U: decoding inverts coding, and the decoder of the kernels finds every weight where the
// encoder put it.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/nn/kernels/npu/dse_npu.h"
#include "plan/npu/weights/encode.h"
#include "plan/npu/weights/order.h"
#include "plan/npu/weights/stream.h"
#include "tests/support/slow.h"

namespace dse::plan::npu::weights_test {
namespace {

using Random = std::mt19937_64;
int pick(Random& r, int lo, int hi) { return lo + static_cast<int>(r() % static_cast<std::uint64_t>(hi - lo + 1)); }

/// Streams of all kinds: even, near zero, few values, many zeros, steps from one to the other.
std::vector<std::int16_t> drawn(Random& random, int count) {
  std::vector<std::int16_t> out;
  int kind = 0, spread = 1;
  while (static_cast<int>(out.size()) < count) {
    if (out.empty() || random() % 700 == 0) kind = pick(random, 0, 6), spread = pick(random, 1, 255);
    int w = 0;
    switch (kind) {
      case 0:
        w = pick(random, -spread, spread);
        break;
      case 1:
        w = random() % 10 ? 0 : pick(random, -255, 255);
        break;
      case 2:
        w = 0;
        break;
      case 3:
        w = pick(random, -1, 1);
        break;
      case 4:
        w = std::clamp(static_cast<int>(std::normal_distribution<double>(0, spread / 4.0)(random)), -255, 255);
        break;
      case 5:
        w = pick(random, 0, 15) * 8 - 60;
        break;
      default:
        w = spread;
        break;
    }
    out.push_back(static_cast<std::int16_t>(w));
  }
  return out;
}

std::vector<std::int16_t> decoded(const std::vector<std::uint8_t>& stream) {
  const std::int32_t n = dse_npu_decode(stream.data(), static_cast<std::int32_t>(stream.size()), nullptr, 0);
  if (n < 0) return {};
  std::vector<std::int16_t> out(static_cast<std::size_t>(n));
  dse_npu_decode(stream.data(), static_cast<std::int32_t>(stream.size()), out.data(), n);
  return out;
}

TEST(NpuWeights, DecodingInvertsCoding) {
  Random random(1);
  const int cases = test::of_cases(3000);
  for (int i = 0; i < cases; ++i) {
    const auto weights = drawn(random, pick(random, 1, i % 50 ? 2000 : 60000));
    const auto stream = encode(weights);
    EXPECT_EQ(stream.size() % 16, 0u);
    ASSERT_EQ(decoded(stream), weights) << "case " << i;
  }
}

TEST(NpuWeights, CodesWhatIsEasyInLittle) {
  EXPECT_LE(encode(std::vector<std::int16_t>(10000, 0)).size(), 3000u);
  EXPECT_LE(encode(std::vector<std::int16_t>(10000, 5)).size(), 1400u) << "a bit each";
  Random random(2);
  std::vector<std::int16_t> even;
  for (int i = 0; i < 10000; ++i) even.push_back(static_cast<std::int16_t>(pick(random, -127, 127)));
  EXPECT_LE(encode(even).size(), 10300u) << "bytes without an order cost little more than bytes";
}

TEST(NpuWeights, DamagedStreamsAreRefused) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    auto stream = encode(drawn(random, 300));
    for (int n = pick(random, 1, 20); n > 0; --n)
      stream[random() % stream.size()] = static_cast<std::uint8_t>(random());
    if (random() % 2) stream.resize(random() % stream.size());
    std::vector<std::int16_t> out(4000);
    const std::int32_t n = dse_npu_decode(stream.data(), static_cast<std::int32_t>(stream.size()), out.data(), 4000);
    EXPECT_GE(n, -1);
  }
}

struct Places {
  std::vector<std::int32_t> at;
};

// The walk of the encoder and that of the kernels share no code.
TEST(NpuWeights, BothWalksAgree) {
  Random random(4);
  const int cases = test::of_cases(2000);
  for (int i = 0; i < cases; ++i) {
    Weights w;
    w.depthwise = pick(random, 0, 3) == 0;
    w.h = pick(random, 1, 11), w.w = pick(random, 1, 11), w.out = pick(random, 1, 70),
    w.in = w.depthwise ? 1 : pick(random, 1, 70);
    w.input_bits = pick(random, 0, 3) ? 8 : 16;
    w.dilation_h = pick(random, 1, 2), w.dilation_w = pick(random, 1, 2);
    const int all = w.h * w.w * w.in * w.out;
    for (int k = 0; k < all; ++k) w.values.push_back(static_cast<std::int16_t>(k % 511 - 255));
    WeightWalk walk{.first = 0,
                    .count = w.out,
                    .core = 0,
                    .cores = pick(random, 1, 2),
                    .block_depth = pick(random, 1, 8) * 8,
                    .ifm_ublock = 8,
                    .ofm_ublock = pick(random, 0, 1) ? 8 : 4,
                    .part_kernel = !w.depthwise && pick(random, 0, 1) == 1};
    const auto stream = in_order(w, walk);
    const int channels = (w.out + walk.cores - 1) / walk.cores;
    const dse_npu_walk of_kernels{w.h,
                                  w.w,
                                  w.in,
                                  channels,
                                  walk.block_depth,
                                  walk.ifm_ublock,
                                  walk.ofm_ublock,
                                  8 / w.dilation_h,
                                  8 / w.dilation_w,
                                  walk.part_kernel,
                                  w.depthwise,
                                  w.input_bits,
                                  0};
    Places places;
    const std::int32_t n = dse_npu_for_each_weight(
        &of_kernels, [](void* c, std::int32_t, std::int32_t at) { static_cast<Places*>(c)->at.push_back(at); },
        &places);
    ASSERT_EQ(static_cast<std::size_t>(n), stream.size());
    const int filter = w.h * w.w * w.in;
    for (std::size_t k = 0; k < stream.size(); ++k) {
      const std::int32_t at = places.at[k];
      const std::int32_t global = at < 0 ? -1 : (at / filter) * walk.cores * filter + at % filter;
      ASSERT_EQ(stream[k], global < 0 ? 0 : w.values[static_cast<std::size_t>(global)])
          << "case " << i << ", weight " << k;
    }
  }
}

TEST(NpuWeights, ScalesComeBack) {
  // -5 as 40 bits, multiplier 0x40000001, shift 38: tflite's -7.
  const std::uint8_t record[] = {0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x00, 0x00, 0x40, 38};
  std::int32_t narrow[3], wide[4];
  dse_npu_scales(record, 1, 4, narrow);
  EXPECT_EQ(narrow[0], -5);
  EXPECT_EQ(narrow[1], 0x40000001);
  EXPECT_EQ(narrow[2], -7);
  dse_npu_scales(record, 1, 8, wide);
  EXPECT_EQ(wide[0], -5);
  EXPECT_EQ(wide[1], -1);
  EXPECT_EQ(wide[2], 0x40000001);
  EXPECT_EQ(wide[3], -7);
}

TEST(NpuWeights, SlicesBeginAtSixteenBytes) {
  auto w = std::make_shared<Weights>();
  w->h = w->w = 3, w->in = 20, w->out = 50;
  Random random(5);
  w->values = drawn(random, 3 * 3 * 20 * 50);
  WeightCoder coder(*hw::ethos_u::find_accelerator("u65-512"));
  const std::vector<int> slices = {0, 16, 48, 50};
  const auto stream = coder.code(w, 16, 8, false, slices);
  EXPECT_EQ(stream->ranges.size(), 6u) << "three slices, two cores";
  std::int64_t at = 0;
  for (const auto& r : stream->ranges) {
    EXPECT_EQ(r.offset, at);
    EXPECT_EQ(r.offset % 16, 0);
    at += r.total();
  }
  EXPECT_EQ(stream->bytes, at);
  EXPECT_EQ(stream->double_buffer(), stream->buffers[0] + stream->buffers[1]);
  EXPECT_EQ(coder.code(w, 16, 8, false, slices), stream) << "coded once";
}

}  // namespace
}  // namespace dse::plan::npu::weights_test
