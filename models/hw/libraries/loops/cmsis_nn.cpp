#include "models/hw/libraries/loops/cmsis_nn.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/libraries/windows.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(CmsisCount c) { return static_cast<std::size_t>(c); }

}  // namespace

const std::vector<std::string>& cmsis_count_names() {
  static const std::vector<std::string> names = {
      "conv_block",    "conv_rest",        "im2col",         "conv_tap",          "conv_output",
      "depthwise_mac", "depthwise_output", "multiplied_mac", "multiplied_output", "dense_mac",
      "dense_output",  "pool_element",     "pool_output"};
  return names;
}

LoopCounts CmsisNn::counts(const program::CallWork& work) {
  const dse_op& op = *work.op;
  const auto a = program::arithmetic_of(work);
  LoopCounts out(cmsis_count_names().size(), a.wide);
  const auto w = cmsis_windows_of(work);
  switch (op.kind) {
    case DSE_CONV_2D: {
      const std::int64_t blocks = (w.pixels / 2 * 2) * (w.channels / 2 * 2) * (w.depth / 4 * 4);
      out[at(CmsisCount::conv_block)] = std::min(blocks, a.macs);
      out[at(CmsisCount::conv_rest)] = a.macs - out[at(CmsisCount::conv_block)];
      out[at(CmsisCount::im2col)] = w.direct ? 0 : w.groups * w.pixels * w.depth;
      out[at(CmsisCount::conv_tap)] = w.direct ? 0 : w.groups * w.pixels * w.taps;
      out[at(CmsisCount::conv_output)] = a.elements;
      return out;
    }
    case DSE_DEPTHWISE_CONV_2D:
      out[at(op.multiplier > 1 ? CmsisCount::multiplied_mac : CmsisCount::depthwise_mac)] = a.macs;
      out[at(op.multiplier > 1 ? CmsisCount::multiplied_output : CmsisCount::depthwise_output)] = a.elements;
      return out;
    case DSE_FULLY_CONNECTED:
      out[at(CmsisCount::dense_mac)] = a.macs, out[at(CmsisCount::dense_output)] = a.elements;
      return out;
    case DSE_AVERAGE_POOL_2D:
      out[at(CmsisCount::pool_element)] = a.elements;
      out[at(CmsisCount::pool_output)] = w.pixels * w.channels;
      return out;
    default:
      return {};
  }
}

Readings CmsisNn::readings(const program::CallWork& work, int i) const {
  if (program::arithmetic_of(work).wide && !counts_16_bits()) return {};
  const auto w = cmsis_windows_of(work);
  const std::int64_t all = constant_bytes(work), bytes = work.operands[static_cast<std::size_t>(i)].bytes;
  // Between two readings of constants lie, where the input is its own column, those of two channels, else all.
  const Readings of_channels{ceil_div(w.channels, 2), bytes};
  return readings_of(work, i, w,
                     {.conv_constants = {ceil_div(w.pixels, 2), w.direct ? std::min(all, 2 * w.depth + 24) : all},
                      .direct_input = of_channels,
                      .depthwise_constants = {w.pixels, all},
                      .dense_input = of_channels});
}

std::int64_t CmsisNn::least(const program::CallWork&, LoopCounts c) const {
  const auto block = at(CmsisCount::conv_block), rest = at(CmsisCount::conv_rest);
  if (rate(rest, c.wide()) < rate(block, c.wide()))
    c[rest] += c[block], c[block] = 0;
  else
    c[block] += c[rest], c[rest] = 0;
  return price(c);
}

}  // namespace dse::hw
