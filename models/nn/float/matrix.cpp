// Matrix products in float32.
#include <Eigen/Core>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = Eigen::Map<const RowMajor>;

/// to[m][n] = a[m][k] * b[k][n]; a transposed operand is stored as [k][m] or [n][k].
void product(const float* a, bool a_transposed, const float* b, bool b_transposed, std::int64_t m, std::int64_t k,
             std::int64_t n, float* to) {
  Eigen::Map<RowMajor> out(to, m, n);
  const Matrix left(a, a_transposed ? k : m, a_transposed ? m : k);
  const Matrix right(b, b_transposed ? n : k, b_transposed ? k : n);
  if (a_transposed && b_transposed)
    out.noalias() = left.transpose() * right.transpose();
  else if (a_transposed)
    out.noalias() = left.transpose() * right;
  else if (b_transposed)
    out.noalias() = left * right.transpose();
  else
    out.noalias() = left * right;
}

}  // namespace

void fully_connected(Call& c) {
  const std::int64_t units = c.shape(1)[0], depth = c.shape(1)[1], rows = c.size() / depth;
  float* y = c.out();
  product(c.in(), false, c.in(1), true, rows, depth, units, y);
  if (c.has(2)) {
    const float* bias = c.in(2);
    for (std::int64_t i = 0; i < rows * units; ++i) y[i] += bias[i % units];
  }
  c.activate();
}

void gemm(Call& c) {
  const Shape& a = c.shape();
  const std::int64_t m = c.out_shape()[0], n = c.out_shape()[1], k = c.o.adj_x ? a[0] : a[1];
  float* y = c.out();
  product(c.in(), c.o.adj_x, c.in(1), c.o.adj_y, m, k, n, y);
  const float* addend = c.has(2) ? c.in(2) : nullptr;
  Walk walk(c.out_shape(), addend ? broadcast_strides(c.shape(2), c.out_shape()) : Shape{0, 0});
  for (std::int64_t i = 0; i < m * n; ++i, walk.next())
    y[i] = c.o.alpha * y[i] + (addend ? c.o.beta * addend[walk.a] : 0.0f);
  c.activate();
}

void batch_matmul(Call& c) {
  const Shape &a = c.shape(0), &b = c.shape(1), &out = c.out_shape();
  const std::int64_t m = out[out.size() - 2], n = out.back(), k = c.o.adj_x ? a[a.size() - 2] : a.back();
  const Shape batches(out.begin(), out.end() - 2);
  const Shape batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
  Walk walk(batches, broadcast_strides(batch_a, batches), broadcast_strides(batch_b, batches));
  const float *x = c.in(0), *w = c.in(1);
  for (std::int64_t i = 0, count = c.out_size() / (m * n); i < count; ++i, walk.next())
    product(x + walk.a * m * k, c.o.adj_x, w + walk.b * k * n, c.o.adj_y, m, k, n, c.out() + i * m * n);
  c.activate();
}

}  // namespace dse::nn::floating
