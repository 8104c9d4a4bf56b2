#include "explore/calibrate/least_squares.h"

#include <gmock/gmock.h>

#include <random>

namespace dse::explore::least_squares_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<Observation> rows_of(const std::vector<double>& constants, int count, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> amount(0, 100), spread(-noise, noise);
  std::vector<Observation> out;
  for (int i = 0; i < count; ++i) {
    Observation row;
    row.group = i / 2, row.fixed = 10;
    for (std::size_t k = 0; k < constants.size(); ++k) row.per.push_back(amount(random));
    row.measured = predicted(row, constants) * (1 + spread(random));
    out.push_back(row);
  }
  return out;
}

TEST(LeastSquares, FindsTheConstantsOfExactRows) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<double> constants = {2, 0.5, 0, 30};
    const auto found = estimate(rows_of(constants, 12, 0, seed), {1, 1, 1, 1});
    for (std::size_t k = 0; k < constants.size(); ++k) EXPECT_NEAR(found.constants[k], constants[k], 1e-6) << seed;
  }
}

TEST(LeastSquares, ConstantsAreNeverNegativeAndNoneNearbyAreBetter) {
  const auto worth = [](const std::vector<Observation>& rows, const std::vector<double>& constants) {
    double sum = 0;
    for (const auto& r : rows) {
      const double off = (predicted(r, constants) - r.measured) / r.measured;
      sum += off * off;
    }
    return sum;
  };
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto rows = rows_of({0.01, 3, 0.02}, 9, 0.5, seed);
    const auto found = estimate(rows, {0, 0, 0}).constants;  // nothing is known before
    const double best = worth(rows, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_GE(found[k], 0);
      for (const double step : {-0.01, 0.01}) {
        auto beside = found;
        beside[k] = std::max(0.0, beside[k] + step * (1 + beside[k]));
        EXPECT_GE(worth(rows, beside), best - 1e-9) << seed;
      }
    }
  }
}

TEST(LeastSquares, WhatScatteringRowsTellBadlyStaysNear) {
  // The second constant is 1 % of each row, and rows scatter by 10 %: by themselves they would make it nothing or many
  // times what it was.
  const double off[] = {1.1, 0.9, 1.1, 0.9, 1.05, 0.95};
  std::vector<Observation> rows;
  for (int i = 0; i < 6; ++i) {
    const double size = 100 * (i + 1);
    rows.push_back({size * off[i], 0, {size, size * (i % 2 == 0 ? 0.012 : 0.008)}, i});
  }
  EXPECT_GT(estimate(rows, {0, 0}).constants[1], 10);
  const auto found = estimate(rows, {1, 1}).constants;
  EXPECT_NEAR(found[0], 1, 0.05);
  EXPECT_LT(found[1], 3);
}

TEST(LeastSquares, WhatNoRowTellsStaysAsItWas) {
  const std::vector<Observation> rows = {{20, 0, {10, 0}, 0}, {40, 0, {20, 0}, 1}};
  const auto found = estimate(rows, {1, 7});
  EXPECT_THAT(found.constants, ElementsAre(DoubleNear(2, 1e-9), 7));
  EXPECT_THAT(found.told, ElementsAre(true, false));
}

TEST(LeastSquares, TheDeviationIsThatOfAMean) {
  // One constant, rows 1 % above and below: the standard error of a mean of n rows is their deviation / sqrt(n).
  std::vector<Observation> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({i % 2 ? 101.0 : 99.0, 0, {100}, i});
  const auto found = estimate(rows, {5});
  EXPECT_NEAR(found.constants[0], 1, 1e-3);
  EXPECT_NEAR(found.deviations[0], 0.01 / 10, 1e-4);
}

TEST(LeastSquares, ANetworkIsLeftOutWithAllItsRows) {
  // Two groups that say 2 and 3: each is predicted by the other.
  const std::vector<Observation> rows = {{2, 0, {1}, 0}, {4, 0, {2}, 0}, {3, 0, {1}, 1}};
  EXPECT_THAT(errors_left_out(rows, {1}),
              ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.5, 1e-9), DoubleNear(-1.0 / 3, 1e-9)));
}

}  // namespace
}  // namespace dse::explore::least_squares_test
