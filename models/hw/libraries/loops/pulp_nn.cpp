#include "models/hw/libraries/loops/pulp_nn.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/libraries/windows.h"
#include "program/view.h"

namespace dse::hw {
namespace {

using program::length;

constexpr std::size_t at(PulpCount c) { return static_cast<std::size_t>(c); }

/// Loads and products of one step of pulp_nn_matmul and of the loops over an odd pixel, of four products or of one.
constexpr int kStepOfFourByTwo = 14, kStepOfOneByTwo = 5, kStepOfOne = 3;
constexpr int kProductsOfBlock = 32;

bool counted(const program::CallWork& work) {
  const dse_op& op = *work.op;
  if (program::arithmetic_of(work).wide) return false;
  return (op.kind == DSE_CONV_2D && op.groups <= 1) || op.kind == DSE_DEPTHWISE_CONV_2D ||
         op.kind == DSE_FULLY_CONNECTED;
}

/// Products of a sum in steps: fours, then one by one.
std::int64_t steps_of(std::int64_t products) { return products / 4 + products % 4; }

struct Pixels {
  std::int64_t pairs = 0, odd = 0;
  std::int64_t border = 0;  // of all() those whose windows reach into padding
  std::int64_t all() const { return 2 * pairs + odd; }
};

/// Output rows (columns) from `from` on, `n` of them, among the first and the last `pads` of all.
std::int64_t at_the_ends(std::int64_t from, std::int64_t n, std::int64_t all, std::int64_t before, std::int64_t after) {
  return std::min(n, std::max<std::int64_t>(0, before - from)) +
         std::min(n, std::max<std::int64_t>(0, from + n - (all - after)));
}

/// `rows` of a tile of `width` in one core's hands, `columns` of them each. The kernels tell borders apart by output
/// rows and columns, as many on each side as there are pads. Of the cores at both ends the one with more is meant.
std::int64_t border_pixels(const dse_op& op, const dse_tile& tile, std::int64_t rows, std::int64_t columns) {
  const auto pads = [](std::int64_t out, std::int64_t stride, std::int64_t kernel, std::int64_t before,
                       std::int64_t in) {
    return std::max<std::int64_t>(0, (out - 1) * stride + kernel - before - in);
  };
  const std::int64_t below = pads(op.out_h, op.stride_h, op.kernel_h, op.pad_top, op.in_h);
  const std::int64_t right = pads(op.out_w, op.stride_w, op.kernel_w, op.pad_left, op.in_w);
  const auto ends = [&](std::int64_t from) {
    return std::min(rows, at_the_ends(from, rows, op.out_h, op.pad_top, below));
  };
  const std::int64_t whole = std::max(ends(tile.y.lo), ends(std::max<std::int64_t>(tile.y.lo, tile.y.hi - rows)));
  const std::int64_t sides = std::min(columns, at_the_ends(tile.x.lo, length(tile.x), op.out_w, op.pad_left, right));
  return whole * columns + (rows - whole) * sides;
}

/// Of the core that has most. Ho: rows in equal chunks, pairs go on over the ends of rows. HoWo: twice the chunk of
/// rows, each in two halves; pairs end with the row. Pointwise convolutions take HoWo where rows do not divide. DORY
/// calls Ho for others and cuts its tiles in columns so that they have rows for all cores; a plan cuts rows alone, and
/// takes HoWo for a tile of fewer rows than cores whose image has more. An image of one column is a block of pixels in
/// a row, which is handed out in equal parts.
Pixels pixels_of_a_core(const dse_op& op, const dse_tile& tile, int cores) {
  const std::int64_t rows = length(tile.y), width = length(tile.x), chunk = ceil_div(rows, std::int64_t{cores});
  const bool halves = rows % cores != 0 && width > 1;
  const std::int64_t twice = halves ? ceil_div(rows, std::int64_t{cores / 2}) : chunk;
  const std::int64_t half = halves ? ceil_div(width, std::int64_t{2}) : width;
  if (is_direct(op) && width > 1) return {twice * (half / 2), twice * (half % 2), 0};
  if (is_direct(op)) return {chunk / 2, chunk % 2, 0};
  if (halves && rows < cores && op.out_h >= cores)
    return {twice * (half / 2), twice * (half % 2), border_pixels(op, tile, twice, half)};
  return {chunk * width / 2, chunk * width % 2, border_pixels(op, tile, chunk, width)};
}

/// Input channels of a convolution's tile times its taps.
std::int64_t depth_of(const dse_op& op, const dse_tile& tile) {
  return std::int64_t{op.kernel_h} * op.kernel_w * length(tile.k);
}

/// Rows of the input under a depthwise tile, padding among them: the kernel copies all of them, column by column.
std::int64_t window_rows(const dse_op& op, std::int64_t rows) { return (rows - 1) * op.stride_h + op.kernel_h; }

std::int64_t depthwise_steps(const dse_op& op) {
  const std::int64_t taps = std::int64_t{op.kernel_h} * op.kernel_w;
  return std::max<std::int64_t>(1, taps / 4) + taps % 4;  // its loop of fours runs once at least
}

std::int64_t words(std::int64_t bytes) { return ceil_div(bytes, std::int64_t{4}); }

}  // namespace

const std::vector<std::string>& pulp_count_names() {
  static const std::vector<std::string> names = {"conv_block",       "conv_rest",   "im2col",        "im2col_run",
                                                 "conv_call",        "conv_output", "depthwise_row", "depthwise_step",
                                                 "depthwise_output", "dense_step",  "dense_output"};
  return names;
}

PulpNn::PulpNn(const Engine& e) : CountedLibrary(e, pulp_count_names(), {}), cores_(std::max(1, e.cores)) {}

LoopCounts PulpNn::counts(const program::CallWork& work, int cores) {
  if (!counted(work)) return {};
  LoopCounts out(pulp_count_names().size());
  const dse_op& op = *work.op;
  const dse_tile& tile = work.tile;
  const bool last = tile.flags & DSE_LAST;
  const std::int64_t rows = length(tile.y), width = length(tile.x), channels = length(tile.c);
  const std::int64_t share = ceil_div(channels, std::int64_t{cores});  // where cores divide channels among them
  if (op.kind == DSE_CONV_2D) {
    const auto pixels = pixels_of_a_core(op, tile, cores);
    const std::int64_t depth = depth_of(op, tile), run = op.kernel_w * length(tile.k);
    const std::int64_t fours = pixels.pairs * (channels / 4), ones = pixels.pairs * (channels % 4);
    out[at(PulpCount::conv_block)] = fours * (depth / 4);
    out[at(PulpCount::conv_rest)] = fours * (depth % 4) * kStepOfFourByTwo +
                                    (ones * kStepOfOneByTwo + pixels.odd * channels * kStepOfOne) * steps_of(depth);
    if (!is_direct(op)) {
      const std::int64_t inside = pixels.all() - pixels.border;
      out[at(PulpCount::im2col)] =
          op.kernel_h * (inside * steps_of(run) + pixels.border * op.kernel_w * steps_of(length(tile.k)));
      out[at(PulpCount::im2col_run)] = op.kernel_h * (inside + pixels.border * op.kernel_w);
    }
    out[at(PulpCount::conv_call)] = pixels.pairs + pixels.odd;
    out[at(PulpCount::conv_output)] = last ? pixels.all() * channels : 0;
  } else if (op.kind == DSE_DEPTHWISE_CONV_2D) {
    out[at(PulpCount::depthwise_row)] = share * width * window_rows(op, rows) * words(op.kernel_w);
    out[at(PulpCount::depthwise_step)] = share * width * rows * depthwise_steps(op);
    out[at(PulpCount::depthwise_output)] = share * width * rows;
  } else {
    out[at(PulpCount::dense_step)] = rows * width * share * steps_of(length(tile.k));
    out[at(PulpCount::dense_output)] = last ? rows * width * share : 0;
  }
  return out;
}

// A core has at least the mean of what all have, and each part is rounded up by itself. Steps that take four products
// at once are the fewest; a step of one channel and two pixels has the fewest loads and products for its eight.
std::int64_t PulpNn::least(const program::CallWork& work, LoopCounts) const {
  const dse_op& op = *work.op;
  const dse_tile& tile = work.tile;
  const std::int64_t cores = cores_, rows = length(tile.y);
  const std::int64_t pixels = rows * length(tile.x), outputs = pixels * length(tile.c);
  const std::int64_t requantised = tile.flags & DSE_LAST ? outputs : 0;
  if (op.kind == DSE_CONV_2D) {
    const std::int64_t depth = depth_of(op, tile);
    const std::int64_t products =
        std::min(price(at(PulpCount::conv_block), outputs * depth, kProductsOfBlock * cores),
                 price(at(PulpCount::conv_rest), outputs * depth * kStepOfOneByTwo, 8 * cores));
    const std::int64_t calls = price(at(PulpCount::conv_call), pixels, 2 * cores);
    if (is_direct(op)) return products + calls + price(at(PulpCount::conv_output), requantised, cores);
    return products + calls + price(at(PulpCount::im2col), pixels * depth, 4 * cores) +
           price(at(PulpCount::im2col_run), pixels * op.kernel_h, cores) +
           price(at(PulpCount::conv_output), requantised, cores);
  }
  if (op.kind == DSE_DEPTHWISE_CONV_2D) {
    // Rows of the input are copied again for each part of the rows, unless a stride leaves some between them.
    const std::int64_t copied = std::min(window_rows(op, rows), rows * op.kernel_h) * words(op.kernel_w);
    return price(at(PulpCount::depthwise_row), length(tile.c) * length(tile.x) * copied, cores) +
           price(at(PulpCount::depthwise_step), outputs * depthwise_steps(op), cores) +
           price(at(PulpCount::depthwise_output), outputs, cores);
  }
  return price(at(PulpCount::dense_step), outputs * length(tile.k), 4 * cores) +
         price(at(PulpCount::dense_output), requantised, cores);
}

}  // namespace dse::hw
