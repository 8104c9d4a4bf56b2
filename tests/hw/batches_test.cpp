// What output batches cost: rescaling, what each batch costs by itself, and how two buffers hide one behind the other.
#include <gtest/gtest.h>

#include <vector>

#include "base/units.h"
#include "models/hw/libraries/rate_table.h"
#include "models/nn/kernels/dse_batches.h"

namespace dse::hw::batches_test {
namespace {

dse_op convolution() {  // 10 x 10 x 8 outputs of 4 products
  dse_op op{};
  op.kind = DSE_CONV_2D;
  op.in_h = op.out_h = op.in_w = op.out_w = 10, op.in_c = 4, op.out_c = 8;
  op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
  return op;
}

Engine array() {
  Engine e;
  e.kind = EngineKind::mac_array;
  e.macs_per_cycle["int8"] = {2, 1};
  e.rescaled_per_cycle = {4, 1}, e.per_batch = 30;
  return e;
}

std::int64_t cycles(const Engine& e, int batches, int buffers, std::uint32_t flags = DSE_FIRST | DSE_LAST) {
  auto op = convolution();
  op.arg[DSE_ARG_BATCHES] = batches, op.arg[DSE_ARG_BATCH_BUFFERS] = buffers;
  auto work = program::whole_call(op);
  work.tile.flags = flags;
  return RateTable(e).cycles(work);
}

TEST(Batches, CostWhatTheyRescaleAndEachItsOwn) {
  const auto e = array();  // 3200 products in 1600 cycles, 800 sums rescaled in 200
  EXPECT_EQ(cycles(e, 0, 1), 1600) << "sums in registers";
  EXPECT_EQ(cycles(e, 1, 1), 1600 + 200 + 30);
  EXPECT_EQ(cycles(e, 8, 1), 1600 + 200 + 8 * 30);
  EXPECT_EQ(cycles(e, 7, 1), 1600 + 200 + 7 * 30) << "115 outputs a batch, 110 in the last";
  EXPECT_EQ(cycles(e, 600, 1), 1600 + 200 + 400 * 30) << "two outputs a batch make 400";
}

TEST(Batches, StepsRescaleWithTheLastOne) {
  const auto e = array();
  EXPECT_EQ(cycles(e, 8, 1, DSE_FIRST), 1600);
  EXPECT_EQ(cycles(e, 8, 1, 0), 1600);
  EXPECT_EQ(cycles(e, 8, 1, DSE_LAST), 1600 + 200 + 30) << "all sums stand there already";
}

TEST(Batches, TwoBuffersHideOneBehindTheOther) {
  auto e = array();
  EXPECT_EQ(cycles(e, 8, 2), 1600 + 200 / 8 + 8 * 30) << "all but the last batch is rescaled while the next is summed";
  e.rescaled_per_cycle = {1, 4};  // 3200 cycles
  EXPECT_EQ(cycles(e, 8, 2), 1600 / 8 + 3200 + 8 * 30) << "the first batch is summed, then rescaling never waits";
  EXPECT_EQ(cycles(e, 1, 2), 1600 + 3200 + 30);
}

/// A batch after the other through two units with two buffers between them.
std::int64_t pipeline(const std::vector<std::int64_t>& sum, const std::vector<std::int64_t>& rescale) {
  std::vector<std::int64_t> rescaled;
  std::int64_t summed = 0, done = 0;
  for (std::size_t j = 0; j < sum.size(); ++j) {
    summed = std::max(summed, j >= 2 ? rescaled[j - 2] : 0) + sum[j];
    done = std::max(done, summed) + rescale[j];
    rescaled.push_back(done);
  }
  return done;
}

TEST(Batches, AreAPipelineOfTwoUnits) {
  for (std::int64_t n = 1; n <= 40; ++n)
    for (std::int64_t batch = 1; batch <= n; ++batch)
      for (const std::int64_t summing : {0, 7, 40, 333})
        for (const std::int64_t rescaling : {0, 5, 41, 600}) {
          const auto count = ceil_div(n, batch);
          std::vector<std::int64_t> sum, rescale;
          for (std::int64_t j = 0; j < count; ++j) {
            const bool last = j + 1 == count;
            sum.push_back(last ? summing - (count - 1) * (summing * batch / n) : summing * batch / n);
            rescale.push_back(last ? rescaling - (count - 1) * (rescaling * batch / n) : rescaling * batch / n);
          }
          ASSERT_EQ(batches_ahead(n, batch, summing, rescaling), pipeline(sum, rescale))
              << n << " in " << batch << ", " << summing << " and " << rescaling;
        }
}

/// However a layer is cut into calls and batches, it takes no less.
TEST(Batches, NoCutTakesLessThanTheLeast) {
  for (const Ratio rate : {Ratio{4, 1}, Ratio{1, 4}, Ratio{3, 7}})
    for (const int buffers : {1, 2}) {
      auto e = array();
      e.rescaled_per_cycle = rate;
      const RateTable table(e);
      auto op = convolution();
      op.arg[DSE_ARG_BATCH_BUFFERS] = buffers;
      for (const int batches : {1, 3, 8, 100}) {
        op.arg[DSE_ARG_BATCHES] = batches;
        const auto whole = program::whole_call(op);
        for (int rows = 1; rows <= 10; ++rows)
          for (int channels = 1; channels <= 8; ++channels) {
            std::int64_t sum = 0;
            for (int y = 0; y < 10; y += rows)
              for (int c = 0; c < 8; c += channels) {
                auto part = whole;
                part.tile.y = {y, std::min(10, y + rows)}, part.tile.c = {c, std::min(8, c + channels)};
                EXPECT_GE(table.cycles(part), table.least_cycles(part));
                sum += table.cycles(part);
              }
            EXPECT_GE(sum, table.least_cycles(whole));
          }
      }
    }
}

}  // namespace
}  // namespace dse::hw::batches_test
