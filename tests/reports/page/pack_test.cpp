#include "reports/page/pack.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/diagnostics.h"
#include "reports/page/trace.h"

namespace dse::reports::pack_test {
namespace {

TEST(Pack, KnownText) {
  EXPECT_EQ(pack({}), "");
  EXPECT_EQ(pack({0}), "AA==");
  EXPECT_EQ(pack({-1, 1}), "AQI=");
  EXPECT_EQ(pack({1, 2, 3}), "AgQG");
  EXPECT_EQ(pack({64}), "gAE=");  // zigzag 128 = 80 01
}

TEST(Pack, EveryIntegerComesBack) {
  const std::vector<std::int64_t> values = {0,
                                            1,
                                            -1,
                                            63,
                                            64,
                                            -64,
                                            -65,
                                            8191,
                                            8192,
                                            1'000'000'007,
                                            -1'000'000'007,
                                            std::numeric_limits<std::int64_t>::max(),
                                            std::numeric_limits<std::int64_t>::min()};
  for (std::size_t n = 0; n <= values.size(); ++n) {
    const std::vector<std::int64_t> head(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(unpack(pack(head)), head);
  }
}

TEST(Pack, RefusesWhatItDoesNotWrite) {
  EXPECT_THROW(unpack("A*=="), InvariantError);
  EXPECT_THROW(unpack("gA=="), InvariantError);  // 80: a continued integer that ends
}

std::vector<sim::TaskRecord> tasks(int n) {
  std::vector<sim::TaskRecord> list;
  for (int i = 0; i < n; ++i) {
    list.push_back({i / 10, i % 10, i % 3, static_cast<std::int16_t>(i % 2), i * 50, i * 50 + 7, i * 50 + 20,
                    i * 50 + 65, i / 10});
  }
  return list;
}

TEST(PackTrace, ColumnsInOrderOfStart) {
  auto list = tasks(2);
  std::swap(list[0], list[1]);
  EXPECT_EQ(unpack(pack_trace(list, 9)),
            (std::vector<std::int64_t>{0, 0, 0, 1, 0, 1, 0, 1, 0, 50, 7, 7, 13, 13, 45, 45}));
  EXPECT_EQ(unpack(pack_trace(list, 1)), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 7, 13, 45}));
}

TEST(ShareTraces, NothingIsCutWhenAllFits) {
  const auto a = tasks(100), b = tasks(300);
  std::vector<TraceShare> shares = {{&a, 1}, {&b, 1}};
  share_traces(shares, 100'000);
  EXPECT_EQ(shares[0].kept, 100u);
  EXPECT_EQ(shares[1].kept, 300u);
}

TEST(ShareTraces, StaysWithinTheBudgetAndFavoursWeight) {
  const auto small = tasks(20), large = tasks(3000);
  std::vector<TraceShare> shares = {{&large, 1}, {&small, 1}, {&large, 4}};
  const std::int64_t budget = 12'000;
  share_traces(shares, budget);
  std::int64_t used = 0;
  for (const auto& s : shares) used += static_cast<std::int64_t>(s.data.size());
  EXPECT_LE(used, budget);
  EXPECT_GT(used, budget * 8 / 10);
  EXPECT_EQ(shares[1].kept, 20u);  // short: whole
  EXPECT_GT(shares[2].kept, 3 * shares[0].kept);
  EXPECT_EQ(unpack(shares[0].data).size(), 8 * shares[0].kept);
}

TEST(ShareTraces, NoBudgetNoTrace) {
  const auto list = tasks(50);
  std::vector<TraceShare> shares = {{&list, 1}};
  share_traces(shares, -5);
  EXPECT_EQ(shares[0].kept, 0u);
  EXPECT_EQ(shares[0].data, "");
}

}  // namespace
}  // namespace dse::reports::pack_test
