// QUANTIZE and DEQUANTIZE: 2.24, docs/how/arithmetic.md.
#include <algorithm>
#include <cmath>

#include "families.h"

namespace dse::nn::oracle {

bool run_quantize(const Call& c) {
  const Tensor& x = c.x();
  Tensor& y = c.y();
  if (c.kind == "DEQUANTIZE") {
    std::int64_t inner = 1, axis_size = 1;
    for (std::size_t d = x.shape.size(); d-- > 0 && x.scale.size() > 1;) {
      if (static_cast<int>(d) == x.axis) {
        axis_size = x.shape[d];
        break;
      }
      inner *= x.shape[d];
    }
    for (std::size_t i = 0; i < x.q.size(); ++i) {
      const std::int64_t channel = static_cast<std::int64_t>(i) / inner % axis_size;
      // The product of a binary32 and a small integer is exact in binary64: one rounding.
      y.f.push_back(static_cast<float>(static_cast<double>(x.s(channel)) * static_cast<double>(x.q[i] - x.z(channel))));
    }
    return true;
  }
  if (c.kind != "QUANTIZE") return false;
  const std::int64_t lo = lowest(y.type), hi = highest(y.type);
  for (const float v : x.f) {
    const float units = v / y.s();
    const float rounded = c.o.mode == Mode::onnx ? std::nearbyint(units) : std::round(units);
    y.q.push_back(clamp(Wide{static_cast<std::int64_t>(std::clamp(rounded, -2e9f, 2e9f))} + y.z(), lo, hi));
  }
  if (x.q.empty()) return true;
  if (c.o.mode == Mode::qformat) {
    for (const auto q : x.q) y.q.push_back(clamp(shr(q, fraction_bits(x) - fraction_bits(y)), lo, hi));
    return true;
  }
  // uint8 <-> int8 of equal scale, zero points 128 apart, turns the top bit only; the general path gives that, too.
  const Multiplier m = quantize_multiplier(static_cast<double>(x.s()) / static_cast<double>(y.s()), c.o.mode);
  for (const auto q : x.q) y.q.push_back(clamp(Wide{mbqm32(q - x.z(), m, c.o.mode)} + y.z(), lo, hi));
  return true;
}

}  // namespace dse::nn::oracle
