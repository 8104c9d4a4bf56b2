#include "models/hw/libraries/loops/ne16.h"

#include "base/units.h"
#include "models/hw/libraries/windows.h"
#include "program/view.h"

namespace dse::hw {
namespace {

using program::length;

constexpr std::int64_t kSide = 3, kPatch = 5;  // pixels of a subtile, and of the patch under it
constexpr std::int64_t kInputs = 16, kOutputs = 32;
constexpr std::int64_t kWeightBits = 8;
constexpr std::int64_t kMultiplierBytes = 4, kMultipliers = 4, kShifters = 4, kAdders = 8;  // of each in a cycle
constexpr std::int64_t kWord = 32;  // bytes that its port moves in a cycle

/// Pixels of a subtile that are kept, in one dimension.
std::int64_t kept(const dse_op& op) { return op.stride_h == 2 ? 2 : kSide; }

/// Pixels in a row are a picture of any width to a convolution of 1x1: its strides are registers.
bool is_run(const dse_op& op) { return is_direct(op) && op.out_w == 1; }

std::int64_t subtiles_of(const dse_op& op, std::int64_t rows, std::int64_t columns) {
  if (is_run(op)) return ceil_div(rows, kSide * kSide);
  return ceil_div(rows, kept(op)) * ceil_div(columns, kept(op));
}

/// Of output channels in blocks: sum over blocks of ceil(each / by).
std::int64_t words_of(std::int64_t channels, std::int64_t block, std::int64_t by) {
  return channels / block * ceil_div(block, by) + ceil_div(channels % block, by);
}

LoopCounts job_counts(const program::CallWork& work, std::int64_t subtiles) {
  const dse_op& op = *work.op;
  const dse_tile& tile = work.tile;
  LoopCounts out(ne16_count_names().size());
  const auto at = [&out](Ne16Count c) -> std::int64_t& { return out[static_cast<std::size_t>(c)]; };
  const bool depthwise = op.kind == DSE_DEPTHWISE_CONV_2D, pointwise = !depthwise && op.kernel_h == 1;
  const std::int64_t channels = length(tile.c), block = depthwise ? kInputs : kOutputs;
  const std::int64_t blocks = ceil_div(channels, block);
  const std::int64_t depth = depthwise ? 1 : ceil_div(std::int64_t{length(tile.k)}, kInputs);
  const std::int64_t passes = subtiles * blocks * depth, pixels = pointwise ? kSide * kSide : kPatch * kPatch;
  at(Ne16Count::job) = op.stride_h == 2 ? subtiles : 1;
  at(pointwise ? Ne16Count::load_pointwise : Ne16Count::load) = passes;
  at(Ne16Count::load_pixel) = passes * pixels;
  at(Ne16Count::weight_offset) = at(Ne16Count::matrix_vector) = at(Ne16Count::next) = passes;
  at(Ne16Count::weight_offset_channel) = depthwise ? subtiles * channels : 0;
  at(Ne16Count::weight_word) = subtiles * depth * channels * (pointwise ? 1 : kWeightBits);
  const bool first = tile.flags & DSE_FIRST, last = depthwise || (tile.flags & DSE_LAST);
  const std::int64_t written = subtiles * blocks, sums = words_of(channels, block, kWord / 4);
  if (last) {
    at(Ne16Count::scale) = at(Ne16Count::bias) = written;
    at(Ne16Count::scale_channel) =
        subtiles * words_of(channels * kMultiplierBytes, block * kMultiplierBytes, kMultipliers);
    at(Ne16Count::shift_word) = subtiles * words_of(channels, block, kShifters);
    at(Ne16Count::bias_word) = subtiles * words_of(channels, block, kAdders);
  }
  at(Ne16Count::stream) = written;
  at(Ne16Count::stream_pixel) = subtiles * kSide * kSide * (last ? blocks : sums);
  if (!depthwise && !first) {
    at(Ne16Count::stream) += written;
    at(Ne16Count::stream_pixel) += subtiles * kSide * kSide * sums;
  }
  return out;
}

}  // namespace

const std::vector<std::string>& ne16_count_names() {
  static const std::vector<std::string> names = {
      "job",           "load",        "load_pointwise", "load_pixel",  "weight_offset", "weight_offset_channel",
      "matrix_vector", "weight_word", "next",           "scale",       "scale_channel", "shift_word",
      "bias",          "bias_word",   "stream",         "stream_pixel"};
  return names;
}

bool ne16_computes(const dse_op& op) {
  const bool depthwise = op.kind == DSE_DEPTHWISE_CONV_2D;
  if (!depthwise && op.kind != DSE_CONV_2D) return false;
  if (dse_type_bytes(op.in_type) != 1 || dse_type_bytes(op.weight_type) != 1 || dse_type_bytes(op.out_type) != 1)
    return false;
  if (depthwise ? op.multiplier > 1 : op.groups > 1) return false;
  if (op.kernel_h != op.kernel_w || !(op.kernel_h == 3 || (op.kernel_h == 1 && !depthwise))) return false;
  if (op.kernel_h > 1 && (op.dilation_h > 1 || op.dilation_w > 1)) return false;
  if (op.stride_h != op.stride_w || op.stride_h > 2) return false;
  return op.stride_h < 2 || op.out_c % 2 == 0;
}

Ne16::Ne16(const Engine& e) : CountedLibrary(e, ne16_count_names(), {}) {}

LoopCounts Ne16::counts(const program::CallWork& work) {
  if (!ne16_computes(*work.op)) return {};
  return job_counts(work, subtiles_of(*work.op, length(work.tile.y), length(work.tile.x)));
}

// Each count is a product of parts that are rounded up, so parts of a cut have no fewer of any; rows of 1x1 may be
// taken for a run of pixels, of which a subtile holds nine. A sum over all input channels is requantised and written
// once.
std::int64_t Ne16::least(const program::CallWork& work, LoopCounts counts) const {
  const dse_op& op = *work.op;
  if (is_direct(op) && op.kind == DSE_CONV_2D) {
    const std::int64_t pixels = std::int64_t{length(work.tile.y)} * length(work.tile.x);
    counts = job_counts(work, ceil_div(pixels, kSide * kSide));
  }
  return price(counts);
}

}  // namespace dse::hw
