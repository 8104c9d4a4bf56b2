// TRANSPOSE_CONV. The output tensor gives the extents of the output.
#include <fmt/format.h>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// Padding before the output; the same window over the output must give the input's extent back.
bool place(Derivation& d, std::int64_t in, std::int64_t out, std::int64_t kernel, int stride, int pad_before,
           std::int64_t& before) {
  const OperatorOptions& o = d.op.options;
  if (o.explicit_padding) {
    if (pad_before < 0 || pad_before > max_window)
      return d.fail(fmt::format("padding {} is not within 0 to {}", pad_before, max_window));
    before = pad_before;
    return true;
  }
  const Window w = window(out, kernel, stride, 1, o.same_padding);
  if (w.out != in)
    return d.fail(fmt::format("output {} is not made of input {} by kernel {} and stride {}", out, in, kernel, stride));
  before = w.pad_before;
  return true;
}

}  // namespace

bool derive_transpose_conv(Derivation& d) {
  const OperatorOptions& o = d.op.options;
  if (!derive_weighted_types(d)) return false;
  if (!derive_image(d, d.op.inputs[0], "input") || !derive_image(d, d.op.outputs[0], "output")) return false;
  if (o.dilation_h != 1 || o.dilation_w != 1) return d.fail("dilated transposed convolutions are not supported");
  if (o.groups > 1) return d.fail(fmt::format("transposed convolutions in {} groups are not supported", o.groups));
  const auto &in = d.input(0).shape, &out = d.output().shape, &w = d.input(1).shape;
  if (w.size() != 4 || w[3] != in[3] || w[0] != out[3] || in[0] != out[0])
    return d.fail(fmt::format("weights {} do not make {} of {}", text_of(w), text_of(out), text_of(in)));
  if (w[1] > max_window || w[2] > max_window)
    return d.fail(fmt::format("kernel {} x {} is not within 1 to {}", w[1], w[2], max_window));
  std::int64_t top = 0, left = 0;
  if (!place(d, in[1], out[1], w[1], o.stride_h, o.pad_top, top) ||
      !place(d, in[2], out[2], w[2], o.stride_w, o.pad_left, left))
    return false;
  dse_op& k = d.op.kernel;
  k.kind = DSE_TRANSPOSE_CONV;
  const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  k.in_h = i32(in[1]), k.in_w = i32(in[2]), k.in_c = i32(in[3]);
  k.out_h = i32(out[1]), k.out_w = i32(out[2]), k.out_c = i32(out[3]);
  k.kernel_h = i32(w[1]), k.kernel_w = i32(w[2]);
  k.stride_h = o.stride_h, k.stride_w = o.stride_w;
  k.dilation_h = k.dilation_w = k.multiplier = 1;
  k.pad_top = i32(top), k.pad_left = i32(left);
  if (!derive_channel_params(d, out[3], 0)) return false;
  d.op.macs = d.input(0).elements() * w[0] * w[1] * w[2];
  return call_per_image(d);
}

}  // namespace dse::nn
