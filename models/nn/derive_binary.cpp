// Element-wise operators with two operands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// The three multipliers of ADD must lie in (0, 1): the reference aborts otherwise.
bool below_one(double real, Multiplier& m) {
  if (!(real > 0.0 && real < 1.0)) return false;
  m = quantize_multiplier(real);
  return m.shift <= 0;
}

/// `from` can be stretched to `to` in numpy's way, at most four dimensions.
bool broadcasts(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto f = from[from.size() - 1 - i], t = to[to.size() - 1 - i];
    if (f != t && f != 1) return false;
  }
  return true;
}

}  // namespace

bool derive_binary(Derivation& d) {
  for (const int t : {d.op.inputs[0], d.op.inputs[1]})
    if (!d.quantized_int8(t, "input")) return false;
  if (!d.quantized_int8(d.op.outputs[0], "output")) return false;
  const auto &a = d.input(0).shape, &b = d.input(1).shape, &out = d.output().shape;
  if (!broadcasts(a, out) || !broadcasts(b, out))
    return d.fail(fmt::format("inputs {} and {} do not add up to {}", text_of(a), text_of(b), text_of(out)));
  if (a != out && b != out)
    return d.fail(fmt::format("inputs {} and {} are both broadcast", text_of(a), text_of(b)),
                  "only one input may be broadcast");
  const bool stretched = a != out || b != out;
  if (stretched && (out.size() > 4 || (out.size() == 4 && out[0] != 1)))
    return d.fail(fmt::format("broadcasting to {} is not supported", text_of(out)));
  const double sa = static_cast<double>(scale_of(d.input(0))), sb = static_cast<double>(scale_of(d.input(1)));
  const double so = static_cast<double>(scale_of(d.output()));
  const double twice = 2.0 * std::max(sa, sb);
  constexpr int left_shift = 20;
  Multiplier m1, m2, m3;
  if (!below_one(sa / twice, m1) || !below_one(sb / twice, m2) || !below_one(twice / ((1 << left_shift) * so), m3))
    return d.fail(fmt::format("scales {} and {} cannot be added to scale {}", sa, sb, so));
  dse_op& k = d.op.kernel;
  k.kind = DSE_ADD;
  set_extents(k, d.output().image(), d.output().image());
  k.in_zero = zero_of(d.input(0)), k.in2_zero = zero_of(d.input(1)), k.out_zero = zero_of(d.output());
  k.left_shift = left_shift;
  k.m1 = m1.multiplier, k.s1 = m1.shift, k.m2 = m2.multiplier, k.s2 = m2.shift, k.m3 = m3.multiplier, k.s3 = m3.shift;
  set_activation(d);
  return true;
}

}  // namespace dse::nn
