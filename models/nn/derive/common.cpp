// What several derivations share.
#include "models/nn/graph/finish.h"
#include "models/nn/quantize.h"

namespace dse::nn {

void set_extents(dse_op& k, const Tensor::Image& in, const Tensor::Image& out) {
  k.rounding = DSE_ROUND_TFLITE;
  k.in_h = static_cast<std::int32_t>(in.h), k.in_w = static_cast<std::int32_t>(in.w),
  k.in_c = static_cast<std::int32_t>(in.c);
  k.out_h = static_cast<std::int32_t>(out.h), k.out_w = static_cast<std::int32_t>(out.w),
  k.out_c = static_cast<std::int32_t>(out.c);
  k.kernel_h = k.kernel_w = k.stride_h = k.stride_w = k.dilation_h = k.dilation_w = k.multiplier = 1;
}

void set_activation(Derivation& d) {
  const ActivationRange r = activation_range(d.op.options.activation, scale_of(d.output()), zero_of(d.output()),
                                             d.output().type, d.op.options.rounding);
  d.op.kernel.act_min = r.min;
  d.op.kernel.act_max = r.max;
}

}  // namespace dse::nn
