// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, ARG_MAX, ARG_MIN: 2.13.
#include <algorithm>
#include <set>

#include "families.h"

namespace dse::nn::oracle {
namespace {

void reduce(const Call& c) {
  const Tensor& x = c.x();
  Tensor& y = c.y();
  std::set<int> axes;
  for (const auto a : c.x(1).q) axes.insert(positive_axis(a, x.shape.size()));
  std::vector<std::int64_t> kept = x.shape, inner = x.shape;
  std::int64_t n = 1;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    const bool reduced = axes.count(static_cast<int>(d)) > 0;
    (reduced ? kept : inner)[d] = 1;
    if (reduced) n *= x.shape[d];
  }
  const bool mean = c.kind == "MEAN", sum = c.kind == "SUM", maximum = c.kind == "REDUCE_MAX";
  each(kept, [&](const Index& i) {
    Wide total = 0;
    std::int64_t best = maximum ? lowest(x.type) : highest(x.type);
    each(inner, [&](const Index& j) {
      Index k = i;
      for (std::size_t d = 0; d < k.size(); ++d) k[d] += j[d];
      const std::int64_t v = at(x, k);
      total += v;
      best = maximum ? std::max(best, v) : std::min(best, v);
    });
    if (!mean && !sum) {
      y.q.push_back(best);
      return;
    }
    if (c.o.mode == Mode::qformat) {
      // As an average pool: the format is kept and halves go away from zero.
      if (!mean || fraction_bits(x) != fraction_bits(y)) c.refuse("not an operator of Q formats");
      y.q.push_back(finish(c, (total > 0 ? total + n / 2 : total - n / 2) / n));
      return;
    }
    Multiplier m = quantize_multiplier(static_cast<double>(x.s()) / static_cast<double>(y.s()), c.o.mode);
    const Wide shifted = total - Wide{n} * x.z();
    if (c.o.mode == Mode::onnx) {
      const Wide divisor = (mean ? n : 1) * power(31 - m.shift);
      y.q.push_back(finish(c, half_even(shifted * m.m, divisor) + y.z()));
      return;
    }
    if (mean) {
      int fold = 0;
      while (std::int64_t{2} << fold <= n) ++fold;
      fold = std::min({fold, 32, 31 + m.shift});
      m.m = static_cast<std::int64_t>((m.m * power(fold)) / n);
      m.shift -= fold;
    }
    fits32(total);
    y.q.push_back(finish(c, Wide{mbqm32(wrap32(shifted), m, c.o.mode)} + y.z()));
  });
}

void argument(const Call& c, bool maximum) {
  const Tensor& x = c.x();
  const int axis = positive_axis(c.has(1) ? c.x(1).q.at(0) : c.o.axis, x.shape.size());
  std::vector<std::int64_t> kept = x.shape;
  kept[static_cast<std::size_t>(axis)] = 1;
  each(kept, [&](const Index& i) {
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < x.dim(static_cast<std::size_t>(axis)); ++k) {
      Index here = i, there = i;
      here[static_cast<std::size_t>(axis)] = k, there[static_cast<std::size_t>(axis)] = best;
      if (maximum ? at(x, here) > at(x, there) : at(x, here) < at(x, there)) best = k;
    }
    c.y().q.push_back(best);
  });
}

}  // namespace

bool run_reduction(const Call& c) {
  if (c.kind == "ARG_MAX") return argument(c, true), true;
  if (c.kind == "ARG_MIN") return argument(c, false), true;
  if (c.kind != "MEAN" && c.kind != "SUM" && c.kind != "REDUCE_MAX" && c.kind != "REDUCE_MIN") return false;
  return reduce(c), true;
}

}  // namespace dse::nn::oracle
