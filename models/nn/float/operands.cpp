#include "models/nn/float/operands.h"

#include <algorithm>

#include "models/nn/made/fill.h"

namespace dse::nn::floating {

const float* Call::in(std::size_t i) {
  const int index = op.inputs[i];
  const Tensor& t = tensor(index);
  if (t.kind != TensorKind::constant)
    return reinterpret_cast<const float*>(bytes_[static_cast<std::size_t>(index)].data());
  const auto [it, fresh] = constants_.try_emplace(index);
  if (fresh) it->second = values_of(t);
  return it->second.data();
}

void Call::activate() {
  float lo = 0, hi = 0;
  switch (o.activation) {
    case Activation::none:
      return;
    case Activation::relu: {
      float* y = out();
      for (std::int64_t i = 0, n = out_size(); i < n; ++i) y[i] = std::max(y[i], 0.0f);
      return;
    }
    case Activation::relu6:
      hi = 6;
      break;
    case Activation::relu_n1_to_1:
      lo = -1, hi = 1;
      break;
  }
  float* y = out();
  for (std::int64_t i = 0, n = out_size(); i < n; ++i) y[i] = std::min(std::max(y[i], lo), hi);
}

Around around(const Shape& shape, std::int64_t axis) {
  Around a{1, 1, 1};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    (at < axis ? a.outer : at == axis ? a.extent : a.inner) *= shape[d];
  }
  return a;
}

std::size_t softmax_axis(const Operator& op, std::size_t rank) {
  const bool named = !op.type.empty() && op.type != name_of(op.kind);
  return named ? static_cast<std::size_t>(op.options.axis) : rank - 1;
}

std::int64_t slice_count(std::int64_t begin, std::int64_t end, std::int64_t stride) {
  const std::int64_t span = stride > 0 ? end - begin : begin - end, step = stride > 0 ? stride : -stride;
  return span <= 0 ? 0 : (span + step - 1) / step;
}

Kernel kernel_of(const Operator& op, const Shape& w) {
  return op.options.channels_first ? Kernel{w[2], w[3]} : Kernel{w[1], w[2]};
}

Geometry geometry(const OperatorOptions& o, const Shape& in, const Shape& out, std::int64_t kernel_h,
                  std::int64_t kernel_w, bool transposed) {
  const std::size_t h = o.channels_first ? 2 : 1, c = o.channels_first ? 1 : 3;
  Geometry g;
  g.first = o.channels_first;
  g.batch = in[0], g.in_h = in[h], g.in_w = in[h + 1], g.in_c = in[c];
  g.out_h = out[h], g.out_w = out[h + 1], g.out_c = out[c];
  g.kernel_h = kernel_h, g.kernel_w = kernel_w, g.stride_h = o.stride_h, g.stride_w = o.stride_w;
  g.dilation_h = o.dilation_h, g.dilation_w = o.dilation_w;
  if (o.explicit_padding) {
    g.pad_top = o.pad_top, g.pad_left = o.pad_left, g.pad_bottom = o.pad_bottom, g.pad_right = o.pad_right;
  } else if (o.same_padding) {
    const auto total = [&](std::int64_t many, std::int64_t few, std::int64_t stride, std::int64_t reach) {
      return std::max<std::int64_t>(0, (few - 1) * stride + reach - many);
    };
    const std::int64_t reach_h = (kernel_h - 1) * o.dilation_h + 1, reach_w = (kernel_w - 1) * o.dilation_w + 1;
    const std::int64_t th =
        transposed ? total(g.out_h, g.in_h, o.stride_h, reach_h) : total(g.in_h, g.out_h, o.stride_h, reach_h);
    const std::int64_t tw =
        transposed ? total(g.out_w, g.in_w, o.stride_w, reach_w) : total(g.in_w, g.out_w, o.stride_w, reach_w);
    g.pad_top = th / 2, g.pad_left = tw / 2, g.pad_bottom = th - g.pad_top, g.pad_right = tw - g.pad_left;
  }
  return g;
}

}  // namespace dse::nn::floating
