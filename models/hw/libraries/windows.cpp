#include "models/hw/libraries/windows.h"

#include "base/units.h"

namespace dse::hw {
namespace {

/// Rows or columns of windows.
struct Axis {
  std::int64_t out, in, taps, stride, dilation, pad;

  /// Of the outputs from..to-1 those whose window has this tap inside.
  std::int64_t inside(std::int64_t tap, std::int64_t from, std::int64_t to) const {
    const std::int64_t before = pad - tap * dilation;  // output o looks at input o * stride - before
    if (in + before <= 0) return 0;
    const std::int64_t first = before > 0 ? ceil_div(before, stride) : 0, end = (in - 1 + before) / stride + 1;
    return std::max<std::int64_t>(0, std::min(to, end) - std::max(from, first));
  }
  std::int64_t inside(const dse_span& outputs) const {
    std::int64_t sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) sum += inside(tap, outputs.lo, outputs.hi);
    return sum;
  }
  /// Of `n` outputs in a row, wherever they begin. Towards the middle of the image the windows over them gain taps,
  /// from there on they lose some, so it is at one of the ends; but where taps lie apart, that holds for each alone.
  std::int64_t fewest(std::int64_t n) const {
    std::int64_t first = 0, last = 0, each = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t f = inside(tap, 0, n), l = inside(tap, out - n, out);
      first += f, last += l, each += std::min(f, l);
    }
    return dilation == 1 ? std::min(first, last) : each;
  }
};

std::int64_t at_least_one(std::int32_t n) { return std::max<std::int32_t>(1, n); }

Axis rows_of(const dse_op& op) {
  return {op.out_h,  op.in_h, at_least_one(op.kernel_h), at_least_one(op.stride_h), at_least_one(op.dilation_h),
          op.pad_top};
}
Axis columns_of(const dse_op& op) {
  return {op.out_w,   op.in_w, at_least_one(op.kernel_w), at_least_one(op.stride_w), at_least_one(op.dilation_w),
          op.pad_left};
}

}  // namespace

std::int64_t taps_inside(const program::CallWork& work) {
  return rows_of(*work.op).inside(work.tile.y) * columns_of(*work.op).inside(work.tile.x);
}

std::int64_t fewest_taps_inside(const program::CallWork& work) {
  return rows_of(*work.op).fewest(program::length(work.tile.y)) *
         columns_of(*work.op).fewest(program::length(work.tile.x));
}

bool is_direct(const dse_op& op) {
  return op.kernel_h == 1 && op.kernel_w == 1 && op.stride_h == 1 && op.stride_w == 1;
}

Windows windows_of(const program::CallWork& work) {
  const dse_op& op = *work.op;
  Windows w;
  w.pixels = program::length(work.tile.y) * program::length(work.tile.x), w.channels = program::length(work.tile.c);
  w.taps = std::max<std::int64_t>(1, std::int64_t{op.kernel_h} * op.kernel_w);
  w.depth = w.taps * program::length(work.tile.k);
  if (op.kind == DSE_CONV_2D && op.groups > 1 && w.channels > 0) {
    const int each = op.out_c / op.groups;
    w.groups = (work.tile.c.hi - 1) / each - work.tile.c.lo / each + 1;
  }
  w.overlap = ceil_div(w.taps, std::max<std::int64_t>(1, std::int64_t{op.stride_h} * op.stride_w));
  w.rows = std::max(1, (op.kernel_h - 1) * op.dilation_h + 1);
  w.input_rows = std::max<std::int64_t>(1, (program::length(work.tile.y) - 1) * op.stride_h + w.rows);
  w.direct = is_direct(op);
  return w;
}

Windows cmsis_windows_of(const program::CallWork& work) {
  auto w = windows_of(work);
  w.direct = w.direct && !program::arithmetic_of(work).wide;
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
