// Windows over images: strides, padding, extents; batches.
#include <fmt/format.h>

#include "models/nn/derive/products/weighted.h"
#include "models/nn/graph/views.h"
#include "models/nn/quantize.h"

namespace dse::nn {

std::optional<Placement> place_window(Derivation& d, std::int64_t in, std::int64_t kernel, int stride, int dilation,
                                      int pad_before, int pad_after) {
  const OperatorOptions& o = d.op.options;
  const auto unfit = [&] {
    d.fail(fmt::format("kernel of {} does not fit into the input {}", (kernel - 1) * dilation + 1,
                       text_of(d.input(0).shape)));
    return std::nullopt;
  };
  if (!o.explicit_padding) {
    const Window w = window(in, kernel, stride, dilation, o.same_padding);
    return w.out < 1 ? unfit() : std::optional<Placement>({w.out, w.pad_before});
  }
  if (pad_before < 0 || pad_after < 0 || pad_before > max_window || pad_after > max_window) {
    d.fail(fmt::format("padding {}, {} is not within 0 to {}", pad_before, pad_after, max_window));
    return std::nullopt;
  }
  const std::int64_t room = in + pad_before + pad_after - ((kernel - 1) * dilation + 1);
  if (room < 0) return unfit();
  std::int64_t out = room / stride + 1;
  // A last, partial window, unless it would begin behind the image.
  if (o.ceil_mode && room % stride != 0 && out * stride < in + pad_before) ++out;
  return Placement{out, pad_before};
}

bool derive_image(Derivation& d, int index, const char* role) {
  const auto& shape = d.tensor(index).shape;
  if (d.op.options.channels_first)
    return d.fail(
        fmt::format("{} '{}' is [N, C, H, W]; integers are computed channels last", role, d.tensor(index).name));
  if (shape.size() == 4) return true;
  return d.fail(fmt::format("{} '{}' has shape {}, not [N, H, W, C]", role, d.tensor(index).name, text_of(shape)));
}

bool derive_window(Derivation& d, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t out_c) {
  const OperatorOptions& o = d.op.options;
  const auto& in = d.input(0).shape;
  if (kernel_h < 1 || kernel_w < 1 || kernel_h > max_window || kernel_w > max_window)
    return d.fail(fmt::format("kernel {} x {} is not within 1 to {}", kernel_h, kernel_w, max_window));
  if ((kernel_h - 1) * o.dilation_h >= max_elements || (kernel_w - 1) * o.dilation_w >= max_elements)
    return d.fail(fmt::format("kernel {} x {} with dilation {} x {} is too large", kernel_h, kernel_w, o.dilation_h,
                              o.dilation_w));
  const auto h = place_window(d, in[1], kernel_h, o.stride_h, o.dilation_h, o.pad_top, o.pad_bottom);
  if (!h) return false;
  const auto w = place_window(d, in[2], kernel_w, o.stride_w, o.dilation_w, o.pad_left, o.pad_right);
  if (!w || !d.output_is({in[0], h->out, w->out, out_c})) return false;
  dse_op& k = d.op.kernel;
  const auto i32 = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  k.in_h = i32(in[1]), k.in_w = i32(in[2]), k.in_c = i32(in[3]);
  k.out_h = i32(h->out), k.out_w = i32(w->out), k.out_c = i32(out_c);
  k.kernel_h = i32(kernel_h), k.kernel_w = i32(kernel_w);
  k.stride_h = o.stride_h, k.stride_w = o.stride_w;
  k.dilation_h = o.dilation_h, k.dilation_w = o.dilation_w;
  k.pad_top = i32(h->before), k.pad_left = i32(w->before);
  k.multiplier = 1;
  return true;
}

bool call_per_image(Derivation& d) {
  const std::int64_t batch = d.input(0).shape[0];
  constexpr std::int64_t most = 4096;
  if (batch > most) return d.fail(fmt::format("batch {} is more than {} images", batch, most));
  add_plain_call(d.network, d.op);
  const KernelCall first = d.op.calls.front();
  const std::int64_t in = d.input(0).bytes() / batch, out = d.output().bytes() / batch;
  for (std::int64_t image = 1; image < batch; ++image) {
    KernelCall call = first;
    call.operands[DSE_IN0].offset = image * in;
    call.operands[DSE_OUT].offset = image * out;
    d.op.calls.push_back(call);
  }
  return true;
}

}  // namespace dse::nn
