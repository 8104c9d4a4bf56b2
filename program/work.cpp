#include "program/work.h"

#include "base/units.h"
#include "program/view.h"

namespace dse::program {
namespace {

/// Windows count in full: kernels skip padding, but their published cycles are per nominal multiply-accumulate.
std::int64_t macs_of(const dse_op& op, const dse_tile& tile, std::int64_t outputs) {
  const std::int64_t window = std::int64_t{op.kernel_h} * op.kernel_w;
  switch (op.kind) {
    case DSE_CONV_2D:
      return outputs * window * length(tile.k);
    case DSE_DEPTHWISE_CONV_2D:
      return outputs * window;
    case DSE_FULLY_CONNECTED:
    case DSE_MATMUL:
      return outputs * length(tile.k);
    case DSE_TRANSPOSE_CONV:  // every input meets every tap: per output a stride's share of them
      return ceil_div(outputs * window * length(tile.k), std::int64_t{op.stride_h} * op.stride_w);
    case DSE_SVDF:
    case DSE_LSTM:
      return op.arg[DSE_ARG_MACS];
    default:
      return 0;
  }
}

std::int64_t elements_of(const dse_op& op, const dse_tile& tile, std::int64_t outputs) {
  switch (op.kind) {
    case DSE_MEAN:
    case DSE_REDUCE_MAX:
    case DSE_REDUCE_MIN:
    case DSE_ARG_MAX:
    case DSE_ARG_MIN:
      return std::int64_t{op.in_h} * op.in_w * op.in_c;
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
      return tile.flags & DSE_LAST ? outputs * op.kernel_h * op.kernel_w : 0;
    default:
      return tile.flags & DSE_LAST ? outputs : 0;
  }
}

}  // namespace

CallWork whole_call(const dse_op& op) {
  return call_on(op, {{0, op.out_h}, {0, op.out_w}, {0, op.out_c}, {0, op.in_c}, DSE_FIRST | DSE_LAST});
}

Arithmetic arithmetic_of(const CallWork& work) {
  const dse_op& op = *work.op;
  const dse_tile& tile = work.tile;
  const std::int64_t outputs = length(tile.y) * length(tile.x) * length(tile.c);
  Arithmetic a;
  a.macs = macs_of(op, tile, outputs);
  a.elements = elements_of(op, tile, outputs);
  a.wide = op.in_type == DSE_I16 || op.weight_type == DSE_I16;
  if (op.rounding == DSE_ROUND_QFORMAT) {
    const std::int64_t stored = tile.flags & DSE_LAST ? outputs : 0;
    if (op.arg[DSE_ARG_STORE] & DSE_STORE_SHIFTS) a.shifts = stored;
    if (op.arg[DSE_ARG_STORE] & DSE_STORE_CORRECTS) a.corrections = stored;
  }
  if (op.kind == DSE_BLACK_BOX) a.cycles = op.arg[DSE_ARG_CYCLES];
  return a;
}

}  // namespace dse::program
