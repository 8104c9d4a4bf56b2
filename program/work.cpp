#include "program/work.h"

#include "base/units.h"
#include "models/nn/kernels/dse_batches.h"
#include "models/nn/kernels/dse_circulant.h"
#include "models/nn/kernels/dse_factors.h"
#include "models/nn/kernels/dse_technique.h"
#include "program/view.h"

namespace dse::program {
namespace {

/// How many taps of the outputs [span) meet inputs, where a stride divides; padding counts in full.
std::int64_t meeting_taps(dse_span span, std::int64_t stride, std::int64_t pad, std::int64_t taps) {
  std::int64_t sum = 0;
  for (std::int64_t residue = 0; residue < stride; ++residue) {
    // outputs o of the span with (o + pad) mod stride == residue
    const std::int64_t shift = ((span.lo + pad - residue) % stride + stride) % stride;
    const std::int64_t first = shift == 0 ? 0 : stride - shift, n = span.hi - span.lo;
    const std::int64_t outputs = first < n ? (n - 1 - first) / stride + 1 : 0;
    sum += outputs * (residue < taps ? (taps - 1 - residue) / stride + 1 : 0);
  }
  return sum;
}

/// Rows that the windows of so many outputs lie in.
std::int64_t window_rows(const dse_op& op, std::int64_t outputs) {
  return (outputs - 1) * op.stride_h + std::int64_t{op.kernel_h - 1} * op.dilation_h + 1;
}

/// Products and bytes of a technique other than the direct one.
void add_technique(const dse_op& op, const dse_tile& tile, Arithmetic& a) {
  const std::int64_t rows = length(tile.y), columns = length(tile.x), channels = length(tile.c), depth = length(tile.k);
  const std::int64_t window = std::int64_t{op.kernel_h} * op.kernel_w, element = dse_type_bytes(op.in_type);
  if (rows <= 0 || columns <= 0 || channels <= 0) return;
  switch (dse_technique_of(&op)) {
    case DSE_IM2ROW:
    case DSE_IM2ROW_BY_ROW:
      a.arranged = rows * columns * window * depth * element;
      break;
    case DSE_WINOGRAD: {  // inputs and filters as 16 values of 2 bytes each, sums as 16 of 4
      const std::int64_t blocks = ceil_div(rows, std::int64_t{2}) * ceil_div(columns, std::int64_t{2});
      a.macs = 16 * blocks * channels * depth;
      a.arranged = 32 * depth * (blocks + channels) + 64 * blocks * channels;
      break;
    }
    case DSE_ZERO_INSERTION:
      a.macs = rows * columns * channels * window * depth;
      a.arranged = (rows + op.kernel_h - 1) * (columns + op.kernel_w - 1) * depth * element;
      break;
    case DSE_SUB_PIXEL:
      a.macs = meeting_taps(tile.y, op.stride_h, op.pad_top, op.kernel_h) *
               meeting_taps(tile.x, op.stride_w, op.pad_left, op.kernel_w) * channels * depth;
      break;
    case DSE_SEPARABLE: {
      const std::int64_t sums = window_rows(op, rows) * columns * channels;
      a.macs = sums * op.kernel_w + rows * columns * channels * op.kernel_h;
      a.arranged = 4 * sums;
      break;
    }
    default:
      break;
  }
}

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
    case DSE_CIRCULANT:
      return op.arg[DSE_ARG_DOMAIN] == DSE_TIME ? outputs * window * op.in_c : 0;
    case DSE_SVDF:
    case DSE_LSTM:
      return op.arg[DSE_ARG_MACS];
    default:
      return 0;
  }
}

/// A transform per block of each input pixel, and one back per row of blocks of each output pixel.
void add_transforms(const dse_op& op, const dse_tile& tile, Arithmetic& a) {
  const dse_box in = dse_operand_box(&op, &tile, DSE_IN0);
  const std::int64_t b = op.arg[DSE_ARG_BLOCK], q = dse_block_columns(&op);
  const std::int64_t p = tile.c.hi > tile.c.lo ? (tile.c.hi - 1) / b - tile.c.lo / b + 1 : 0;
  const std::int64_t pixels = length(tile.y) * length(tile.x);
  a.transform = b;
  a.transforms = length(in.h) * op.in_w * q + pixels * p;
  a.spectrum_macs = pixels * p * q * op.kernel_h * op.kernel_w * (b / 2);
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
  const int depth = op.kind == DSE_CONV_2D && op.groups > 1 ? op.in_c / op.groups : op.in_c;  // of a group
  return call_on(op, {{0, op.out_h}, {0, op.out_w}, {0, op.out_c}, {0, depth}, DSE_FIRST | DSE_LAST});
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
  if (op.kind == DSE_CIRCULANT && op.arg[DSE_ARG_DOMAIN] == DSE_FREQUENCY) add_transforms(op, tile, a);
  if (dse_technique_of(&op) != DSE_DIRECT) add_technique(op, tile, a);
  if (dse_takes_factors(op.kind) && dse_in_factors(&op) > 0)  // the sum of each tap is shifted by its factor
    a.shifts += outputs * op.kernel_h * op.kernel_w;
  if (dse_takes_factors(op.kind) && dse_out_factors(&op) > 0) a.measured = tile.flags & DSE_LAST ? outputs : 0;
  if (dse_batches_of(&op) > 0) {
    const bool last = op.kind == DSE_DEPTHWISE_CONV_2D || (tile.flags & DSE_LAST);
    a.rescaled = last ? outputs : 0;  // of several steps the last rescales all that they summed, as one batch
    a.batch = last ? dse_batch_outputs(&op, &tile) : 0;
    if (a.batch == 0) a.batch = a.rescaled;
    a.ahead = op.arg[DSE_ARG_BATCH_BUFFERS] == 2;
  }
  if (op.kind == DSE_BLACK_BOX) a.cycles = op.arg[DSE_ARG_CYCLES];
  return a;
}

}  // namespace dse::program
