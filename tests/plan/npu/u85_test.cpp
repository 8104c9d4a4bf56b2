// Blocks of an Ethos-U85 by the rule: they are what its RAMs hold, whatever is asked for.
#include <gtest/gtest.h>

#include <random>

#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/u85/table.h"
#include "plan/npu/block_config.h"
#include "plan/npu/graph.h"

namespace dse::plan::npu::u85_test {
namespace {

using namespace hw::ethos_u;

class Draw {
 public:
  int operator()(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }

  Job job() {
    Job j;
    j.function = static_cast<Function>((*this)(0, (*this)(0, 1) ? 5 : 12));
    const bool one = j.unit() == Unit::elementwise || j.unit() == Unit::vector_product || j.unit() == Unit::reduce_sum;
    j.kernel = one ? Kernel{} : Kernel{(*this)(1, 9), (*this)(1, 9), (*this)(1, 3), (*this)(1, 3), 1, 1};
    const int out = (*this)(1, 3) == 1 ? (*this)(1, 1500) : (*this)(1, 100);
    j.ofm.shape = {1, (*this)(1, 150), (*this)(1, 150), out};
    j.ifm.shape = {1, j.ofm.shape.h * j.kernel.stride_h, j.ofm.shape.w * j.kernel.stride_w,
                   by_channel(j.unit()) ? out : (*this)(1, 300)};
    j.ifm.bits = j.ofm.bits = (*this)(0, 2) ? 8 : 16;
    if (one && !has_weights(j.unit()) && (*this)(0, 3) == 0) j.ifm.bits = 32;
    if (is_binary(j.function)) {
      j.ifm2 = j.ifm;
      if ((*this)(0, 3) == 0) j.ifm2->shape.h = 1;
      if ((*this)(0, 3) == 0) j.ifm2->shape.w = 1;
      if ((*this)(0, 3) == 0) j.ifm2->shape.c = 1;
    }
    return j;
  }

