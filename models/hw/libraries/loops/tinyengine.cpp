#include "models/hw/libraries/loops/tinyengine.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/libraries/windows.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(TinyCount c) { return static_cast<std::size_t>(c); }

/// Rows or columns of the input under windows.
std::int64_t under(const dse_span& outputs, int stride, int kernel, int dilation, int in) {
  return std::min<std::int64_t>(in, (program::length(outputs) - 1) * stride + std::int64_t{kernel - 1} * dilation + 1);
}

}  // namespace

const std::vector<std::string>& tiny_count_names() {
  static const std::vector<std::string> names = {
      "conv_block",    "conv_rest",      "widened",         "kernel_widened",   "conv_output",
      "depthwise_mac", "depthwise_rest", "depthwise_value", "depthwise_output", "dense_mac",
      "dense_output",  "pool_element",   "pool_output"};
  return names;
}

LoopCounts TinyEngine::counts(const program::CallWork& work) {
  const dse_op& op = *work.op;
  const auto a = program::arithmetic_of(work);
  LoopCounts out(tiny_count_names().size(), a.wide);
  const auto w = windows_of(work);
  switch (op.kind) {
    case DSE_CONV_2D: {
      const std::int64_t blocks = (w.pixels / 2 * 2) * (w.channels / 2 * 2) * (w.depth / 4 * 4);
      out[at(TinyCount::conv_block)] = std::min(blocks, a.macs);
      out[at(TinyCount::conv_rest)] = a.macs - out[at(TinyCount::conv_block)];
      out[at(TinyCount::widened)] = w.groups * w.pixels * w.depth;
      out[at(TinyCount::kernel_widened)] = w.taps > 1 ? w.channels * w.depth : 0;
      out[at(TinyCount::conv_output)] = a.elements;
      return out;
    }
    case DSE_DEPTHWISE_CONV_2D: {
      const std::int64_t columns = program::length(work.tile.x), odd = columns % 2;
      out[at(TinyCount::depthwise_rest)] = columns > 0 ? a.macs / columns * odd : 0;
      out[at(TinyCount::depthwise_mac)] = a.macs - out[at(TinyCount::depthwise_rest)];
      out[at(TinyCount::depthwise_value)] = w.channels *
                                            under(work.tile.y, op.stride_h, op.kernel_h, op.dilation_h, op.in_h) *
                                            under(work.tile.x, op.stride_w, op.kernel_w, op.dilation_w, op.in_w);
      out[at(TinyCount::depthwise_output)] = a.elements;
      return out;
    }
    case DSE_FULLY_CONNECTED:
      out[at(TinyCount::dense_mac)] = a.macs, out[at(TinyCount::dense_output)] = a.elements;
      return out;
    case DSE_AVERAGE_POOL_2D:
      out[at(TinyCount::pool_element)] = a.elements;
      out[at(TinyCount::pool_output)] = w.pixels * w.channels;
      return out;
    default:
      return {};
  }
}

Readings TinyEngine::readings(const program::CallWork& work, int i) const {
  if (program::arithmetic_of(work).wide) return {};
  const auto w = windows_of(work);
  if (work.op->kind == DSE_DEPTHWISE_CONV_2D && work.operands[static_cast<std::size_t>(i)].role == DSE_IN0)
    return {1, 0};
  const std::int64_t all = constant_bytes(work);
  return readings_of(work, i, w,
                     {.conv_constants = {ceil_div(w.pixels, 2), all},
                      .direct_input = {1, 0},
                      .depthwise_constants = {ceil_div(w.pixels, 2), w.channels > 0 ? ceil_div(all, w.channels) : all},
                      .dense_input = {w.channels, work.operands[static_cast<std::size_t>(i)].bytes}});
}

std::int64_t TinyEngine::least(const program::CallWork&, LoopCounts c) const {
  const auto cheaper = [&](TinyCount one, TinyCount other) {
    const auto to = rate(at(one)) <= rate(at(other)) ? at(one) : at(other), from = to == at(one) ? at(other) : at(one);
    c[to] += c[from], c[from] = 0;
  };
  cheaper(TinyCount::conv_block, TinyCount::conv_rest), cheaper(TinyCount::depthwise_mac, TinyCount::depthwise_rest);
  c[at(TinyCount::depthwise_value)] = 0;
  return price(c);
}

}  // namespace dse::hw
