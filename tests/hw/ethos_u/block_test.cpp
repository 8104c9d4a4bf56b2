// Tables of the Ethos-U, and which blocks fit into its internal memory.
#include <gtest/gtest.h>

#include <random>

#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/estimate.h"
#include "models/hw/ethos_u/shram.h"

namespace dse::hw::ethos_u::block_test {
namespace {

Job conv(int h, int w, int c, int k, int stride, int out) {
  Job job;
  job.kernel = {k, k, stride, stride, 1, 1};
  job.ifm.shape = {1, h, w, c};
  job.ofm.shape = {1, (h + stride - 1) / stride, (w + stride - 1) / stride, out};
  job.ifm.format = job.ofm.format = Format::brick;
  job.has_bias = true;
  return job;
}

TEST(EthosU, MacsAreWhatAMicroBlockTakes) {
  for (const Accelerator& a : accelerators()) EXPECT_EQ(a.macs, a.ofm_ublock.elements() * 8) << a.name;
  EXPECT_EQ(find_accelerator("u65-512")->macs_per_cycle(), 512);
  EXPECT_EQ(find_accelerator("ethos-u55-64")->name, "ethos-u55-64");
  EXPECT_EQ(find_accelerator("u55-48"), nullptr);
}

TEST(EthosU, SystemsAreFoundHoweverTheyAreWritten) {
  EXPECT_EQ(find_system("ethos-u55-high-end-embedded"), find_system("Ethos_U55_High_End_Embedded"));
  ASSERT_NE(find_memory_mode("shared_sram"), nullptr);
  EXPECT_EQ(*find_memory_mode("Dedicated-Sram"), MemoryMode::dedicated_sram);
  EXPECT_EQ(find_system("none"), nullptr);
}

// By hand, of the 24 banks of a U55-128: 2 of outputs, 2 for tables; inputs 18x18x16 take 2 * ceil(5184 / 1024) = 12
// banks, accumulators 16x16x8 of 32 bits 2 * 8 = 16: too much; 8x16x8 8.
TEST(EthosU, BlocksThatFit) {
  const Accelerator& a = *find_accelerator("ethos-u55-128");
  const Job job = conv(32, 32, 16, 3, 1, 16);
  EXPECT_FALSE(block_config(a, job, {16, 16, 8}));
  const auto b = block_config(a, job, {8, 16, 8});
  ASSERT_TRUE(b);
  EXPECT_EQ(b->ifm, (Block{10, 18, 16}));
  const auto layout = layout_of(a, job, b->ofm, b->ifm);
  ASSERT_TRUE(layout);
  EXPECT_EQ(*layout, (ShramLayout{.ifm = 2, .ifm2 = 10, .ifm_end = 10, .accumulators = 14, .tables = 22}));
  EXPECT_FALSE(block_config(a, job, {8, 15, 8})) << "no multiple of two columns";
  EXPECT_FALSE(block_config(a, job, {8, 16, 136})) << "deeper than blocks are";
}

TEST(EthosU, TraversalFollowsWhatKeepsMultipliersBusy) {
  const Accelerator& a = *find_accelerator("ethos-u55-128");
  EXPECT_TRUE(part_kernel_first(a, conv(8, 8, 8, 3, 1, 8)));
  EXPECT_FALSE(part_kernel_first(a, conv(8, 8, 32, 3, 1, 8)));
  EXPECT_TRUE(part_kernel_first(a, conv(8, 8, 16, 3, 1, 8)));
  // A tie: 9 taps in 12, 24 channels in 32. Blocks go depth-first, weights part-kernel-first.
  EXPECT_FALSE(part_kernel_first(a, conv(8, 8, 24, 3, 1, 8)));
  EXPECT_TRUE(part_kernel_first(a, conv(8, 8, 24, 3, 1, 8), true));
}

// 8x16 outputs of 8 channels over 16 inputs: 8 x 8 micro blocks of 2 columns; 9 taps in 3 steps of 4, twice in depth of
// inputs.
TEST(EthosU, MacCyclesOfABlock) {
  const Accelerator& a = *find_accelerator("ethos-u55-128");
  const Job job = conv(32, 32, 16, 3, 1, 16);
  const auto b = block_config(a, job, {8, 16, 8});
  ASSERT_TRUE(b);
  EXPECT_EQ(mac_cycles(a, job, *b, {8, 16, 8}, 16, 9), 4 * 64 * 3 * 2);
  EXPECT_EQ(mac_cycles(a, job, *b, {1, 2, 8}, 16, 9), 32 * 3 * 2 + 2 * 3 * 2)
      << "the decoder's 32 cycles, and the adders' bubbles";
}

/// Blocks never take more banks than there are, whatever is drawn.
TEST(EthosU, LayoutsStayInside) {
  std::mt19937 random(1);
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  int fit = 0;
  for (int i = 0; i < 20000; ++i) {
    const Accelerator& a = accelerators()[static_cast<std::size_t>(pick(0, 5))];
    Job job = conv(pick(1, 64), pick(1, 64), pick(1, 300), pick(1, 5), pick(1, 3), pick(1, 300));
    job.function = static_cast<Function>(pick(0, 12));
    job.ifm.bits = pick(0, 2) ? 8 : 16;
    if (is_binary(job.function)) job.ifm2 = job.ifm, job.scalar = pick(0, 1);
    job.activation = static_cast<Activation>(pick(0, 3));
    const Block ofm{pick(1, 4) * 2, pick(1, 4) * 2, pick(1, 4) * 8};
    const auto b = block_config(a, job, ofm);
    if (!b) continue;
    ++fit;
    const auto l = *layout_of(a, job, b->ofm, b->ifm);
    EXPECT_LE(l.ifm, l.ifm2);
    EXPECT_LE(l.ifm_end, l.accumulators);
    EXPECT_LE(l.accumulators, l.tables);
    EXPECT_LE(l.tables, a.banks);
  }
  EXPECT_GT(fit, 1000);
}

TEST(EthosU, CopiesTakeTheSlowerSideAndTheLatency) {
  Npu npu{find_accelerator("u55-128"), find_system("Ethos_U55_High_End_Embedded"), MemoryMode::shared_sram};
  EXPECT_EQ(transfer_cycles(npu, Area::off_chip_flash, Area::sram, 1000), 1064);
  EXPECT_EQ(transfer_cycles(npu, Area::sram, Area::sram, 1000), 157);
  npu.mode = MemoryMode::sram_only;
  EXPECT_EQ(npu.constants(), Area::on_chip_flash);
  EXPECT_EQ(transfer_cycles(npu, Area::on_chip_flash, Area::sram, 800), 132);
}

}  // namespace
}  // namespace dse::hw::ethos_u::block_test
