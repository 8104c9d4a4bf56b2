// AVERAGE_POOL_2D and MAX_POOL_2D: 2.7, 2.32.
#include <algorithm>

#include "families.h"

namespace dse::nn::oracle {

bool run_pool(const Call& c) {
  const bool global = c.kind == "GLOBAL_AVERAGE_POOL" || c.kind == "GLOBAL_MAX_POOL";
  const bool average = c.kind == "AVERAGE_POOL_2D" || c.kind == "GLOBAL_AVERAGE_POOL";
  if (!global && !average && c.kind != "MAX_POOL_2D") return false;
  const Tensor& x = c.x();
  Tensor& y = c.y();
  Options o = c.o;
  if (global) o.filter_h = static_cast<int>(x.dim(1)), o.filter_w = static_cast<int>(x.dim(2));
  const int top = pad_before(x.dim(1), y.dim(1), o.filter_h, o.stride_h, 1, o.padding, o.pad_top);
  const int left = pad_before(x.dim(2), y.dim(2), o.filter_w, o.stride_w, 1, o.padding, o.pad_left);
  each(y.shape, [&](const Index& i) {
    std::vector<std::int64_t> taps;
    for (int ky = 0; ky < o.filter_h; ++ky)
      for (int kx = 0; kx < o.filter_w; ++kx) {
        const std::int64_t py = i[1] * o.stride_h - top + ky, px = i[2] * o.stride_w - left + kx;
        if (py >= 0 && px >= 0 && py < x.dim(1) && px < x.dim(2)) taps.push_back(at(x, i[0], py, px, i[3]));
      }
    const auto n = static_cast<std::int64_t>(taps.size());
    if (!average) {
      std::int64_t best = lowest(x.type);
      for (const auto t : taps) best = std::max(best, t);
      y.q.push_back(finish(c, best));
      return;
    }
    Wide sum = 0;
    for (const auto t : taps) sum += t;
    if (o.mode == Mode::onnx) {
      // The divisor goes into the one rounding.
      const Multiplier m = quantize_multiplier(static_cast<double>(x.s()) / static_cast<double>(y.s()), o.mode);
      const std::int64_t count = o.count_include_pad ? std::int64_t{o.filter_h} * o.filter_w : n;
      y.q.push_back(finish(c, half_even((sum - Wide{n} * x.z()) * m.m, count * power(31 - m.shift)) + y.z()));
      return;
    }
    if (n == 0) c.refuse("a window without a pixel");
    y.q.push_back(finish(c, (sum > 0 ? sum + n / 2 : sum - n / 2) / n));
  });
  return true;
}

}  // namespace dse::nn::oracle
