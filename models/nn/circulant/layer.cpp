#include "models/nn/circulant/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/made/fill.h"
#include "models/nn/quantize.h"

namespace dse::nn::circulant {

Blocks blocks_of(const Network& n, const Operator& op) {
  const auto tensor = [&](int t) -> const Tensor& { return n.tensors[static_cast<std::size_t>(t)]; };
  const Tensor &x = tensor(op.inputs[0]), &w = tensor(op.inputs[1]), &y = tensor(op.outputs[0]);
  Blocks s;
  s.size = op.options.block;
  s.out = y.shape.empty() ? 1 : y.shape.back();
  const bool conv = op.kind == OperatorKind::circulant_conv_2d;
  const std::int64_t rows = x.shape.size() == 2 ? x.shape[0] : 1;
  s.in = conv ? x.shape.back() : x.elements() / std::max<std::int64_t>(rows, 1);
  if (conv && w.shape.size() == 5) s.taps = w.shape[1] * w.shape[2];
  return s;
}

std::vector<std::int64_t> weights_shape(const Blocks& s, std::int64_t kernel_h, std::int64_t kernel_w, bool conv) {
  if (!conv) return {s.p(), s.q(), s.size};
  return {s.p(), kernel_h, kernel_w, s.q(), s.size};
}

dse_op int8_form(const Network& n, const Operator& op) {
  const auto tensor = [&](int t) -> const Tensor& { return n.tensors[static_cast<std::size_t>(t)]; };
  const Tensor &x = tensor(op.inputs[0]), &w = tensor(op.inputs[1]), &y = tensor(op.outputs[0]);
  const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  const OperatorOptions& o = op.options;
  dse_op k{};
  k.kind = is_circulant(op.kind) ? DSE_CIRCULANT : op.kind == OperatorKind::conv_2d ? DSE_CONV_2D : DSE_FULLY_CONNECTED;
  k.in_type = k.weight_type = k.out_type = DSE_I8, k.acc_bytes = 4;
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = k.groups = 1;
  if (op.kind == OperatorKind::conv_2d || op.kind == OperatorKind::circulant_conv_2d) {
    k.in_h = i32(x.shape[1]), k.in_w = i32(x.shape[2]), k.in_c = i32(x.shape[3]);
    k.out_h = i32(y.shape[1]), k.out_w = i32(y.shape[2]), k.out_c = i32(y.shape[3]);
    k.kernel_h = i32(w.shape[1]), k.kernel_w = i32(w.shape[2]);
    k.stride_h = o.stride_h, k.stride_w = o.stride_w, k.dilation_h = o.dilation_h, k.dilation_w = o.dilation_w;
    const auto before = [&](std::int64_t in, int kernel, int stride, int dilation, int given) {
      return o.explicit_padding ? given : i32(window(in, kernel, stride, dilation, o.same_padding).pad_before);
    };
    k.pad_top = before(k.in_h, k.kernel_h, k.stride_h, k.dilation_h, o.pad_top);
    k.pad_left = before(k.in_w, k.kernel_w, k.stride_w, k.dilation_w, o.pad_left);
  } else {
    k.out_c = i32(y.shape.empty() ? 1 : y.shape.back());
    k.in_h = k.out_h = i32(y.elements() / std::max(k.out_c, 1));
    k.in_c = i32(x.elements() / std::max(k.in_h, 1));
    k.in_w = k.out_w = 1;
  }
  return k;
}

std::string why_no_block(std::int64_t block, bool spectral) {
  if (block < 1 || block > DSE_LARGEST_BLOCK)
    return fmt::format("blocks of {} are not within 1 to {}", block, static_cast<int>(DSE_LARGEST_BLOCK));
  if (spectral && !dse_transforms(static_cast<std::int32_t>(block)))
    return fmt::format("integers have Fourier transforms of powers of two from 2 to {}, not of {}",
                       static_cast<int>(DSE_LARGEST_TRANSFORM), block);
  return {};
}

Network in_domain(Network n, bool spectral, bool transformable_only) {
  for (Operator& op : n.operators) {
    if (!is_circulant(op.kind) || op.options.spectral == spectral) continue;
    if (transformable_only && spectral && !why_no_block(op.options.block, true).empty()) continue;
    const Blocks s = blocks_of(n, op);
    Tensor& t = n.tensors[static_cast<std::size_t>(op.inputs[1])];
    const auto values = values_of(t);
    const std::vector<double> w(values.begin(), values.end());
    const auto made = spectral ? to_frequency<double>(s, w) : to_time<double>(s, w);
    set_values(t, std::vector<float>(made.begin(), made.end()));
    op.options.spectral = spectral;
  }
  return n;
}

}  // namespace dse::nn::circulant
