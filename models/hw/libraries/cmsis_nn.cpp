#include "models/hw/libraries/cmsis_nn.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "base/units.h"
#include "models/hw/clocking.h"
#include "program/view.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(CmsisCount c) { return static_cast<std::size_t>(c); }

bool any(const CmsisNn::Counts& counts) {
  return std::any_of(counts.begin(), counts.end(), [](auto n) { return n > 0; });
}

bool cheaper(const Ratio& a, const Ratio& b) { return a.num * b.den < b.num * a.den; }

}  // namespace

const std::vector<std::string>& cmsis_count_names() {
  static const std::vector<std::string> names = {"conv_block",       "conv_rest",   "im2col",
                                                 "conv_tap",         "conv_output", "depthwise_mac",
                                                 "depthwise_output", "dense_mac",   "dense_output"};
  return names;
}

CmsisNn::CmsisNn(const Engine& e) : rest_(e) {
  for (std::size_t k = 0; k < rates_.size(); ++k) {
    const auto it = e.cycles_per_count.find(cmsis_count_names()[k]);
    ensure(it != e.cycles_per_count.end(), "an engine without cycles per " + cmsis_count_names()[k]);
    rates_[k] = it->second;
  }
}

CmsisNn::Counts CmsisNn::counts(const program::CallWork& work) {
  const dse_op& op = *work.op;
  const dse_tile& tile = work.tile;
  Counts out{};
  const auto a = program::arithmetic_of(work);
  if (a.wide) return out;
  switch (op.kind) {
    case DSE_CONV_2D: {
      const std::int64_t pixels = program::length(tile.y) * program::length(tile.x), channels = program::length(tile.c);
      const std::int64_t depth =
          std::int64_t{op.kernel_h} * op.kernel_w * program::length(tile.k) / std::max(1, op.groups);
      const bool direct = op.kernel_h == 1 && op.kernel_w == 1 && op.stride_h == 1 && op.stride_w == 1;
      const std::int64_t blocks = (pixels / 2 * 2) * (channels / 2 * 2) * (depth / 4 * 4);
      out[at(CmsisCount::conv_block)] = std::min(blocks, a.macs);
      out[at(CmsisCount::conv_rest)] = a.macs - out[at(CmsisCount::conv_block)];
      out[at(CmsisCount::im2col)] = direct ? 0 : pixels * depth;
      out[at(CmsisCount::conv_tap)] = direct ? 0 : pixels * op.kernel_h * op.kernel_w;
      out[at(CmsisCount::conv_output)] = a.elements;
      break;
    }
    case DSE_DEPTHWISE_CONV_2D:
      out[at(CmsisCount::depthwise_mac)] = a.macs, out[at(CmsisCount::depthwise_output)] = a.elements;
      break;
    case DSE_FULLY_CONNECTED:
      out[at(CmsisCount::dense_mac)] = a.macs, out[at(CmsisCount::dense_output)] = a.elements;
      break;
    default:
      break;
  }
  return out;
}

std::int64_t CmsisNn::price(const Counts& counts) const {
  std::int64_t cycles = 0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0 && !rates_[k].zero()) cycles += scale_up(counts[k], rates_[k].num, rates_[k].den);
  return cycles;
}

std::int64_t CmsisNn::cycles(const program::CallWork& work) const {
  const auto c = counts(work);
  return any(c) ? price(c) : rest_.cycles(work);
}

std::int64_t CmsisNn::least_cycles(const program::CallWork& work) const {
  auto c = counts(work);
  if (!any(c)) return rest_.least_cycles(work);
  auto &block = c[at(CmsisCount::conv_block)], &rest = c[at(CmsisCount::conv_rest)];
  if (cheaper(rates_[at(CmsisCount::conv_rest)], rates_[at(CmsisCount::conv_block)]))
    rest += block, block = 0;
  else
    block += rest, rest = 0;
  return price(c);
}

}  // namespace dse::hw
