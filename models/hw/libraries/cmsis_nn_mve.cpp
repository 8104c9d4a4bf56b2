#include "models/hw/libraries/cmsis_nn_mve.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/libraries/windows.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(MveCount c) { return static_cast<std::size_t>(c); }

}  // namespace

const std::vector<std::string>& mve_count_names() {
  static const std::vector<std::string> names = {
      "conv_vector",      "conv_rest",     "im2col",           "conv_tap",       "conv_output",
      "depthwise_vector", "depthwise_tap", "depthwise_output", "multiplied_mac", "dense_vector",
      "dense_output",     "pool_element",  "pool_output"};
  return names;
}

LoopCounts CmsisNnMve::counts(const program::CallWork& work) {
  const dse_op& op = *work.op;
  const auto a = program::arithmetic_of(work);
  if (a.wide) return {};
  LoopCounts out(mve_count_names().size());
  const auto w = windows_of(work);
  switch (op.kind) {
    case DSE_CONV_2D:
      out[at(MveCount::conv_vector)] = w.pixels / 4 * w.channels * ceil_div(w.depth, 16);
      out[at(MveCount::conv_rest)] = w.pixels % 4 * w.channels * ceil_div(w.depth, 16);
      out[at(MveCount::im2col)] = w.direct ? 0 : w.pixels * w.depth;
      out[at(MveCount::conv_tap)] = w.direct ? 0 : w.pixels * w.taps;
      out[at(MveCount::conv_output)] = a.elements;
      return out;
    case DSE_DEPTHWISE_CONV_2D:
      out[at(MveCount::depthwise_output)] = a.elements;
      if (op.multiplier > 1) {
        out[at(MveCount::multiplied_mac)] = a.macs;
      } else {
        out[at(MveCount::depthwise_vector)] = ceil_div(w.pixels, 4) * ceil_div(w.channels, 4) * w.taps;
        out[at(MveCount::depthwise_tap)] = w.pixels * w.taps;
      }
      return out;
    case DSE_FULLY_CONNECTED: {
      const std::int64_t batches = w.pixels;
      out[at(MveCount::dense_vector)] = batches * ceil_div(w.channels, 4) * ceil_div(w.depth, 16);
      out[at(MveCount::dense_output)] = a.elements;
      return out;
    }
    case DSE_AVERAGE_POOL_2D:
      out[at(MveCount::pool_element)] = a.elements, out[at(MveCount::pool_output)] = w.pixels * w.channels;
      return out;
    default:
      return {};
  }
}

Readings CmsisNnMve::readings(const program::CallWork& work, int i) const {
  if (program::arithmetic_of(work).wide) return {};
  const auto w = windows_of(work);
  const Readings constants{ceil_div(w.pixels, 4), constant_bytes(work)};
  return readings_of(work, i, w,
                     {.conv_constants = constants,
                      .direct_input = {w.channels, 4 * w.depth},
                      .depthwise_constants = constants,
                      .dense_input = {ceil_div(w.channels, 4), w.depth}});
}

std::int64_t CmsisNnMve::least(const program::CallWork&, LoopCounts c) const {
  auto &vector = c[at(MveCount::conv_vector)], &rest = c[at(MveCount::conv_rest)];
  if (rate(at(MveCount::conv_rest)) * 4 < rate(at(MveCount::conv_vector))) rest += 4 * vector, vector = 0;
  return price(c);
}

}  // namespace dse::hw
