// CIRCULANT_FULLY_CONNECTED, CIRCULANT_CONV_2D: products of block-circulant weights (kernels/dse_circulant.h).
#include <fmt/format.h>

#include "models/nn/circulant/layer.h"
#include "models/nn/derive/products/weighted.h"
#include "models/nn/graph/calls.h"
#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

bool derive_circulant_types(Derivation& d) {
  using enum DataType;
  const DataType x = d.input(0).type, w = d.input(1).type, y = d.output().type;
  const OperatorOptions& o = d.op.options;
  if (o.rounding == Rounding::onnx) return d.fail("circulant layers have no rounding mode onnx");
  const bool q_format = o.rounding == Rounding::qformat;
  if (!d.quantized(d.op.inputs[0], "input", {int8, int16})) return false;
  if (q_format ? !d.quantized(d.op.outputs[0], "output", {int8, int16}) : !d.quantized(d.op.outputs[0], "output", {x}))
    return false;
  const bool known = o.spectral ? w == int16 : w == int8 || (q_format && w == int16);
  if (!known)
    return d.fail(fmt::format("weights '{}' of type {} do not go with {} activations in the {} domain", d.input(1).name,
                              name_of(w), name_of(x), o.spectral ? "frequency" : "time"));
  dse_op& k = d.op.kernel;
  k.rounding = static_cast<std::int32_t>(o.rounding);
  k.correction = static_cast<std::int32_t>(o.correction);
  k.in_type = kernel_type(x), k.weight_type = kernel_type(w), k.out_type = kernel_type(y);
  k.in_zero = zero_of(d.input(0)), k.out_zero = zero_of(d.output());
  k.acc_bytes = o.spectral || x == int16 || w == int16 ? 8 : 4;
  if (!q_format) return true;
  for (const int t : {d.op.inputs[0], d.op.outputs[0]})
    if (!fraction_bits(scale_of(d.tensor(t))) || zero_of(d.tensor(t)) != 0)
      return d.fail(fmt::format("'{}' has scale {} and zero point {}, no Q format", d.tensor(t).name,
                                scale_of(d.tensor(t)), zero_of(d.tensor(t))));
  return true;
}

bool derive_blocks(Derivation& d, const circulant::Blocks& s) {
  const auto& w = d.input(1).shape;
  if (d.op.kind == OperatorKind::circulant_conv_2d) {
    if (!derive_image(d, d.op.inputs[0], "input") || !derive_image(d, d.op.outputs[0], "output")) return false;
    if (w.size() != 5) return d.fail(fmt::format("weights have shape {}, not [p, h, w, q, b]", text_of(w)));
    if (!derive_window(d, w[1], w[2], s.out)) return false;
  } else {
    if (w.size() != 3) return d.fail(fmt::format("weights have shape {}, not [p, q, b]", text_of(w)));
    const std::int64_t rows = d.input(0).elements() / s.in;
    if (d.output().elements() != rows * s.out)
      return d.fail(fmt::format("output '{}' has shape {}, but the operator makes {} rows of {}", d.output().name,
                                text_of(d.output().shape), rows, s.out));
    set_extents(d.op.kernel, {rows, 1, s.in}, {rows, 1, s.out});
    d.op.kernel.rounding = static_cast<std::int32_t>(d.op.options.rounding);
  }
  const bool conv = d.op.kind == OperatorKind::circulant_conv_2d;
  if (w != circulant::weights_shape(s, conv ? w[1] : 1, conv ? w[2] : 1, conv))
    return d.fail(fmt::format("weights {} are not {} x {} blocks of {} for {} and {} channels", text_of(w), s.p(),
                              s.q(), s.size, s.in, s.out));
  return true;
}

}  // namespace

bool derive_circulant(Derivation& d) {
  if (const auto why = circulant::why_no_block(d.op.options.block, d.op.options.spectral); !why.empty())
    return d.fail(why);
  if (!derive_circulant_types(d)) return false;
  const circulant::Blocks s = circulant::blocks_of(d.network, d.op);
  if (!derive_blocks(d, s)) return false;
  dse_op& k = d.op.kernel;
  k.kind = DSE_CIRCULANT;
  k.arg[DSE_ARG_BLOCK] = static_cast<std::int32_t>(s.size);
  k.arg[DSE_ARG_DOMAIN] = d.op.options.spectral ? DSE_FREQUENCY : DSE_TIME;
  if (!derive_channel_params(d, s.out, 0)) return false;
  if (!dse_op_is_sane(&k)) return d.fail("the layer is too large for its kernel");
  d.op.weights = d.input(1).data;
  d.op.macs = d.output().elements() * s.taps * s.in;
  const std::int64_t batch = d.op.kind == OperatorKind::circulant_conv_2d ? d.input(0).shape[0] : 1;
  constexpr std::int64_t most = 4096;
  if (batch > most) return d.fail(fmt::format("batch {} is more than {} images", batch, most));
  const auto bytes = [](int type) { return std::int64_t{dse_type_bytes(type)}; };
  const std::int64_t in = std::int64_t{k.in_h} * k.in_w * k.in_c, out = std::int64_t{k.out_h} * k.out_w * k.out_c;
  for (std::int64_t image = 0; image < batch; ++image) {
    KernelCall call;
    call.op = k;
    call.tile = {{0, k.out_h}, {0, k.out_w}, {0, k.out_c}, {0, k.in_c}, DSE_FIRST | DSE_LAST};
    call.operands[DSE_IN0] =
        bound(d.op.inputs[0], dense_view({k.in_h, k.in_w, k.in_c}, bytes(k.in_type)), image * in * bytes(k.in_type));
    call.operands[DSE_OUT] = bound(d.op.outputs[0], dense_view({k.out_h, k.out_w, k.out_c}, bytes(k.out_type)),
                                   image * out * bytes(k.out_type));
    call.operands[DSE_WEIGHTS] = own(dense_view({s.p(), s.taps, s.q() * s.size}, bytes(k.weight_type)));
    call.operands[DSE_QPARAMS] = own(dense_view({k.out_c, 1, 1}, dse_record_bytes(&k)));
    d.op.calls.push_back(call);
  }
  return true;
}

}  // namespace dse::nn
