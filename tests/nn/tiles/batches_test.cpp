// Output batches give the bytes of the direct computation for every M, in any tiles, layouts and steps, by any
// technique, and touch their operands' boxes and the scratch of a batch only.
#include <gtest/gtest.h>

#include "models/nn/graph/technique.h"
#include "models/nn/kernels/dse_batches.h"
#include "tests/nn/operators.h"

namespace dse::nn::test::batches_test {
namespace {

TEST(Batches, GiveTheBytesOfTheDirectComputation) {
  int cases = 0, several = 0, ahead = 0, arranged = 0;
  for (unsigned seed = 0; cases < 4000; ++seed) {
    Random random(seed);
    RandomOperator whole(random);
    if (!dse_sums_products(whole.op.kind)) continue;
    const auto expected = whole.run_whole();
    ASSERT_FALSE(expected.empty()) << whole.describe();
    const int technique = pick(random, 0, DSE_TECHNIQUES - 1);
    if (dse_technique_fits(&whole.op, technique) && nn::by_technique(whole.op, technique).kind == whole.op.kind &&
        pick(random, 0, 1))
      whole.op = by_technique(whole.op, technique);
    const auto all = std::int64_t{whole.op.out_h} * whole.op.out_w * whole.op.out_c;
    whole.op.arg[DSE_ARG_BATCHES] = pick(random, 1, static_cast<int>(std::min<std::int64_t>(all + 2, 40)));
    whole.op.arg[DSE_ARG_BATCH_BUFFERS] = pick(random, 1, 2);
    ASSERT_TRUE(dse_op_is_sane(&whole.op)) << whole.describe();
    for (const std::uint8_t poison : {0x5a, 0xa5}) {
      TiledRun tiled(whole, seed, poison);
      tiled.run();
      ASSERT_EQ(tiled.output(), expected) << "seed " << seed << ": " << whole.describe();
      ASSERT_EQ(tiled.violations(), "") << "seed " << seed << ": " << whole.describe();
    }
    ++cases;
    const dse_tile tile{{0, whole.op.out_h}, {0, whole.op.out_w}, {0, whole.op.out_c}, {0, whole.depth()}, 3};
    several += dse_batch_outputs(&whole.op, &tile) < all;
    ahead += whole.op.arg[DSE_ARG_BATCH_BUFFERS] == 2;
    arranged += dse_technique_of(&whole.op) != DSE_DIRECT;
  }
  EXPECT_GT(several, cases / 2);
  EXPECT_GT(ahead, cases / 3);
  EXPECT_GT(arranged, 100);
}

TEST(Batches, AreOfTheLayerNotOfTheCall) {
  dse_op op{};
  op.kind = DSE_CONV_2D, op.out_h = 10, op.out_w = 6, op.out_c = 7;  // 420 outputs
  const auto tile = [](int rows, std::uint32_t flags = DSE_FIRST | DSE_LAST) {
    return dse_tile{{0, rows}, {0, 6}, {0, 7}, {0, 4}, flags};
  };
  const auto outputs = [&](const dse_tile& t) { return dse_batch_outputs(&op, &t); };
  EXPECT_EQ(outputs(tile(10)), 0) << "sums stand in registers";
  op.arg[DSE_ARG_BATCHES] = 1;
  EXPECT_EQ(outputs(tile(10)), 420);
  EXPECT_EQ(outputs(tile(2)), 84);
  op.arg[DSE_ARG_BATCHES] = 8;  // does not divide 420
  EXPECT_EQ(outputs(tile(10)), 53);
  EXPECT_EQ(outputs(tile(2)), 53);
  EXPECT_EQ(outputs(tile(1)), 42);
  EXPECT_EQ(outputs(tile(2, DSE_FIRST)), 0) << "a step of several leaves its sums in DSE_ACC";
  const auto bytes = [&](int rows) {
    const auto t = tile(rows);
    return dse_scratch_bytes(&op, &t);
  };
  EXPECT_EQ(bytes(10), 53 * 4);
  op.arg[DSE_ARG_BATCH_BUFFERS] = 2;
  EXPECT_EQ(bytes(10), 53 * 8);
  EXPECT_EQ(bytes(1), 42 * 4) << "one batch needs no second buffer";
  op.acc_bytes = 8;
  EXPECT_EQ(bytes(10), 53 * 16);
  op.kind = DSE_ADD;
  EXPECT_EQ(bytes(10), 0) << "sums of products only";
}

TEST(Batches, FlagsBetweenKernelsAreRefusedFromOutside) {
  Random random(1);
  RandomOperator whole(random);
  dse_call call{};
  call.op = &whole.op;
  call.tile.flags = DSE_FIRST | DSE_LAST | 4u;
  EXPECT_EQ(dse_run_call(&call), -1);
}

}  // namespace
}  // namespace dse::nn::test::batches_test
