// The Ethos-U85: the tables it is made of, and what they give by hand.
#include <gtest/gtest.h>

#include <random>

#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/estimate.h"
#include "models/hw/ethos_u/shram.h"
#include "models/hw/ethos_u/u85/blocks.h"
#include "models/hw/ethos_u/u85/channels.h"
#include "models/hw/ethos_u/u85/cycles.h"

namespace dse::hw::ethos_u::u85_test {
namespace {

using u85::Table;

const Accelerator& accelerator(int macs) { return *find_accelerator("ethos-u85-" + std::to_string(macs)); }

Job job(Function f, int h, int w, int c, int kernel, int out, int bits = 8) {
  Job made;
  made.function = f;
  made.kernel = {kernel, kernel, 1, 1, 1, 1};
  made.ifm.shape = {1, h, w, c}, made.ofm.shape = {1, h, w, out};
  made.ifm.bits = made.ofm.bits = bits;
  made.has_bias = true;
  return made;
}

std::int64_t cycles(int macs, const Job& j, const Block& ofm, int depth, int taps) {
  const Accelerator& a = accelerator(macs);
  const auto b = block_config(a, j, ofm);
  EXPECT_TRUE(b);
  return b ? mac_cycles(a, j, *b, ofm, depth, taps) : -1;
}

struct Row {
  int macs, cores;
  std::vector<Block> ublocks;
  int input_ram, accumulator_ram, output_buffer, chaining_buffer, sram_ports, other_ports;
  std::array<double, 6> output;
  std::array<double, 2> activation;
};

TEST(EthosU85, IsWhatTheTableSays) {
  const Row rows[] = {
      {128, 1, {{1, 2, 8}, {1, 1, 16}}, 8192, 8192, 2048, 768, 2, 1, {.5, .5, .5, 1, 1, 1}, {.5, 1}},
      {256,
       1,
       {{1, 2, 16}, {1, 4, 8}, {2, 2, 8}},
       16384,
       16384,
       2048,
       1536,
       2,
       1,
       {.25, .25, .25, .5, .5, .5},
       {.25, .5}},
      {512, 2, {{2, 2, 16}, {1, 4, 16}}, 16384, 32768, 4096, 3072, 2, 1, {.125, .125, .25, .5, .25, .25}, {.125, .25}},
      {1024,
       4,
       {{2, 2, 32}, {1, 4, 32}, {2, 4, 16}},
       16384,
       65536,
       4096,
       6144,
       2,
       2,
       {.0625, .125, .25, .5, .125, .25},
       {.0625, .125}},
      {2048,
       4,
       {{2, 2, 64}, {1, 4, 64}, {4, 4, 16}},
       32768,
       131072,
       8192,
       12288,
       4,
       2,
       {.03125, .0625, .125, .25, .0625, .125},
       {.03125, .0625}},
  };
  for (const Row& r : rows) {
    const Accelerator& a = accelerator(r.macs);
    const Table& t = *a.table85;
    EXPECT_EQ(a.macs_per_cycle(), r.macs);
    EXPECT_EQ(a.axi_bits, 128);
    EXPECT_EQ(a.decoders(), r.cores);
    EXPECT_EQ(std::vector<Block>(t.ublocks.begin(), t.ublocks.end()), r.ublocks);
    EXPECT_EQ(t.input_ram, r.input_ram);
    EXPECT_EQ(t.accumulator_ram, r.accumulator_ram);
    EXPECT_EQ(t.output_buffer, r.output_buffer);
    EXPECT_EQ(t.chaining_buffer, r.chaining_buffer);
    EXPECT_EQ(a.sram_ports(), r.sram_ports);
    EXPECT_EQ(a.other_ports(), r.other_ports);
    EXPECT_EQ(t.output_cycles, r.output);
    EXPECT_EQ(t.activation_cycles, r.activation);
    EXPECT_EQ(a.largest_block(), (Block{128, 128, 1024}));
    for (const Block& micro : t.ublocks) EXPECT_EQ(micro.elements() * 8, r.macs) << "eight inputs for each output";
  }
}

TEST(EthosU85, SaysThatNothingWasCompared) {
  for (const Accelerator& a : accelerators())
    EXPECT_EQ(unvalidated(a).starts_with("Ethos-U85: unvalidated"), a.name.find("u85") != a.name.npos) << a.name;
}

TEST(EthosU85, SystemsHaveTheirPorts) {
  const auto npu = [](int macs, const char* system) {
    return Npu{&accelerator(macs), find_system(system), MemoryMode::shared_sram};
  };
  EXPECT_EQ(find_system("sys-flash-low"), find_system("Ethos_U85_SYS_Flash_Low"));
  EXPECT_DOUBLE_EQ(npu(256, "SYS_Flash_Low").bytes_per_cycle(Area::sram), 32);
  EXPECT_DOUBLE_EQ(npu(256, "SYS_Flash_High").bytes_per_cycle(Area::off_chip_flash), 1);
  EXPECT_DOUBLE_EQ(npu(2048, "SYS_DRAM_High").bytes_per_cycle(Area::sram), 64);
  EXPECT_DOUBLE_EQ(npu(1024, "SYS_DRAM_High").bytes_per_cycle(Area::sram), 32) << "it has two ports";
  EXPECT_DOUBLE_EQ(npu(1024, "SYS_DRAM_High").bytes_per_cycle(Area::dram), 24);
  EXPECT_DOUBLE_EQ(npu(512, "SYS_DRAM_High").bytes_per_cycle(Area::dram), 12);
  EXPECT_EQ(find_system("SYS_DRAM_Low")->sram.read_latency, 16);
  EXPECT_EQ(find_system("SYS_DRAM_Mid")->second_port.write_latency, 250);
  EXPECT_EQ(usual_system(accelerator(256), MemoryMode::dedicated_sram).name, "Ethos_U85_SYS_DRAM_Mid");
}

// Weights of a U85-128 from DRAM: 128 entries hold 16 bursts of 128 bytes, which come in 500 cycles; a fifth is lost.
// From SRAM with bursts of 64 bytes and 32 cycles the buffer allows more than both ports move.
TEST(EthosU85, LateMemoriesGiveLess) {
  const Npu npu{&accelerator(128), find_system("SYS_DRAM_Mid"), MemoryMode::dedicated_sram};
  EXPECT_DOUBLE_EQ(u85::read_rate(npu, Area::dram, u85::Channel::weights), 128 * 16.0 / 500 * 0.8);
  EXPECT_DOUBLE_EQ(u85::read_rate(npu, Area::dram, u85::Channel::input), 128 * 13.0 / 500 * 0.8);
  EXPECT_DOUBLE_EQ(u85::read_rate(npu, Area::sram, u85::Channel::input), 32);
  EXPECT_DOUBLE_EQ(u85::write_rate(npu, Area::dram), 128 * (32 * 0.8) / 250 * 0.8);
  EXPECT_EQ(transfer_cycles(npu, Area::dram, Area::sram, 8192), 5000 + 500) << "64 entries: 8 bursts";
}

// C/ru(C,16) * k/k' against C/ru(C,64), k' five by five and of the rest two at least. Ties go kernel-first.
TEST(EthosU85, TraversalAtItsEdges) {
  const auto first = [](int c, int h, int w) {
    Job j = job(Function::conv, 8, 8, c, 1, 16);
    j.kernel.h = h, j.kernel.w = w;
    return part_kernel_first(accelerator(256), j);
  };
  EXPECT_TRUE(first(64, 3, 3)) << "9 of 9 and 64 of 64: a tie";
  EXPECT_FALSE(first(64, 1, 1)) << "1 of 2";
  EXPECT_TRUE(first(32, 1, 1)) << "1 of 2 and 32 of 64: a tie";
  EXPECT_FALSE(first(33, 1, 1)) << "33 of 48, halved, and 33 of 64";
  EXPECT_FALSE(first(64, 2, 3)) << "6 of 7";
  EXPECT_TRUE(first(48, 2, 3)) << "6 of 7 and 48 of 64";
  EXPECT_FALSE(first(64, 1, 5)) << "5 of 7: two are left even of none";
}

TEST(EthosU85, DepthOfInputBlocks) {
  const auto depth = [](int macs, const Job& j, const Block& ofm) {
    const auto b = block_config(accelerator(macs), j, ofm);
    EXPECT_TRUE(b);
    return b ? b->ifm.c : -1;
  };
  EXPECT_EQ(depth(512, job(Function::conv, 8, 8, 128, 1, 64), {4, 4, 16}), 64);
  EXPECT_EQ(depth(512, job(Function::conv, 8, 8, 128, 3, 64), {4, 4, 16}), 16) << "kernel-first";
  EXPECT_EQ(depth(256, job(Function::conv, 8, 8, 128, 1, 64), {4, 4, 16}), 64) << "micro blocks of 8";
  EXPECT_EQ(depth(256, job(Function::conv, 8, 8, 128, 1, 64, 16), {4, 4, 16}), 32) << "micro blocks of 16";
  EXPECT_EQ(depth(128, job(Function::reduce_sum, 8, 8, 64, 1, 1, 32), {4, 4, 16}), 32);
  EXPECT_EQ(depth(512, job(Function::depthwise, 8, 8, 48, 3, 48), {4, 4, 48}), 48);
  Job large = job(Function::conv, 64, 64, 64, 8, 64, 16);
  large.kernel.h = 7;
  EXPECT_EQ(depth(128, large, {1, 2, 16}), 32) << "7x10 inputs of 64 values of 16 bits are more than its RAM";
}

TEST(EthosU85, MicroBlocksFollowFromBlocks) {
  const auto micro = [](int macs, const Job& j, const Block& ofm) {
    const Block* b = u85::ublock_of(accelerator(macs), j, ofm);
    return b ? *b : Block{0, 0, 0};
  };
  const Job conv = job(Function::conv, 16, 16, 64, 3, 64), pool = job(Function::max_pool, 16, 16, 64, 2, 64);
  EXPECT_EQ(micro(2048, conv, {4, 4, 64}), (Block{2, 2, 64}));
  EXPECT_EQ(micro(2048, conv, {3, 4, 64}), (Block{1, 4, 64}));
  EXPECT_EQ(micro(2048, conv, {4, 4, 48}), (Block{4, 4, 16}));
  EXPECT_EQ(micro(2048, pool, {4, 4, 64}), (Block{4, 4, 16})) << "pools have no deep ones";
  EXPECT_EQ(micro(2048, conv, {3, 2, 64}), (Block{0, 0, 0}));
  EXPECT_EQ(micro(128, conv, {1, 2, 16}), (Block{1, 2, 8}));
  EXPECT_EQ(micro(128, pool, {1, 1, 16}), (Block{1, 1, 16}));
  EXPECT_FALSE(block_config(accelerator(128), conv, {1, 2, 8})) << "accumulators come in 16 channels";
  EXPECT_FALSE(block_config(accelerator(128), conv, {2, 256, 16})) << "wider than blocks are";
  // 7 rows: two by two wastes the eighth.
  EXPECT_EQ(u85::best_ublock(accelerator(2048), job(Function::conv, 7, 8, 64, 3, 64)), (Block{1, 4, 64}));
  EXPECT_EQ(u85::best_ublock(accelerator(2048), job(Function::conv, 8, 8, 16, 3, 16)), (Block{4, 4, 16}));
}

// U85-256, 8 bits, 4x8x16 outputs in micro blocks of 1x4x8: 8 by 2 of them; a block of weights takes 32 cycles.
TEST(EthosU85, MacCyclesOfConvolutions) {
  const Block ofm{4, 8, 16};
  EXPECT_EQ(cycles(256, job(Function::conv, 16, 16, 64, 3, 64), ofm, 16, 9), 32 * 3 * 2 * 2) << "kernel-first";
  EXPECT_EQ(cycles(256, job(Function::conv, 16, 16, 64, 1, 64), ofm, 64, 1), 8 * 8 * 2) << "depth-first";
  EXPECT_EQ(cycles(256, job(Function::fully_connected, 16, 16, 64, 1, 64), ofm, 40, 1), 5 * 8 * 2) << "the last inputs";
  // 16 bits, 16 by 1 micro blocks of 1x2x16, 32 inputs.
  EXPECT_EQ(cycles(256, job(Function::conv, 16, 16, 64, 1, 64, 16), ofm, 32, 1), 4 * 16 * 2);
  // All 2048 are busy: 4x8x64 outputs of 64 inputs.
  EXPECT_EQ(cycles(2048, job(Function::conv, 16, 16, 64, 1, 64), {4, 8, 64}, 64, 1), 4 * 8 * 64 * 64 / 2048);
}

TEST(EthosU85, MacCyclesByChannel) {
  const Job depthwise = job(Function::depthwise, 16, 16, 32, 3, 32);
  EXPECT_EQ(cycles(128, depthwise, {2, 2, 32}, 32, 9), 64 * 3 * 2) << "a block of 16 channels' weights takes 64";
  EXPECT_EQ(cycles(128, depthwise, {1, 1, 16}, 16, 9), 64 * 3 + 2 * 3) << "and bubbles";
  EXPECT_EQ(cycles(128, job(Function::depthwise, 16, 16, 16, 3, 16, 16), {1, 2, 16}, 16, 9), 32 * 3 * 2 + 3 * 2 * 2)
      << "accumulators of 48 bits take a cycle more";
  EXPECT_EQ(cycles(512, job(Function::max_pool, 16, 16, 16, 2, 16), {4, 4, 16}, 16, 4), 4 * 4 * 4);
  EXPECT_EQ(cycles(512, job(Function::average_pool, 16, 16, 16, 3, 16, 16), {4, 4, 16}, 16, 9), 9 * 4 * 8);
}

TEST(EthosU85, RatesOfTheOutputUnit) {
  const Accelerator& a = accelerator(1024);
  const auto rate = [&](Function f, int in, int out, Activation activation = Activation::none) {
    Job j = job(f, 8, 8, 16, 1, 16);
    j.ifm.bits = in, j.ofm.bits = out, j.activation = activation;
    if (is_binary(f)) j.ifm2 = j.ifm;
    return output_cycles(a, j, Accumulator::bits32);
  };
  EXPECT_EQ(rate(Function::conv, 8, 8), 0.0625);
  EXPECT_EQ(rate(Function::conv, 16, 16), 0.125);
  EXPECT_EQ(rate(Function::mul, 8, 32), 0.25);
  EXPECT_EQ(rate(Function::mul, 32, 32), 0.25);
  EXPECT_EQ(rate(Function::add, 32, 8), 0.125);
  EXPECT_EQ(rate(Function::add, 8, 8, Activation::table), 0.0625);
}

TEST(EthosU85, WeightsAreDecodedFasterWithZeros) {
  for (const auto& [zeros, each] : {std::pair(0.0, 8), {0.5, 8}, {0.7, 20}, {0.9, 32}, {1.0, 32}}) {
    EXPECT_EQ(u85::decoded_per_cycle(accelerator(256), zeros), each) << zeros;
    EXPECT_EQ(u85::decoded_per_cycle(accelerator(512), zeros), 2 * each) << zeros;
    EXPECT_EQ(u85::decoded_per_cycle(accelerator(2048), zeros), 4 * each) << zeros;
  }
}

// One operand has one column: 4 rows of it, 16 deep, are 64 bytes of a slot of 128; 16 rows would be 256.
TEST(EthosU85, StretchedOperandsFitTheChainingBuffer) {
  Job j = job(Function::add, 32, 32, 16, 1, 16);
  j.ifm2 = j.ifm, j.ifm2->shape.w = 1;
  EXPECT_TRUE(block_config(accelerator(128), j, {4, 8, 16}));
  EXPECT_FALSE(block_config(accelerator(128), j, {16, 8, 16}));
  j.ifm.shape.h = 1;  // 8 columns are as many bytes: the other one comes as it is needed
  EXPECT_TRUE(block_config(accelerator(128), j, {16, 8, 16}));
  j.ifm.shape.h = 32, j.ifm2 = j.ifm;
  EXPECT_TRUE(block_config(accelerator(128), j, {16, 8, 16})) << "2048 bytes of outputs";
  EXPECT_FALSE(block_config(accelerator(128), j, {16, 10, 16}));
}

}  // namespace
}  // namespace dse::hw::ethos_u::u85_test
