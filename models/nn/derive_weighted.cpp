// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: the operators with weights.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "models/nn/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

bool check_weights(Derivation& d, std::int64_t channels, int channel_axis) {
  const Tensor& w = d.input(1);
  if (w.kind != TensorKind::constant) return d.fail(fmt::format("weights '{}' are not constant", w.name));
  if (w.type != DataType::int8)
    return d.fail(fmt::format("weights '{}' have type {}", w.name, name_of(w.type)), "only int8 weights are supported");
  const auto& q = w.quantization;
  const auto count = static_cast<std::int64_t>(q.scale.size());
  if (count != 1 && count != channels)
    return d.fail(fmt::format("weights '{}' have {} scales for {} output channels", w.name, count, channels));
  if (count > 1 && q.axis != channel_axis)
    return d.fail(fmt::format("weights '{}' are quantised along axis {}, not {}", w.name, q.axis, channel_axis));
  for (const float s : q.scale)
    if (!std::isfinite(s) || s < 0.0f) return d.fail(fmt::format("weights '{}' have scale {}", w.name, s));
  for (const auto z : q.zero_point)
    if (z != 0) return d.fail(fmt::format("weights '{}' have zero point {}, not 0", w.name, z));
  return true;
}

bool check_bias(Derivation& d, std::int64_t channels, bool float_product) {
  if (d.op.inputs[2] < 0) return true;
  const Tensor& b = d.input(2);
  if (b.kind != TensorKind::constant) return d.fail(fmt::format("bias '{}' is not constant", b.name));
  if (b.type != DataType::int32)
    return d.fail(fmt::format("bias '{}' has type {}, not INT32", b.name, name_of(b.type)));
  if (b.elements() != channels)
    return d.fail(fmt::format("bias '{}' has {} elements for {} output channels", b.name, b.elements(), channels));
  // The reference refuses fully connected layers whose bias scale is off by more than 2 % of an output step.
  if (float_product && b.quantization.scale.size() == 1) {
    const double product = static_cast<double>(scale_of(d.input(0))) * static_cast<double>(scale_of(d.input(1)));
    const double off = std::abs(product - static_cast<double>(b.quantization.scale[0]));
    if (!(off / static_cast<double>(scale_of(d.output())) <= 0.02))
      return d.fail(fmt::format("bias '{}' has scale {}, but input scale times weight scale is {}", b.name,
                                b.quantization.scale[0], product));
  }
  return true;
}

}  // namespace

bool derive_channel_params(Derivation& d, std::int64_t channels, int channel_axis, bool float_product) {
  if (d.op.inputs.size() < 3) d.op.inputs.resize(3, -1);
  if (!check_weights(d, channels, channel_axis) || !check_bias(d, channels, float_product)) return false;
  const auto& scales = d.input(1).quantization.scale;
  const float in = scale_of(d.input(0)), out = scale_of(d.output());
  const Tensor* bias = d.op.inputs[2] < 0 ? nullptr : &d.input(2);
  d.op.channel_params.assign(static_cast<std::size_t>(3 * channels), 0);
  for (std::int64_t c = 0; c < channels; ++c) {
    const float w = scales.size() == 1 ? scales[0] : scales[static_cast<std::size_t>(c)];
    const float rounded = in * w;  // binary32 product: the reference's per-tensor fully connected path
    const double product =
        float_product ? static_cast<double>(rounded) : static_cast<double>(in) * static_cast<double>(w);
    const double real = product / static_cast<double>(out);
    const Multiplier m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
    if (m.shift > 30) return d.fail(fmt::format("output channel {} has the real multiplier {}, above 2^30", c, real));
    std::int32_t* p = &d.op.channel_params[static_cast<std::size_t>(3 * c)];
    if (bias) std::memcpy(p, bias->data.data() + 4 * c, 4);
    p[1] = m.multiplier;
    p[2] = m.shift;
  }
  d.op.kernel.in_zero = zero_of(d.input(0));
  d.op.kernel.out_zero = zero_of(d.output());
  const ActivationRange r = activation_range(d.op.options.activation, out, zero_of(d.output()));
  d.op.kernel.act_min = r.min;
  d.op.kernel.act_max = r.max;
  return true;
}

