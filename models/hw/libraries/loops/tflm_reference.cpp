#include "models/hw/libraries/loops/tflm_reference.h"

#include "models/hw/libraries/windows.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(ReferenceCount c) { return static_cast<std::size_t>(c); }

/// `inside`: taps of all windows that are inside the image.
LoopCounts counts_of(const program::CallWork& work, std::int64_t inside) {
  const auto a = program::arithmetic_of(work);
  LoopCounts out(reference_count_names().size(), a.wide);
  const auto w = windows_of(work);
  const bool last = work.tile.flags & DSE_LAST;
  switch (work.op->kind) {
    case DSE_CONV_2D:
      out[at(ReferenceCount::conv_mac)] = inside * w.channels * program::length(work.tile.k);
      out[at(ReferenceCount::conv_tap)] = w.pixels * w.channels * w.taps;
      out[at(ReferenceCount::conv_output)] = a.elements;
      return out;
    case DSE_DEPTHWISE_CONV_2D:
      out[at(ReferenceCount::depthwise_mac)] = inside * w.channels;
      out[at(ReferenceCount::depthwise_tap)] = w.pixels * w.channels * w.taps;
      out[at(ReferenceCount::depthwise_output)] = a.elements;
      return out;
    case DSE_FULLY_CONNECTED:
      out[at(ReferenceCount::dense_mac)] = a.macs, out[at(ReferenceCount::dense_output)] = a.elements;
      return out;
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D: {
      const bool average = work.op->kind == DSE_AVERAGE_POOL_2D;
      out[at(ReferenceCount::pool_element)] = last ? inside * w.channels : 0;
      out[at(average ? ReferenceCount::pool_output : ReferenceCount::max_pool_output)] =
          last ? w.pixels * w.channels : 0;
      return out;
    }
    default:
      return {};
  }
}

}  // namespace

const std::vector<std::string>& reference_count_names() {
  static const std::vector<std::string> names = {"conv_mac",      "conv_tap",         "conv_output",    "depthwise_mac",
                                                 "depthwise_tap", "depthwise_output", "dense_mac",      "dense_output",
                                                 "pool_element",  "pool_output",      "max_pool_output"};
  return names;
}

LoopCounts TflmReference::counts(const program::CallWork& work) { return counts_of(work, taps_inside(work)); }

std::int64_t TflmReference::least(const program::CallWork& work, LoopCounts) const {
  return price(counts_of(work, fewest_taps_inside(work)));
}

Readings TflmReference::readings(const program::CallWork& work, int i) const {
  const auto a = program::arithmetic_of(work);
  if (a.wide && !counts_16_bits()) return {};
  const auto& o = work.operands[static_cast<std::size_t>(i)];
  const bool constant = o.role == DSE_WEIGHTS || o.role == DSE_QPARAMS;
  if (!constant && o.role != DSE_IN0) return {};
  const auto w = windows_of(work);
  if (constant) {
    const bool windows = work.op->kind == DSE_CONV_2D || work.op->kind == DSE_DEPTHWISE_CONV_2D;
    if (!windows && work.op->kind != DSE_FULLY_CONNECTED) return {};
    return {w.pixels, constant_bytes(work)};
  }
  // Between two readings by neighbouring channels lie a window, or a row of the input, and as much of the weights.
  const std::int64_t apart = w.depth * (a.wide ? 3 : 2);
  switch (work.op->kind) {
    case DSE_CONV_2D:
      return {w.overlap * w.channels, apart};
    case DSE_FULLY_CONNECTED:
      return {w.channels, apart};
    case DSE_DEPTHWISE_CONV_2D: {
      auto of_taps = w.under_taps(o.bytes);
      of_taps.times *= std::max(1, work.op->multiplier);
      return of_taps;
    }
    case DSE_AVERAGE_POOL_2D:
    case DSE_MAX_POOL_2D:
      return w.under_taps(o.bytes);
    default:
      return {};
  }
}

}  // namespace dse::hw