 private:
  std::mt19937 random_{7};
};

std::string text(const Accelerator& a, const Job& j) {
  const Shape &in = j.ifm.shape, &out = j.ofm.shape;
  return std::string(a.name) + " " + name_of(j.function) + " " + std::to_string(in.c) + " -> " + std::to_string(out.h) +
         "x" + std::to_string(out.w) + "x" + std::to_string(out.c) + ", kernel " + std::to_string(j.kernel.h) + "x" +
         std::to_string(j.kernel.w) + ", " + std::to_string(j.ifm.bits) + " bits";
}

void expect_inside(const Accelerator& a, const Job& j, const BlockConfig& b, const std::string& where) {
  const auto& t = *a.table85;
  EXPECT_EQ(b.ofm.h % b.ublock.h + b.ofm.w % b.ublock.w + b.ofm.c % b.ublock.c, 0) << where;
  EXPECT_EQ(b.ofm.c % 16, 0) << where;
  EXPECT_TRUE(b.ofm.h <= 128 && b.ofm.w <= 128 && b.ofm.c <= 1024) << where;
  const int bytes = j.ifm.bits / 8;
  if (j.unit() == Unit::elementwise) {
    EXPECT_LE(b.ofm.elements() * std::max(j.ifm.bits, j.ofm.bits) / 8, t.output_buffer) << where;
    return;
  }
  // The inputs under it, by hand.
  const auto reach = [](int outputs, int stride, int kernel) { return (outputs - 1) * stride + std::min(kernel, 8); };
  EXPECT_GE(b.ifm.h, reach(b.ofm.h, j.kernel.stride_h, j.kernel.h)) << where;
  EXPECT_GE(b.ifm.w, reach(b.ofm.w, j.kernel.stride_w, j.kernel.w)) << where;
  const std::int64_t depth = by_channel(j.unit()) ? b.ofm.c : std::min(b.ifm.c, j.ifm.shape.c),
                     inputs = b.ifm.area() * ((depth * bytes + 15) / 16 * 16);
  const bool wide = j.ifm.bits == 16 && j.unit() != Unit::pooling;
  const std::int64_t sums = b.ofm.area() * b.ofm.c * (wide ? 8 : 4);
  EXPECT_LE(inputs, t.input_ram) << where;
  EXPECT_LE(sums, t.accumulator_ram) << where;
  if (j.unit() == Unit::depthwise || j.unit() == Unit::pooling || j.unit() == Unit::reduce_sum) return;
  EXPECT_EQ(b.input_buffers, 2 * inputs <= t.input_ram ? 2 : 1) << where;
  EXPECT_EQ(b.accumulator_sets, 2 * sums <= t.accumulator_ram ? 2 : 1) << where;
}

TEST(NpuU85Blocks, AreWhatItsMemoriesHold) {
  Draw draw;
  for (int i = 0; i < 1500; ++i) {
    const Accelerator& a = *find_accelerator("ethos-u85-" + std::to_string(128 << draw(0, 4)));
    const Job j = draw.job();
    const std::string where = text(a, j);
    const auto b = block_by_rule(a, j);
    ASSERT_TRUE(b) << where;
    expect_inside(a, j, *b, where);
    // The stream has the block alone: from that the same follows.
    const auto again = block_config(a, j, b->ofm);
    ASSERT_TRUE(again) << where;
    EXPECT_EQ(again->ublock, b->ublock) << where;
    EXPECT_EQ(again->ifm, b->ifm) << where;
    EXPECT_EQ(again->input_buffers, b->input_buffers) << where;
  }
}

// A stripe has fewer rows; the stream says of the second operand as many as of the first. What fitted fits.
TEST(NpuU85Blocks, FitInStripes) {
  Draw draw;
  int cut = 0;
  for (int i = 0; i < 3000; ++i) {
    const Accelerator& a = *find_accelerator("ethos-u85-" + std::to_string(128 << draw(0, 4)));
    Job j = draw.job();
    if (j.unit() != Unit::elementwise) continue;
    if (j.ifm2 && draw(0, 1)) std::swap(j.ifm, *j.ifm2);
    const auto b = block_by_rule(a, j);
    ASSERT_TRUE(b) << text(a, j);
    const int rows = draw(1, j.ofm.shape.h);
    j.ofm.shape.h = rows, j.ifm.shape.h = std::min(j.ifm.shape.h, rows);
    if (j.ifm2) j.ifm2->shape.h = std::min(j.ifm2->shape.h, rows);
    EXPECT_TRUE(block_config(a, j, b->ofm)) << text(a, j);
    ++cut;
  }
  EXPECT_GT(cut, 300);
}

/// Cycles of the MAC unit for all outputs in blocks, parts of blocks as they are.
std::int64_t all_cycles(const Accelerator& a, const Job& j, const BlockConfig& b) {
  std::int64_t sum = 0;
  const Shape& s = j.ofm.shape;
  for (int y = 0; y < s.h; y += b.ofm.h)
    for (int x = 0; x < s.w; x += b.ofm.w)
      for (int c = 0; c < s.c; c += b.ofm.c) {
        const Block part{std::min(b.ofm.h, s.h - y), std::min(b.ofm.w, s.w - x), std::min(b.ofm.c, s.c - c)};
        const int in = by_channel(j.unit()) ? part.c : j.ifm.shape.c, step = by_channel(j.unit()) ? part.c : b.ifm.c;
        for (int from = 0; from < in; from += step)
          for (const int taps : sub_kernels(j)) sum += mac_cycles(a, j, b, part, std::min(step, in - from), taps);
      }
  return sum;
}

TEST(NpuU85Blocks, TakeNoLessThanTheBound) {
  Draw draw;
  for (int i = 0; i < 500; ++i) {
    const Accelerator& a = *find_accelerator("ethos-u85-" + std::to_string(128 << draw(0, 4)));
    const Job j = draw.job();
    if (j.unit() == Unit::elementwise) continue;
    const auto b = block_by_rule(a, j);
    ASSERT_TRUE(b);
    EXPECT_LE(least_mac_cycles(a, j), all_cycles(a, j, *b)) << text(a, j);
  }
}

// A picture's aspect: 64x16 outputs of 16 channels of a depthwise convolution on a U85-256, whose accumulators hold
// 4096 values: 32x8 of them, so four blocks.
TEST(NpuU85Blocks, FillTheAccumulatorsInThePicturesAspect) {
  Job j;
  j.function = Function::depthwise;
  j.kernel = {3, 3, 1, 1, 1, 1};
  j.ifm.shape = j.ofm.shape = {1, 64, 16, 16};
  const auto b = block_by_rule(*find_accelerator("ethos-u85-256"), j);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->ofm, (Block{32, 8, 16}));
}

}  // namespace
}  // namespace dse::plan::npu::u85_test
