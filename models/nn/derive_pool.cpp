// Pools.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {

bool derive_pool(Derivation& d) {
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
  if (!d.image_of_batch_1(d.op.inputs[0], "input") || !d.image_of_batch_1(d.op.outputs[0], "output")) return false;
  const float in = scale_of(d.input(0)), out = scale_of(d.output());
  if (zero_of(d.input(0)) != zero_of(d.output()) || std::abs(in - out) > 1e-6f)
    return d.fail(
        fmt::format("input and output are quantised differently (scale {}, zero point {}; scale {}, zero point {})", in,
                    zero_of(d.input(0)), out, zero_of(d.output())));
  if (d.op.options.dilation_h != 1 || d.op.options.dilation_w != 1) return d.fail("a pool has no dilation");
  if (!derive_window(d, d.op.options.filter_h, d.op.options.filter_w, d.input(0).shape[3])) return false;
  d.op.kernel.kind = d.op.kind == OperatorKind::average_pool_2d ? DSE_AVERAGE_POOL_2D : DSE_MAX_POOL_2D;
  d.op.kernel.in_zero = zero_of(d.input(0));
  d.op.kernel.out_zero = zero_of(d.output());
  set_activation(d);
  return true;
}

}  // namespace dse::nn
