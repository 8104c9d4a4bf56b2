// A convolution's tile as kernels see it: pixels, output channels, and the window under each.
#pragma once
#include <algorithm>
#include <cstdint>

#include "models/hw/libraries/library_timing.h"
#include "program/view.h"

namespace dse::hw {

struct Windows {
  std::int64_t pixels = 0, channels = 0;  // outputs are pixels x channels
  std::int64_t taps = 1;                  // of the window
  std::int64_t depth = 0;                 // products per output: taps x input channels of a group
  std::int64_t overlap = 1;               // outputs in whose window a value of the input is, rounded up
  std::int64_t rows = 1;                  // of the input under a window
  std::int64_t input_rows = 1;
  bool direct = false;  // 1x1 with stride 1: the input is its own column

  /// The input's bytes are read once per window that they are under; between two such readings lie the rows of one.
  Readings under_taps(std::int64_t bytes) const { return {overlap, bytes * std::min(rows, input_rows) / input_rows}; }
};

/// Weights, and what requantises: the bytes that a call reads of them.
inline std::int64_t constant_bytes(const program::CallWork& work) {
  std::int64_t sum = 0;
  for (int i = 0; i < work.operand_count; ++i) {
    const auto& o = work.operands[static_cast<std::size_t>(i)];
    if (o.role == DSE_WEIGHTS || o.role == DSE_QPARAMS) sum += o.bytes;
  }
  return sum;
}

inline Windows windows_of(const program::CallWork& work) {
  const dse_op& op = *work.op;
  Windows w;
  w.pixels = program::length(work.tile.y) * program::length(work.tile.x), w.channels = program::length(work.tile.c);
  w.taps = std::max<std::int64_t>(1, std::int64_t{op.kernel_h} * op.kernel_w);
  w.depth = w.taps * program::length(work.tile.k) / std::max(1, op.groups);
  const std::int64_t strides = std::max<std::int64_t>(1, std::int64_t{op.stride_h} * op.stride_w);
  w.overlap = (w.taps + strides - 1) / strides;
  w.rows = std::max(1, (op.kernel_h - 1) * op.dilation_h + 1);
  w.input_rows = std::max<std::int64_t>(1, (program::length(work.tile.y) - 1) * op.stride_h + w.rows);
  w.direct = op.kernel_h == 1 && op.kernel_w == 1 && op.stride_h == 1 && op.stride_w == 1;
  return w;
}

}  // namespace dse::hw
