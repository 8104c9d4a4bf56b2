// The encoded program is small, and holds what the program says.
#include "program/encoding.h"

#include <gtest/gtest.h>

#include "base/crc32.h"
#include "base/diagnostics.h"
#include "dse_factors.h"
#include "dse_runtime.h"
#include "tests/deploy/random_program.h"

namespace dse::encoding_test {
namespace {

TEST(Encoding, ThirtyLayersFitEightKilobytes) {
  const program::Program p = test::chain(30);
  const auto bytes = program::encode(p);
  ASSERT_EQ(p.templates.size(), 30u * 8);
  std::printf("%zu bytes for %zu templates: %.1f a template\n", bytes.size(), p.templates.size(),
              static_cast<double>(bytes.size()) / static_cast<double>(p.templates.size()));
  EXPECT_LE(bytes.size(), 8u * 1024);
  EXPECT_LE(bytes.size(), 30 * p.templates.size());
  program::Program only_operators;
  for (const dse_op& o : p.operators) only_operators.operators.push_back(o);
  EXPECT_LE(program::encode(only_operators).size(), 40 * p.operators.size());
}

TEST(Encoding, HeaderTablesComeBack) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const program::Program p = test::random_program(seed);
    const auto bytes = program::encode(p);
    dse_runtime rt;
    ASSERT_EQ(dse_open(&rt, bytes.data(), static_cast<std::uint32_t>(bytes.size())), DSE_OK) << "seed " << seed;
    ASSERT_EQ(dse_arena_count(&rt), static_cast<int>(p.arenas.size()));
    for (std::size_t i = 0; i < p.arenas.size(); ++i) {
      EXPECT_EQ(dse_arena_size(&rt, static_cast<int>(i)), p.arenas[i].size);
      EXPECT_EQ(dse_arena_alignment(&rt, static_cast<int>(i)), static_cast<unsigned>(p.arenas[i].alignment));
    }
    EXPECT_EQ(dse_constants_arena(&rt), p.constants_arena);
    EXPECT_EQ(dse_constants_size(&rt), p.constants_size);
    ASSERT_EQ(dse_queue_count(&rt), static_cast<int>(p.queues.size()));
    for (std::size_t i = 0; i < p.queues.size(); ++i)
      EXPECT_EQ(dse_queue_engine(&rt, static_cast<int>(i)), p.queues[i].engine);
    ASSERT_EQ(dse_input_count(&rt), static_cast<int>(p.inputs.size()));
    for (std::size_t i = 0; i < p.inputs.size(); ++i) {
      const dse_port_info info = dse_input_info(&rt, static_cast<int>(i));
      EXPECT_EQ(info.arena, p.inputs[i].arena);
      EXPECT_EQ(info.offset, p.inputs[i].offset);
      EXPECT_EQ(info.size, p.inputs[i].size);
    }
    EXPECT_EQ(dse_output_count(&rt), static_cast<int>(p.outputs.size()));
  }
}

/// The length of an operator is a varint: of two bytes, where all its numbers are large.
TEST(Encoding, OperatorsThatALengthOfOneByteCannotTellComeBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    program::Program p = test::random_program(seed);
    const auto without = program::encode(p).size();
    dse_op o{};
    o.kind = DSE_MUL, o.m1 = 1'000'000'000, o.m2 = -1'000'000'000;
    o.in_h = o.in_w = o.in_c = o.out_h = o.out_w = o.out_c = 1 << 20;
    for (int i = 0; i < DSE_ARGS; ++i)
      if (i != DSE_ARG_IN_FACTORS && i != DSE_ARG_OUT_FACTORS) o.arg[i] = 1'000'000'000 - i;
    p.operators.push_back(o);
    const auto bytes = program::encode(p);
    ASSERT_GT(bytes.size(), without + 128);
    dse_runtime rt;
    ASSERT_EQ(dse_open(&rt, bytes.data(), static_cast<std::uint32_t>(bytes.size())), DSE_OK) << "seed " << seed;
    EXPECT_EQ(dse_output_count(&rt), static_cast<int>(p.outputs.size()));
  }
}

TEST(Encoding, RefusesWhatTheFormatCannotHold) {
  program::Program nested;
  nested.loop(2);
  nested.section({"inside"});
  nested.end();
  EXPECT_THROW(program::encode(nested), InvariantError);
  program::Program arenas;
  arenas.arenas.resize(9);
  EXPECT_THROW(program::encode(arenas), InvariantError);
  program::Program large;
  large.arenas.push_back({"l3", std::int64_t{1} << 31, 4});
  EXPECT_THROW(program::encode(large), InvariantError);
}

TEST(Encoding, CrcIsTheUsualOne) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0xCBF43926u);
}

}  // namespace
}  // namespace dse::encoding_test
