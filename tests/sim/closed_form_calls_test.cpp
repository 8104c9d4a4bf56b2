// The inner loop of every kernel library, technique and table, worked out by hand: one call on the platform takes its
// dispatch and exactly that.
#include "models/hw/libraries/libraries.h"
#include "models/nn/graph/technique.h"
#include "models/nn/kernels/dse_batches.h"
#include "models/nn/kernels/dse_factors.h"
#include "tests/hw/counted_calls.h"
#include "tests/sim/support.h"

namespace dse::sim::testing::closed_form_calls_test {
namespace {

constexpr std::int64_t kDispatch = 7;  // of the engine of small_device()

struct Hand {
  const char* name;
  std::string library;
  std::vector<std::int64_t> rates;  // of what it counts, in order; none: the tables
  dse_op op;
  std::int64_t cycles;
};

dse_op of_kind(std::int32_t kind, dse_op op) {
  op.kind = kind, op.multiplier = 1;
  return op;
}
dse_op conv(int in, int channels, int out, int filters, int kernel, int stride = 1) {
  return hw::test::square_conv(in, channels, out, filters, kernel, stride);
}
dse_op wide(dse_op op) {
  op.in_type = op.out_type = DSE_I16;
  return op;
}
dse_op stored(dse_op op, int how) {  // in Q formats
  op.rounding = DSE_ROUND_QFORMAT, op.arg[DSE_ARG_STORE] = how;
  return op;
}

/// The engine computes from near memory, which takes no latency, at 2 cycles per product (depthwise 3, in 16 bits 5)
/// and 4 per element (pools 6, softmax 9).
hw::Device device_of(const Hand& h) {
  hw::Device d = small_device();
  d.kernel_library = h.library.empty() ? "none" : h.library;
  d.memories[0].size = d.memories[1].size = 1 << 20;
  auto& e = d.engines[1];
  e.memories = {0};
  e.cycles_per_mac = {{"default", {2, 1}}, {"depthwise", {3, 1}}};
  e.cycles_per_mac_int16 = {{"conv", {5, 1}}};
  e.cycles_per_element = {{"default", {4, 1}}, {"average_pool", {6, 1}}, {"max_pool", {6, 1}}, {"softmax", {9, 1}}};
  e.cycles_per_shift = {1, 2};
  const auto counts = hw::counts_of(d.kernel_library);
  for (std::size_t i = 0; i < h.rates.size(); ++i) e.cycles_per_count[counts.at(i)] = {h.rates[i], 1};
  if (h.rates.empty()) {
    for (const auto& name : nn::technique_names()) e.techniques[name] = {4, 1};
    e.rescaled_per_cycle = {2, 1}, e.per_batch = 11;
    e.rescales_apart = h.op.arg[DSE_ARG_BATCH_BUFFERS] == 2;
  }
  if (h.library == "pulp-nn") e.cores = 8;
  return d;
}

void expect_by_hand(const std::vector<Hand>& cases) {
  for (const auto& h : cases) {
    const RunResult r = run(one_call(h.op), device_of(h));
    ASSERT_FALSE(r.failure) << h.name << ": " << r.failure->what;
    EXPECT_EQ(r.ticks, kDispatch + h.cycles) << h.library << ", " << h.name;
  }
}

TEST(ClosedFormCalls, ByTheTables) {
  expect_by_hand({
      {"3x3 convolution", "", {}, conv(4, 4, 4, 4, 3), 2 * 16 * 9 * 4 * 4 + 4 * 64},
      {"in 16 bits", "", {}, wide(conv(4, 4, 4, 4, 3)), 5 * 16 * 9 * 4 * 4 + 4 * 64},
      {"depthwise", "", {}, of_kind(DSE_DEPTHWISE_CONV_2D, conv(4, 8, 4, 8, 3)), 3 * 16 * 9 * 8 + 4 * 128},
      {"fully connected", "", {}, of_kind(DSE_FULLY_CONNECTED, conv(1, 33, 1, 10, 1)), 2 * 330 + 4 * 10},
      {"average pool", "", {}, of_kind(DSE_AVERAGE_POOL_2D, conv(4, 8, 2, 8, 2, 2)), 6 * 32 * 4},
      {"maximum pool", "", {}, of_kind(DSE_MAX_POOL_2D, conv(4, 8, 2, 8, 2, 2)), 6 * 32 * 4},
      {"softmax", "", {}, of_kind(DSE_SOFTMAX, conv(1, 12, 1, 12, 1)), 9 * 12},
      {"sum", "", {}, of_kind(DSE_ADD, conv(4, 8, 4, 8, 1)), 4 * 128},
      {"Q format with a shift", "", {}, stored(conv(4, 4, 4, 4, 1), DSE_STORE_SHIFTS), 2 * 256 + 4 * 64 + 32},
      {"Q format with a factor", "", {}, stored(conv(4, 4, 4, 4, 1), DSE_STORE_CORRECTS), 2 * (256 + 64) + 4 * 64},
  });
}

TEST(ClosedFormCalls, CmsisNn) {
  // Per product in a block, beside one, byte of a column, tap of a column, output; depthwise, with a multiplier, dense:
  // per product and output; pools per element and output.
  const std::vector<std::int64_t> r = {1, 2, 10, 100, 1000, 3, 30, 5, 50, 4, 40, 2, 9};
  auto multiplied = of_kind(DSE_DEPTHWISE_CONV_2D, conv(4, 2, 4, 8, 3));
  multiplied.multiplier = 4;
  expect_by_hand({
      {"3x3", "cmsis-nn", r, conv(4, 4, 4, 4, 3), 2304 + 10 * 576 + 100 * 144 + 1000 * 64},
      {"odd everything", "cmsis-nn", r, conv(3, 3, 3, 3, 3), 384 + 2 * 345 + 10 * 243 + 100 * 81 + 1000 * 27},
      {"1x1", "cmsis-nn", r, conv(4, 8, 4, 4, 1), 512 + 1000 * 64},
      {"1x1 with a stride", "cmsis-nn", r, conv(8, 8, 4, 4, 1, 2), 512 + 10 * 128 + 100 * 16 + 1000 * 64},
      {"depthwise", "cmsis-nn", r, of_kind(DSE_DEPTHWISE_CONV_2D, conv(4, 8, 4, 8, 3)), 3 * 1152 + 30 * 128},
      {"multiplied", "cmsis-nn", r, multiplied, 5 * 1152 + 50 * 128},
      {"dense", "cmsis-nn", r, of_kind(DSE_FULLY_CONNECTED, conv(1, 10, 1, 5, 1)), 4 * 50 + 40 * 5},
      {"pool", "cmsis-nn", r, of_kind(DSE_AVERAGE_POOL_2D, conv(4, 8, 2, 8, 2, 2)), 2 * 128 + 9 * 32},
  });
}

TEST(ClosedFormCalls, TinyEngine) {
  // Per product in a block, beside one, value widened, of kernels; output; depthwise: product, of an odd column, value
  // of a plane, output; dense and pools as above.
  const std::vector<std::int64_t> r = {1, 2, 10, 20, 1000, 3, 5, 7, 30, 4, 40, 2, 9};
  expect_by_hand({
      {"3x3", "tinyengine", r, conv(4, 4, 4, 4, 3), 2304 + 10 * 576 + 20 * 144 + 1000 * 64},
      {"1x1", "tinyengine", r, conv(4, 8, 4, 4, 1), 512 + 10 * 128 + 1000 * 64},
      {"odd everything", "tinyengine", r, conv(3, 3, 3, 3, 3), 384 + 2 * 345 + 10 * 243 + 20 * 81 + 1000 * 27},
      {"depthwise", "tinyengine", r, of_kind(DSE_DEPTHWISE_CONV_2D, conv(4, 8, 4, 8, 3)),
       3 * 1152 + 7 * 128 + 30 * 128},
      {"depthwise, an odd row", "tinyengine", r, of_kind(DSE_DEPTHWISE_CONV_2D, conv(3, 8, 3, 8, 3)),
       3 * 432 + 5 * 216 + 7 * 72 + 30 * 72},
      {"dense", "tinyengine", r, of_kind(DSE_FULLY_CONNECTED, conv(1, 10, 1, 5, 1)), 4 * 50 + 40 * 5},
      {"pool", "tinyengine", r, of_kind(DSE_AVERAGE_POOL_2D, conv(4, 8, 2, 8, 2, 2)), 2 * 128 + 9 * 32},
  });
}

TEST(ClosedFormCalls, CmsisNnWithVectors) {
  const std::vector<std::int64_t> r = {10, 5, 1, 20, 7, 16, 9, 8, 6, 12, 4, 2, 9};
  expect_by_hand({
      {"3x3", "cmsis-nn-mve", r, conv(4, 4, 4, 5, 3), 10 * 60 + 576 + 20 * 144 + 7 * 80},
      {"single pixels", "cmsis-nn-mve", r, conv(3, 17, 3, 3, 1), 10 * 12 + 5 * 6 + 7 * 27},
      {"depthwise", "cmsis-nn-mve", r, of_kind(DSE_DEPTHWISE_CONV_2D, conv(3, 10, 3, 10, 3)),
       16 * 81 + 9 * 81 + 8 * 90},
      {"dense", "cmsis-nn-mve", r, of_kind(DSE_FULLY_CONNECTED, conv(1, 33, 1, 10, 1)), 12 * 9 + 4 * 10},
      {"pool", "cmsis-nn-mve", r, of_kind(DSE_AVERAGE_POOL_2D, conv(4, 8, 2, 8, 2, 2)), 2 * 128 + 9 * 32},
  });
}

TEST(ClosedFormCalls, PulpNn) {
  const std::vector<std::int64_t> r = {14, 1, 10, 100, 7, 1000, 3, 4, 30, 5, 50};
  // A row for each of eight cores: four pairs, two fours of channels, 36 deep; columns of 3 copies of 12 bytes.
  expect_by_hand({
      {"3x3", "pulp-nn", r, conv(10, 4, 8, 8, 3), 14 * 72 + 10 * 72 + 100 * 24 + 7 * 4 + 1000 * 64},
  });
}

TEST(ClosedFormCalls, Ne16) {
  // A job; patches asked for, of 1x1 and their pixels; offsets, of each channel; products and their words; next patch;
  // scale, its channels, shifts, bias, its words; outputs and their pixels. The least that differ.
  const std::vector<std::int64_t> r = {50, 6, 10, 1, 6, 1, 6, 1, 2, 9, 1, 3, 8, 1, 4, 1};
  expect_by_hand({
      // 2 x 2 subtiles, two blocks of 32, two patches each.
      {"3x3", "ne16", r, conv(8, 32, 6, 64, 3),
       50 + 4 * 2 * (2 * (6 + 25 + 6 + 6 + 8 * 32 + 2) + 9 + 32 + 3 * 8 + 8 + 4 + 4 + 9)},
      // 2 x 2 subtiles, a block of 32 and one of 8, a patch.
      {"1x1", "ne16", r, conv(5, 16, 5, 40, 1),
       50 + 4 * (2 * (10 + 9 + 6 + 6 + 2 + 9 + 8 + 4 + 9) + 40 + 40 + 3 * 10 + 5)},
      // 3 x 3 subtiles, a block of 16 and one of 8, each of its own patch.
      {"depthwise", "ne16", r, of_kind(DSE_DEPTHWISE_CONV_2D, conv(9, 24, 7, 24, 3)),
       50 + 9 * (2 * (6 + 25 + 6 + 6 + 2 + 9 + 8 + 4 + 9) + 24 + 8 * 24 + 24 + 3 * 6 + 3)},
      // 2 x 2 jobs of 2 x 2 pixels.
      {"with a stride", "ne16", r, conv(9, 16, 4, 32, 3, 2),
       4 * (50 + 6 + 25 + 6 + 6 + 8 * 32 + 2 + 9 + 32 + 3 * 8 + 8 + 4 + 4 + 9)},
  });
}

/// Weights are read for every two pixels: from far memory, 4 bytes a cycle, unless a cache holds them meanwhile.
TEST(ClosedFormCalls, WhatLoopsReadFromAfar) {
  const Hand h{"1x1", "cmsis-nn", {1, 2, 10, 100, 1000, 3, 30, 5, 50, 4, 40, 2, 9}, conv(4, 8, 4, 4, 1), 0};
  auto d = device_of(h);
  d.engines[1].memories = {0, 1};
  const std::int64_t loops = 512 + 1000 * 64, weights = 4 * 8, latency = 10;
  const auto program = one_call(h.op, {{DSE_WEIGHTS, 1}});
  EXPECT_EQ(run(program, d).ticks, kDispatch + latency + loops + 8 * weights / 4);
  d.memories[1].width = {1, 2};
  EXPECT_EQ(run(program, d).ticks, kDispatch + latency + loops + 8 * weights * 2);
  d.engines[1].cache = 1024;
  EXPECT_EQ(run(program, d).ticks, kDispatch + latency + loops + weights * 2);
}

/// 100 outputs of 8 channels from 4, 3x3: what is multiplied, what is arranged, and 4 cycles an output.
TEST(ClosedFormCalls, Techniques) {
  auto op = conv(10, 4, 10, 8, 3);
  op.pad_top = op.pad_left = 1;
  const auto by = [](const dse_op& o, int technique) { return nn::by_technique(o, technique); };
  auto back = of_kind(DSE_TRANSPOSE_CONV, conv(4, 2, 9, 3, 3, 2));
  const auto depthwise = of_kind(DSE_DEPTHWISE_CONV_2D, conv(9, 5, 7, 5, 3));
  expect_by_hand({
      {"direct", "", {}, op, 2 * 800 * 36 + 4 * 800},
      {"im2row", "", {}, by(op, DSE_IM2ROW), 2 * 800 * 36 + 4 * 800 + 100 * 36 / 4},
      {"by row", "", {}, by(op, DSE_IM2ROW_BY_ROW), 2 * 800 * 36 + 4 * 800 + 100 * 36 / 4 + 9 * kDispatch},
      {"winograd", "", {}, by(op, DSE_WINOGRAD), 2 * 16 * 25 * 32 + 4 * 800 + (32 * 4 * 33 + 64 * 200) / 4},
      {"zeros", "", {}, by(back, DSE_ZERO_INSERTION), 2 * 81 * 54 + 4 * 243 + (11 * 11 * 2 + 3) / 4},
      {"sub-pixel", "", {}, by(back, DSE_SUB_PIXEL), 2 * 14 * 14 * 6 + 4 * 243},
      {"separable", "", {}, by(depthwise, DSE_SEPARABLE), 3 * (9 * 7 * 5 * 3 + 49 * 5 * 3) + 4 * 245 + 9 * 7 * 5},
  });
}

/// Two of the 800 sums are rescaled a cycle, and each batch takes eleven cycles of its own.
TEST(ClosedFormCalls, OutputBatches) {
  auto op = conv(10, 4, 10, 8, 3);
  op.pad_top = op.pad_left = 1;
  const auto in = [&](int batches, int buffers) {
    auto o = op;
    o.arg[DSE_ARG_BATCHES] = batches, o.arg[DSE_ARG_BATCH_BUFFERS] = buffers;
    return o;
  };
  const std::int64_t summed = 2 * 800 * 36 + 4 * 800;
  expect_by_hand({
      {"one batch", "", {}, in(1, 1), summed + 400 + 11},
      {"as many as channels", "", {}, in(8, 1), summed + 400 + 8 * 11},
      {"that do not divide", "", {}, in(7, 1), summed + 400 + 7 * 11},
      {"of two buffers", "", {}, in(8, 2), summed + 400 / 8 + 8 * 11},
  });
}

/// The 800 sums are read once more for the factors of their batches, and each is shifted; each of the nine taps of a
/// sum of products with factors is, too.
TEST(ClosedFormCalls, DynamicRescaling) {
  auto op = conv(10, 4, 10, 8, 3);
  op.pad_top = op.pad_left = 1;
  op.rounding = DSE_ROUND_QFORMAT, op.correction = DSE_CORRECT_THEN_ROUND, op.acc_bytes = 8;
  op.arg[DSE_ARG_STORE] = DSE_STORE_SHIFTS;
  op.arg[DSE_ARG_BATCHES] = 8, op.arg[DSE_ARG_BATCH_BUFFERS] = 1;
  const std::int64_t summed = 2 * 800 * 36 + 4 * 800, shifts = 800 / 2;
  auto finds = op, compensates = op, both = op;
  finds.arg[DSE_ARG_OUT_FACTORS] = both.arg[DSE_ARG_OUT_FACTORS] = 8;
  compensates.arg[DSE_ARG_IN_FACTORS] = both.arg[DSE_ARG_IN_FACTORS] = 5;
  compensates.in2_type = both.in2_type = DSE_I32;
  auto aligned = of_kind(DSE_NORMALIZE, conv(1, 90, 1, 90, 1));
  aligned.rounding = DSE_ROUND_QFORMAT, aligned.in2_type = DSE_I32;
  aligned.arg[DSE_ARG_IN_FACTORS] = 5, aligned.arg[DSE_ARG_OUT_FACTORS] = 1;
  expect_by_hand({
      {"static", "", {}, op, summed + shifts + 400 + 8 * 11},
      {"finding factors", "", {}, finds, summed + shifts + 800 + 8 * 11},
      {"compensating", "", {}, compensates, summed + 10 * shifts + 400 + 8 * 11},
      {"both", "", {}, both, summed + 10 * shifts + 800 + 8 * 11},
      {"normalising", "", {}, aligned, 4 * 90},
  });
}

}  // namespace
}  // namespace dse::sim::testing::closed_form_calls_test