bool derive_window(Derivation& d, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t out_c) {
  const OperatorOptions& o = d.op.options;
  const auto& in = d.input(0).shape;
  if (kernel_h < 1 || kernel_w < 1 || kernel_h > max_window || kernel_w > max_window)
    return d.fail(fmt::format("kernel {} x {} is not within 1 to {}", kernel_h, kernel_w, max_window));
  if ((kernel_h - 1) * o.dilation_h >= max_elements || (kernel_w - 1) * o.dilation_w >= max_elements)
    return d.fail(fmt::format("kernel {} x {} with dilation {} x {} is too large", kernel_h, kernel_w, o.dilation_h,
                              o.dilation_w));
  const Window h = window(in[1], kernel_h, o.stride_h, o.dilation_h, o.same_padding);
  const Window w = window(in[2], kernel_w, o.stride_w, o.dilation_w, o.same_padding);
  if (h.out < 1 || w.out < 1)
    return d.fail(
        fmt::format("kernel {} x {} does not fit into the input {} without padding", kernel_h, kernel_w, text_of(in)));
  if (!d.output_is({1, h.out, w.out, out_c})) return false;
  dse_op& k = d.op.kernel;
  k.rounding = DSE_ROUND_TFLITE;
  const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  k.in_h = i32(in[1]), k.in_w = i32(in[2]), k.in_c = i32(in[3]);
  k.out_h = i32(h.out), k.out_w = i32(w.out), k.out_c = i32(out_c);
  k.kernel_h = i32(kernel_h), k.kernel_w = i32(kernel_w);
  k.stride_h = o.stride_h, k.stride_w = o.stride_w;
  k.dilation_h = o.dilation_h, k.dilation_w = o.dilation_w;
  k.pad_top = i32(h.pad_before), k.pad_left = i32(w.pad_before);
  k.multiplier = 1;
  return true;
}

bool derive_convolution(Derivation& d) {
  const bool depthwise = d.op.kind == OperatorKind::depthwise_conv_2d;
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
  if (!d.image_of_batch_1(d.op.inputs[0], "input") || !d.image_of_batch_1(d.op.outputs[0], "output")) return false;
  const auto& w = d.input(1).shape;
  const std::int64_t in_c = d.input(0).shape[3];
  if (w.size() != 4)
    return d.fail(fmt::format("weights '{}' have shape {}, not four dimensions", d.input(1).name, text_of(w)));
  const std::int64_t out_c = depthwise ? w[3] : w[0];
  if (!depthwise && w[3] != in_c) {
    if (w[3] < in_c && in_c % w[3] == 0)
      return d.fail(fmt::format("grouped convolution ({} groups) is not supported", in_c / w[3]));
    return d.fail(fmt::format("weights {} read {} channels, the input has {}", text_of(w), w[3], in_c));
  }
  if (depthwise && (w[0] != 1 || out_c % in_c != 0))
    return d.fail(fmt::format("weights {} do not fit an input of {} channels", text_of(w), in_c));
  if (!derive_window(d, w[1], w[2], out_c) || !derive_channel_params(d, out_c, depthwise ? 3 : 0, false)) return false;
  const std::int64_t multiplier = depthwise ? out_c / in_c : 1;
  d.op.kernel.kind = depthwise ? DSE_DEPTHWISE_CONV_2D : DSE_CONV_2D;
  d.op.kernel.multiplier = static_cast<std::int32_t>(multiplier);
  d.op.options.depth_multiplier = static_cast<int>(multiplier);
  d.op.macs = d.output().elements() * w[1] * w[2] * (depthwise ? 1 : in_c);
  return true;
}

bool derive_fully_connected(Derivation& d) {
  if (!d.quantized_int8(d.op.inputs[0], "input") || !d.quantized_int8(d.op.outputs[0], "output")) return false;
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
  if (!derive_channel_params(d, out_c, 0, d.input(1).quantization.scale.size() == 1)) return false;
  dse_op& k = d.op.kernel;
  k.kind = DSE_FULLY_CONNECTED;
  k.rounding = DSE_ROUND_TFLITE;
  k.in_h = k.out_h = static_cast<std::int32_t>(rows);
  k.in_w = k.out_w = 1;
  k.in_c = static_cast<std::int32_t>(in_c), k.out_c = static_cast<std::int32_t>(out_c);
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = 1;
  d.op.macs = rows * in_c * out_c;
  return true;
}

}  // namespace dse::nn
