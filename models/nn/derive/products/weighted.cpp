// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: the operators with weights.
#include "models/nn/derive/products/weighted.h"

#include <fmt/format.h>

#include "models/nn/graph/views.h"

namespace dse::nn {

bool derive_convolution(Derivation& d) {
  const bool depthwise = d.op.kind == OperatorKind::depthwise_conv_2d;
  if (!derive_weighted_types(d)) return false;
  if (!derive_image(d, d.op.inputs[0], "input") || !derive_image(d, d.op.outputs[0], "output")) return false;
  const auto& w = d.input(1).shape;
  const std::int64_t in_c = d.input(0).shape[3];
  if (w.size() != 4)
    return d.fail(fmt::format("weights '{}' have shape {}, not four dimensions", d.input(1).name, text_of(w)));
  const std::int64_t out_c = depthwise ? w[3] : w[0];
  if (!depthwise && in_c % w[3] != 0)
    return d.fail(fmt::format("weights {} read {} channels, the input has {}", text_of(w), w[3], in_c));
  const std::int64_t groups = depthwise ? 1 : in_c / w[3];
  if (out_c % groups != 0) return d.fail(fmt::format("{} groups do not divide {} output channels", groups, out_c));
  if (depthwise && (w[0] != 1 || out_c % in_c != 0))
    return d.fail(fmt::format("weights {} do not fit an input of {} channels", text_of(w), in_c));
  if (!derive_window(d, w[1], w[2], out_c)) return false;
  dse_op& k = d.op.kernel;
  k.kind = depthwise ? DSE_DEPTHWISE_CONV_2D : DSE_CONV_2D;
  k.multiplier = static_cast<std::int32_t>(depthwise ? out_c / in_c : 1);
  k.groups = static_cast<std::int32_t>(groups);
  if (!derive_channel_params(d, out_c, depthwise ? 3 : 0)) return false;
  d.op.options.depth_multiplier = k.multiplier;
  d.op.options.groups = k.groups;
  d.op.macs = d.output().elements() * w[1] * w[2] * (depthwise ? 1 : w[3]);
  if (!derive_factors(d) || !call_per_image(d)) return false;
  bind_factors(d);
  return true;
}

bool derive_fully_connected(Derivation& d) {
  if (!derive_weighted_types(d)) return false;
  const auto& w = d.input(1).shape;
  if (w.size() != 2)
    return d.fail(fmt::format("weights '{}' have shape {}, not [out, in]", d.input(1).name, text_of(w)));
  const std::int64_t in_c = w[1], out_c = w[0];
  const std::int64_t rows = d.input(0).elements() / in_c;
  if (rows * in_c != d.input(0).elements())
    return d.fail(fmt::format("weights {} do not fit the input {}", text_of(w), text_of(d.input(0).shape)));
  const auto& out = d.output().shape;
  if (out.empty() || out.back() != out_c || d.output().elements() != rows * out_c)
    return d.fail(fmt::format("output '{}' has shape {}, but the operator makes {} rows of {}", d.output().name,
                              text_of(out), rows, out_c));
  dse_op& k = d.op.kernel;
  k.kind = DSE_FULLY_CONNECTED;
  k.in_h = k.out_h = static_cast<std::int32_t>(rows);
  k.in_w = k.out_w = 1;
  k.in_c = static_cast<std::int32_t>(in_c), k.out_c = static_cast<std::int32_t>(out_c);
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = 1;
  if (!derive_channel_params(d, out_c, 0)) return false;
  d.op.macs = rows * in_c * out_c;
  if (!derive_factors(d)) return false;
  add_plain_call(d.network, d.op);
  bind_factors(d);
  return true;
}

}  // namespace dse::nn
