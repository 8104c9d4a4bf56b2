#include "explore/calibrate/least_squares.h"

#include <Eigen/Dense>
#include <cmath>
#include <map>

namespace dse::explore {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Some columns, in this order.
MatrixXd columns_of(const MatrixXd& a, const std::vector<Index>& some) {
  MatrixXd out(a.rows(), static_cast<Index>(some.size()));
  for (std::size_t k = 0; k < some.size(); ++k) out.col(static_cast<Index>(k)) = a.col(some[k]);
  return out;
}

/// min |a x - b| under x >= 0.
VectorXd non_negative(const MatrixXd& a, const VectorXd& b) {
  const Index n = a.cols();
  VectorXd x = VectorXd::Zero(n);
  std::vector<bool> passive(static_cast<std::size_t>(n), false);
  const double enough = 1e-10 * std::max(1.0, (a.transpose() * b).cwiseAbs().maxCoeff());
  for (Index round = 0; round < 3 * n + 10; ++round) {
    const VectorXd gradient = a.transpose() * (b - a * x);
    Index best = -1;
    for (Index k = 0; k < n; ++k)
      if (!passive[static_cast<std::size_t>(k)] && gradient(k) > enough && (best < 0 || gradient(k) > gradient(best)))
        best = k;
    if (best < 0) break;
    passive[static_cast<std::size_t>(best)] = true;
    for (;;) {
      std::vector<Index> some;
      for (Index k = 0; k < n; ++k)
        if (passive[static_cast<std::size_t>(k)]) some.push_back(k);
      if (some.empty()) break;
      const VectorXd z = columns_of(a, some).colPivHouseholderQr().solve(b);
      double step = 1;
      for (std::size_t k = 0; k < some.size(); ++k)
        if (const double to = z(static_cast<Index>(k)), from = x(some[k]); to <= 0)
          step = std::min(step, from > to ? from / (from - to) : 0);
      for (std::size_t k = 0; k < some.size(); ++k) x(some[k]) += step * (z(static_cast<Index>(k)) - x(some[k]));
      if (step >= 1) break;
      for (const Index k : some)
        if (x(k) <= 1e-12) x(k) = 0, passive[static_cast<std::size_t>(k)] = false;
    }
  }
  return x;
}

}  // namespace

double predicted(const Observation& row, const std::vector<double>& constants) {
  double sum = row.fixed;
  for (std::size_t k = 0; k < constants.size(); ++k) sum += row.per[k] * constants[k];
  return sum;
}

Estimate estimate(const std::vector<Observation>& all, const std::vector<double>& before) {
  std::vector<const Observation*> rows;
  for (const auto& row : all)
    if (row.counts) rows.push_back(&row);
  const auto n = static_cast<Index>(before.size()), m = static_cast<Index>(rows.size());
  MatrixXd a(m, n);
  VectorXd b(m);
  for (Index i = 0; i < m; ++i) {
    const auto& row = *rows[static_cast<std::size_t>(i)];
    for (Index k = 0; k < n; ++k) a(i, k) = row.per[static_cast<std::size_t>(k)] / row.measured;
    b(i) = (row.measured - row.fixed) / row.measured;
  }
  Estimate out{before, std::vector<double>(before.size(), 0), std::vector<bool>(before.size(), false)};
  // Columns of one length, so that constants of any size count alike.
  std::vector<Index> told;
  std::vector<double> length;
  for (Index k = 0; k < n; ++k)
    if (const double l = m > 0 ? a.col(k).norm() : 0; l > 1e-12) told.push_back(k), length.push_back(l);
  if (told.empty()) return out;
  MatrixXd scaled = columns_of(a, told);
  for (std::size_t k = 0; k < told.size(); ++k) scaled.col(static_cast<Index>(k)) /= length[k];
  auto x = non_negative(scaled, b);
  const auto t = static_cast<Index>(told.size());
  const double scatter = std::sqrt((b - scaled * x).squaredNorm() / static_cast<double>(std::max<Index>(1, m - t)));
  MatrixXd with_prior = MatrixXd::Zero(m + t, t);
  VectorXd wanted = VectorXd::Zero(m + t);
  with_prior.topRows(m) = scaled, wanted.head(m) = b;
  for (Index k = 0; k < t; ++k) {
    const double was = before[static_cast<std::size_t>(told[static_cast<std::size_t>(k)])];
    if (was <= 0) continue;
    with_prior(m + k, k) = scatter / (was * length[static_cast<std::size_t>(k)]), wanted(m + k) = scatter;
  }
  x = non_negative(with_prior, wanted);
  std::vector<Index> above;
  for (std::size_t k = 0; k < told.size(); ++k) {
    const auto at = static_cast<std::size_t>(told[k]);
    out.told[at] = true, out.constants[at] = x(static_cast<Index>(k)) / length[k];
    if (x(static_cast<Index>(k)) > 0) above.push_back(static_cast<Index>(k));
  }
  const auto free = m - static_cast<Index>(above.size());
  if (above.empty() || free <= 0) return out;
  const MatrixXd some = columns_of(with_prior, above);
  const MatrixXd inverse = (some.transpose() * some).completeOrthogonalDecomposition().pseudoInverse();
  const double spread = (b - scaled * x).squaredNorm() / static_cast<double>(free);
  for (std::size_t k = 0; k < above.size(); ++k)
    out.deviations[static_cast<std::size_t>(told[static_cast<std::size_t>(above[k])])] =
        std::sqrt(spread * inverse(static_cast<Index>(k), static_cast<Index>(k))) / x(above[k]);
  return out;
}

std::vector<double> errors_left_out(const std::vector<Observation>& rows, const std::vector<double>& before) {
  std::map<int, std::vector<double>> constants;
  std::vector<double> out;
  for (const auto& row : rows) {
    auto [it, fresh] = constants.try_emplace(row.group);
    if (fresh) {
      std::vector<Observation> others;
      for (const auto& other : rows)
        if (other.group != row.group) others.push_back(other);
      it->second = estimate(others, before).constants;
    }
    out.push_back((predicted(row, it->second) - row.measured) / row.measured);
  }
  return out;
}

}  // namespace dse::explore
