#include "plan/npu/emulate/coded.h"

#include <algorithm>

namespace dse::plan::npu {

bool as_a_whole(nn::OperatorKind kind, bool several) {
  switch (nn::family_of(kind)) {
    case nn::OperatorFamily::convolution:
    case nn::OperatorFamily::transpose_conv:
    case nn::OperatorFamily::fully_connected:
    case nn::OperatorFamily::pool:
    case nn::OperatorFamily::global_pool:
    case nn::OperatorFamily::binary:
    case nn::OperatorFamily::unary:
    case nn::OperatorFamily::concatenation:
    case nn::OperatorFamily::split:
      return false;
    case nn::OperatorFamily::resize:
      return several;
    default:
      return true;
  }
}

dse_npu_coded coded_of(const Operation& operation, const nn::Operator& source, const hw::ethos_u::Accelerator& a,
                       const hw::ethos_u::BlockConfig& block, std::size_t zeros) {
  const Weights& w = *operation.weights;
  return {.h = w.h,
          .w = w.w,
          .in = w.depthwise ? 1 : w.in,
          .out = w.out,
          .block_depth = std::min(block.ofm.c, w.out),
          .ifm_ublock = a.ifm_ublock_depth,
          .ofm_ublock = block.ublock.c,
          .cores = a.cores,
          .most_h = hw::ethos_u::kSubKernel / w.dilation_h,
          .most_w = hw::ethos_u::kSubKernel / w.dilation_w,
          .depthwise = w.depthwise ? 1 : 0,
          .input_bits = w.input_bits,
          .own_h = w.own.h,
          .own_w = w.own.w,
          .own_in = w.own.in,
          .before = w.own.before,
          .by = w.own.by,
          .gap_h = w.own.gap_h,
          .gap_w = w.own.gap_w,
          .backwards = w.own.backwards ? 1 : 0,
          .acc_bytes = source.kernel.acc_bytes,
          .zeros = static_cast<std::int32_t>(zeros)};
}

}  // namespace dse::plan::npu
