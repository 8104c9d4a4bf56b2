// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR of images: [N, H, W, C], or [N, C, H, W] where the options say so.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "models/nn/graph/calls.h"
#include "models/nn/graph/check/apart.h"

namespace dse::nn {
namespace {

constexpr std::int64_t max_extent = 1 << 20;  // positions are 32-bit numbers in steps of 2^-10
constexpr std::int64_t max_calls = 4096;

/// One axis of RESIZE_BILINEAR: step and start in units of 2^-10 pixels, by the reference's integer divisions.
void set_bilinear(const OperatorOptions& o, dse_op& k, std::size_t axis, std::int64_t in, std::int64_t out) {
  std::int64_t scale = (1024 * in + out / 2) / out;
  if (o.align_corners && out > 1) scale = (1024 * (in - 1) + (out - 1) / 2) / (out - 1);
  k.arg[axis] = static_cast<std::int32_t>(scale);
  k.arg[2 + axis] = static_cast<std::int32_t>(o.half_pixel_centers ? scale / 2 - 512 : 0);
}

/// The reference's step in binary32 from one output to the next.
float step_of(const OperatorOptions& o, std::int64_t in, std::int64_t out) {
  const bool align = o.align_corners && out > 1;
  return align ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
               : static_cast<float>(in) / static_cast<float>(out);
}

/// One axis of RESIZE_BILINEAR of UINT8, which the reference computes in binary32: the bits of the step.
void set_bilinear_of_bytes(const OperatorOptions& o, dse_op& k, std::size_t axis, std::int64_t in, std::int64_t out) {
  k.arg[axis] = std::bit_cast<std::int32_t>(step_of(o, in, out));
  k.arg[4] = o.half_pixel_centers;
}

/// One axis of RESIZE_NEAREST_NEIGHBOR: the binary32 scale as a number of 24 bits and an exponent.
void set_nearest(const OperatorOptions& o, dse_op& k, std::size_t axis, std::int64_t in, std::int64_t out) {
  const float scale = step_of(o, in, out);
  int exponent = 0;
  const float fraction = std::frexp(scale, &exponent);
  k.arg[axis] = static_cast<std::int32_t>(std::ldexp(fraction, 24));
  k.arg[2 + axis] = exponent - 24;
}

dse_view image_view(bool channels_first, std::int64_t h, std::int64_t w, std::int64_t c, std::int64_t elem) {
  dse_view v = dense_view({h, w, c}, elem);
  if (!channels_first) return v;
  v.stride_c = static_cast<std::int32_t>(h * w * elem);
  v.stride_w = static_cast<std::int32_t>(elem);
  v.stride_h = static_cast<std::int32_t>(w * elem);
  return v;
}

}  // namespace

bool derive_resize(Derivation& d) {
  const Tensor &in = d.input(0), &out = d.output();
  const OperatorOptions& o = d.op.options;
  const bool bilinear = d.op.kind == OperatorKind::resize_bilinear;
  if (!same_type(d)) return false;
  for (const Tensor* t : {&in, &out})
    if (t->shape.size() != 4)
      return d.fail(fmt::format("'{}' has shape {}, not four dimensions", t->name, text_of(t->shape)));
  const std::size_t h = o.channels_first ? 2 : 1, w = h + 1, c = o.channels_first ? 1 : 3;
  if (in.shape[0] != out.shape[0] || in.shape[c] != out.shape[c])
    return d.fail(
        fmt::format("resizes {} to {}: only height and width may change", text_of(in.shape), text_of(out.shape)));
  for (const auto extent : {in.shape[h], in.shape[w], out.shape[h], out.shape[w]})
    if (extent > max_extent) return d.fail(fmt::format("extent {}, at most {} are supported", extent, max_extent));
  if (in.shape[0] > max_calls) return d.fail(fmt::format("batch {}", in.shape[0]), "at most 4096 images");
  if (bilinear) {
    if (in.type != DataType::int8 && in.type != DataType::uint8)
      return d.fail(fmt::format("input '{}' has type {}", in.name, name_of(in.type)));
    if (o.rounding != Rounding::tflite && o.rounding != Rounding::single)
      return d.fail(fmt::format("bilinear resizing is not defined in mode {}", name_of(o.rounding)));
  }
  if (!in.quantization.scale.empty() && !out.quantization.scale.empty() && !same_scales(in, out))
    return d.fail(input_apart_text(in, out));
  dse_op& k = d.op.kernel;
  k.kind = bilinear ? DSE_RESIZE_BILINEAR : DSE_RESIZE_NEAREST_NEIGHBOR;
  set_extents(k, {in.shape[h], in.shape[w], in.shape[c]}, {out.shape[h], out.shape[w], out.shape[c]});
  k.rounding = static_cast<std::int32_t>(o.rounding);
  set_types(d, k);
  const auto set = !bilinear ? set_nearest : in.type == DataType::uint8 ? set_bilinear_of_bytes : set_bilinear;
  set(o, k, 0, in.shape[h], out.shape[h]);
  set(o, k, 1, in.shape[w], out.shape[w]);
  if (!bilinear) k.arg[4] = o.half_pixel_centers, k.arg[5] = o.align_corners;
  const std::int64_t elem = size_of(in.type);
  for (std::int64_t n = 0; n < in.shape[0]; ++n) {
    KernelCall call;
    call.op = k;
    call.tile = full_tile(d.op);
    const auto operand = [&](int index, const Tensor& t) {
      return bound(index, image_view(o.channels_first, t.shape[h], t.shape[w], t.shape[c], elem),
                   n * product_of(t.shape, 1, 4) * elem);
    };
    call.operands[DSE_IN0] = operand(d.op.inputs[0], in);
    call.operands[DSE_OUT] = operand(d.op.outputs[0], out);
    d.op.calls.push_back(call);
  }
  return true;
}

}  // namespace dse::nn
