#include "models/hw/libraries/cmsis_nn_mve.h"

#include <algorithm>

#include "models/hw/libraries/windows.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(MveCount c) { return static_cast<std::size_t>(c); }
constexpr std::int64_t up(std::int64_t n, std::int64_t each) { return (n + each - 1) / each; }

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
  LoopCounts out(mve_count_names().size(), 0);
  const auto w = windows_of(work);
  switch (op.kind) {
    case DSE_CONV_2D:
      out[at(MveCount::conv_vector)] = w.pixels / 4 * w.channels * up(w.depth, 16);
      out[at(MveCount::conv_rest)] = w.pixels % 4 * w.channels * up(w.depth, 16);
      out[at(MveCount::im2col)] = w.direct ? 0 : w.pixels * w.depth;
      out[at(MveCount::conv_tap)] = w.direct ? 0 : w.pixels * w.taps;
      out[at(MveCount::conv_output)] = a.elements;
      return out;
    case DSE_DEPTHWISE_CONV_2D:
      out[at(MveCount::depthwise_output)] = a.elements;
      if (op.multiplier > 1) {
        out[at(MveCount::multiplied_mac)] = a.macs;
      } else {
        out[at(MveCount::depthwise_vector)] = up(w.pixels, 4) * up(w.channels, 4) * w.taps;
        out[at(MveCount::depthwise_tap)] = w.pixels * w.taps;
      }
      return out;
    case DSE_FULLY_CONNECTED: {
      const std::int64_t batches = w.pixels;
      out[at(MveCount::dense_vector)] = batches * up(w.channels, 4) * up(w.depth, 16);
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
  const auto& o = work.operands[static_cast<std::size_t>(i)];
  const auto w = windows_of(work);
  const bool constant = o.role == DSE_WEIGHTS || o.role == DSE_QPARAMS;
  if (counts(work).empty() || (!constant && o.role != DSE_IN0)) return {};
  switch (work.op->kind) {
    case DSE_CONV_2D:
      if (constant) return {up(w.pixels, 4), constant_bytes(work)};
      return w.direct ? Readings{w.channels, 4 * w.depth} : w.under_taps(o.bytes);
    case DSE_DEPTHWISE_CONV_2D:
    case DSE_AVERAGE_POOL_2D:
      return constant ? Readings{up(w.pixels, 4), constant_bytes(work)} : w.under_taps(o.bytes);
    default:
      return constant ? Readings{1, 0} : Readings{up(w.channels, 4), w.depth};
  }
}

void CmsisNnMve::relax(const program::CallWork&, LoopCounts& c) const {
  auto &vector = c[at(MveCount::conv_vector)], &rest = c[at(MveCount::conv_rest)];
  if (rate(at(MveCount::conv_rest)) * 4 < rate(at(MveCount::conv_vector))) rest += 4 * vector, vector = 0;
}

}  // namespace dse::hw
