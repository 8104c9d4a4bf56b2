#include "models/hw/libraries/windows.h"

#include "base/units.h"

namespace dse::hw {

bool is_direct(const dse_op& op) {
  return op.kernel_h == 1 && op.kernel_w == 1 && op.stride_h == 1 && op.stride_w == 1;
}

Windows windows_of(const program::CallWork& work) {
  const dse_op& op = *work.op;
  Windows w;
  w.pixels = program::length(work.tile.y) * program::length(work.tile.x), w.channels = program::length(work.tile.c);
  w.taps = std::max<std::int64_t>(1, std::int64_t{op.kernel_h} * op.kernel_w);
  w.depth = w.taps * program::length(work.tile.k) / std::max(1, op.groups);
  w.overlap = ceil_div(w.taps, std::max<std::int64_t>(1, std::int64_t{op.stride_h} * op.stride_w));
  w.rows = std::max(1, (op.kernel_h - 1) * op.dilation_h + 1);
  w.input_rows = std::max<std::int64_t>(1, (program::length(work.tile.y) - 1) * op.stride_h + w.rows);
  w.direct = is_direct(op);
  return w;
}

std::int64_t constant_bytes(const program::CallWork& work) {
  std::int64_t sum = 0;
  for (int i = 0; i < work.operand_count; ++i) {
    const auto& o = work.operands[static_cast<std::size_t>(i)];
    if (o.role == DSE_WEIGHTS || o.role == DSE_QPARAMS) sum += o.bytes;
  }
  return sum;
}

Readings readings_of(const program::CallWork& work, int i, const Windows& windows, const LoopReadings& loops) {
  const auto& o = work.operands[static_cast<std::size_t>(i)];
  const bool constant = o.role == DSE_WEIGHTS || o.role == DSE_QPARAMS;
  if ((!constant && o.role != DSE_IN0)) return {};
  switch (work.op->kind) {
    case DSE_CONV_2D:
      if (constant) return loops.conv_constants;
      return windows.direct ? loops.direct_input : windows.under_taps(o.bytes);
    case DSE_DEPTHWISE_CONV_2D:
    case DSE_AVERAGE_POOL_2D:
      return constant ? loops.depthwise_constants : windows.under_taps(o.bytes);
    case DSE_FULLY_CONNECTED:
      return constant ? Readings{1, 0} : loops.dense_input;
    default:
      return {};
  }
}

}  // namespace dse::hw
