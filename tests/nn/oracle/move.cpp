// What moves values without touching them: RESHAPE and its kin, TRANSPOSE, PAD, PADV2, MIRROR_PAD, CONCATENATION,
// PACK. 2.14, 2.25.
#include "families.h"

namespace dse::nn::oracle {
namespace {

/// onnx and qformat: a value taken over into the output's quantisation.
std::int64_t taken_over(const Call& c, const Tensor& x, std::int64_t q) {
  const Tensor& y = c.y();
  const std::int64_t lo = lowest(y.type), hi = highest(y.type);
  if (c.o.mode == Mode::qformat && !x.scale.empty()) return clamp(shr(q, fraction_bits(x) - fraction_bits(y)), lo, hi);
  if (c.o.mode != Mode::onnx || x.scale.empty() || (x.s() == y.s() && x.z() == y.z())) return q;
  const Multiplier m = quantize_multiplier(static_cast<double>(x.s()) / static_cast<double>(y.s()), c.o.mode);
  return clamp(Wide{mbqm32(q - x.z(), m, c.o.mode)} + y.z(), lo, hi);
}

void concatenate(const Call& c) {
  Tensor& y = c.y();
  const auto axis = static_cast<std::size_t>(positive_axis(c.o.axis, y.shape.size()));
  each(y.shape, [&](Index i) {
    std::size_t k = 0;
    while (i[axis] >= c.x(k).dim(axis)) i[axis] -= c.x(k++).dim(axis);
    y.q.push_back(taken_over(c, c.x(k), at(c.x(k), i)));
  });
}

void pack(const Call& c) {
  Tensor& y = c.y();
  const auto axis = positive_axis(c.o.axis, y.shape.size());
  each(y.shape, [&](Index i) {
    const Tensor& from = c.x(static_cast<std::size_t>(i[static_cast<std::size_t>(axis)]));
    i.erase(i.begin() + axis);
    y.q.push_back(at(from, i));
  });
}

void pad(const Call& c, bool mirror) {
  const Tensor &x = c.x(), &pads = c.x(1);
  Tensor& y = c.y();
  const std::int64_t value = c.has(2) ? c.x(2).q.at(0) : y.z();
  each(y.shape, [&](const Index& i) {
    Index from = i;
    bool inside = true;
    for (std::size_t d = 0; d < i.size(); ++d) {
      from[d] -= pads.q.at(2 * d);
      if (mirror) {
        const std::int64_t edge = c.o.symmetric ? 1 : 0, last = x.shape[d] - 1;
        if (from[d] < 0) from[d] = -from[d] - edge;
        if (from[d] > last) from[d] = 2 * last - from[d] + edge;
      }
      inside = inside && from[d] >= 0 && from[d] < x.shape[d];
    }
    y.q.push_back(inside ? at(x, from) : value);
  });
}

void transpose(const Call& c) {
  const Tensor &x = c.x(), &order = c.x(1);
  each(c.y().shape, [&](const Index& i) {
    Index from(i.size());
    for (std::size_t d = 0; d < i.size(); ++d) from[static_cast<std::size_t>(order.q.at(d))] = i[d];
    c.y().q.push_back(at(x, from));
  });
}

}  // namespace

bool run_move(const Call& c) {
  for (const char* kind : {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "READ_VARIABLE"})
    if (c.kind == kind) return c.y().q = c.x().q, c.y().f = c.x().f, true;
  if (c.kind == "CONCATENATION") return concatenate(c), true;
  if (c.kind == "PACK") return pack(c), true;
  if (c.kind == "PAD" || c.kind == "PADV2") return pad(c, false), true;
  if (c.kind == "MIRROR_PAD") return pad(c, true), true;
  if (c.kind == "TRANSPOSE") return transpose(c), true;
  return false;
}

}  // namespace dse::nn::oracle
