// AVERAGE_POOL_2D, MAX_POOL_2D and the global pools.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/graph/check/apart.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// Averages of mode `onnx` go from one scale to another; all other pools move raw values.
bool derive_quantization(Derivation& d, bool requantizes) {
  const float in = scale_of(d.input(0)), out = scale_of(d.output());
  dse_op& k = d.op.kernel;
  k.in_zero = zero_of(d.input(0)), k.out_zero = zero_of(d.output());
  if (!requantizes) {
    if (k.in_zero == k.out_zero && std::abs(in - out) <= 1e-6f) return true;
    return d.fail(fmt::format("input and output are quantised differently ({})", apart_text(d.input(0), d.output())));
  }
  const double real = static_cast<double>(in) / static_cast<double>(out);
  const Multiplier m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
  if (m.shift > 30) return d.fail(fmt::format("scales {} and {} lie more than 2^30 apart", in, out));
  k.m1 = m.multiplier, k.s1 = m.shift;
  return true;
}

}  // namespace

bool derive_pool(Derivation& d) {
  using enum DataType;
  OperatorOptions& o = d.op.options;
  const bool global = family_of(d.op.kind) == OperatorFamily::global_pool;
  const bool average = d.op.kind == OperatorKind::average_pool_2d || d.op.kind == OperatorKind::global_average_pool;
  const bool onnx = o.rounding == Rounding::onnx;
  if (!d.quantized(d.op.inputs[0], "input", {int8, uint8, int16})) return false;
  const DataType x = d.input(0).type;
  if (onnx && average) {
    if (!d.quantized(d.op.inputs[0], "input", {int8, uint8}) || !d.quantized(d.op.outputs[0], "output", {int8, uint8}))
      return false;
  } else if (!d.quantized(d.op.outputs[0], "output", {x})) {
    return false;
  }
  if (!derive_image(d, d.op.inputs[0], "input") || !derive_image(d, d.op.outputs[0], "output")) return false;
  const auto& in = d.input(0).shape;
  if (o.dilation_h != 1 || o.dilation_w != 1) return d.fail("dilated pools are not supported");
  if (global) {
    o.filter_h = static_cast<int>(in[1]), o.filter_w = static_cast<int>(in[2]);
    o.explicit_padding = o.same_padding = false;
  }
  if (o.explicit_padding &&
      (std::max(o.pad_top, o.pad_bottom) >= o.filter_h || std::max(o.pad_left, o.pad_right) >= o.filter_w))
    return d.fail(fmt::format("a window of {} x {} can lie beside the image", o.filter_h, o.filter_w));
  if (onnx && average && std::int64_t{o.filter_h} * o.filter_w > 1 << 23)
    return d.fail(fmt::format("a window of {} x {} is too large", o.filter_h, o.filter_w));
  if (!derive_window(d, o.filter_h, o.filter_w, in[3])) return false;
  dse_op& k = d.op.kernel;
  k.kind = average ? DSE_AVERAGE_POOL_2D : DSE_MAX_POOL_2D;
  k.rounding = static_cast<std::int32_t>(o.rounding);
  k.in_type = kernel_type(x), k.out_type = kernel_type(d.output().type);
  if (!derive_quantization(d, onnx && average)) return false;
  k.arg[0] = average && o.count_include_pad;
  set_activation(d);
  return call_per_image(d);
}

}  // namespace dse::nn
