// Reductions in float32, with sums in binary64, and the recurrent SVDF.
#include <algorithm>
#include <cstring>
#include <limits>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {

void reduction(Call& c) {
  const Shape& in = c.shape();
  // The output seen with every reduced axis of extent 1.
  Shape kept = in;
  for (const auto a : c.o.axes) kept[static_cast<std::size_t>(a)] = 1;
  const bool sum = c.op.kind == OperatorKind::mean || c.op.kind == OperatorKind::sum;
  const double worst = c.op.kind == OperatorKind::reduce_max ? -std::numeric_limits<double>::infinity()
                                                             : std::numeric_limits<double>::infinity();
  std::vector<double> result(static_cast<std::size_t>(c.out_size()), sum ? 0.0 : worst);
  Walk walk(in, broadcast_strides(kept, in));
  const float* x = c.in();
  for (std::int64_t i = 0, n = c.size(); i < n; ++i, walk.next()) {
    double& r = result[static_cast<std::size_t>(walk.a)];
    const auto v = static_cast<double>(x[i]);
    r = sum ? r + v : c.op.kind == OperatorKind::reduce_max ? std::max(r, v) : std::min(r, v);
  }
  const double count = c.op.kind == OperatorKind::mean ? static_cast<double>(c.size() / c.out_size()) : 1.0;
  for (std::size_t i = 0; i < result.size(); ++i) c.out()[i] = static_cast<float>(result[i] / count);
  c.activate();
}

void arg_extreme(Call& c) {
  const Around a = around(c.shape(), c.o.axis);
  const bool largest = c.op.kind == OperatorKind::arg_max;
  const float* x = c.in();
  for (std::int64_t o = 0; o < a.outer; ++o)
    for (std::int64_t i = 0; i < a.inner; ++i) {
      std::int64_t best = 0;
      const auto at = [&](std::int64_t e) { return x[(o * a.extent + e) * a.inner + i]; };
      for (std::int64_t e = 1; e < a.extent; ++e)
        if (largest ? at(e) > at(best) : at(e) < at(best)) best = e;
      const std::int64_t where = o * a.inner + i;
      if (c.out_type() == DataType::int64) {
        std::memcpy(c.raw_out() + 8 * where, &best, 8);
      } else {
        const auto narrow = static_cast<std::int32_t>(best);
        std::memcpy(c.raw_out() + 4 * where, &narrow, 4);
      }
    }
}

// Inputs: x [batch, in], feature weights [filters, in], time weights [filters, memory], bias or -1, state
// [batch, filters * memory].
void svdf(Call& c) {
  const std::int64_t batch = c.shape()[0], depth = c.shape()[1], filters = c.shape(1)[0], memory = c.shape(2)[1];
  const std::int64_t rank = c.o.rank, units = filters / rank;
  const float *x = c.in(0), *feature = c.in(1), *time = c.in(2), *bias = c.has(3) ? c.in(3) : nullptr;
  float *state = c.state(4), *y = c.out();
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t u = 0; u < units; ++u) {
      double sum = bias ? static_cast<double>(bias[u]) : 0.0;
      for (std::int64_t f = u * rank; f < (u + 1) * rank; ++f) {
        float* s = state + (b * filters + f) * memory;
        std::copy(s + 1, s + memory, s);
        float newest = 0;
        for (std::int64_t i = 0; i < depth; ++i) newest += feature[f * depth + i] * x[b * depth + i];
        s[memory - 1] = newest;
        for (std::int64_t m = 0; m < memory; ++m)
          sum += static_cast<double>(s[m]) * static_cast<double>(time[f * memory + m]);
      }
      y[b * units + u] = static_cast<float>(sum);
    }
  c.activate();
}

}  // namespace dse::nn::floating
