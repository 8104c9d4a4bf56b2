#include "models/hw/libraries/loops/cmsis_nn_mve.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/libraries/windows.h"

namespace dse::hw {
namespace {

constexpr std::size_t at(MveCount c) { return static_cast<std::size_t>(c); }
constexpr std::size_t kLongMac = at(MveCount::pool_output) + 1;

constexpr std::int64_t kProducts = 16, kWideProducts = 8;  // of a vector, for an output
constexpr std::int64_t kWideRest = 4;                      // of one beside the fours of pixels
constexpr std::int64_t kLongest = 512;                     // products of 16 bits that a sum of 32 bits holds

}  // namespace

const std::vector<std::string>& mve_wide_count_names() {
  static const std::vector<std::string> names = [] {
    auto all = mve_count_names();
    all.emplace_back("long_mac");
    return all;
  }();
  return names;
}

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
  LoopCounts out((a.wide ? mve_wide_count_names() : mve_count_names()).size(), a.wide);
  const auto w = cmsis_windows_of(work);
  const std::int64_t in_vectors = a.wide ? std::min(w.depth, kLongest) : w.depth, beyond = w.depth - in_vectors;
  const std::int64_t vectors = ceil_div(in_vectors, a.wide ? kWideProducts : kProducts);
  switch (op.kind) {
    case DSE_CONV_2D:
      out[at(MveCount::conv_vector)] = w.pixels / 4 * w.channels * vectors;
      out[at(MveCount::conv_rest)] = w.pixels % 4 * w.channels * (a.wide ? ceil_div(in_vectors, kWideRest) : vectors);
      out[at(MveCount::im2col)] = w.direct ? 0 : w.groups * w.pixels * w.depth;
      out[at(MveCount::conv_tap)] = w.direct ? 0 : w.groups * w.pixels * w.taps;
      out[at(MveCount::conv_output)] = a.elements;
      if (a.wide) out[kLongMac] = w.pixels * w.channels * beyond;
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
      out[at(MveCount::dense_vector)] = batches * ceil_div(w.channels, 4) * vectors;
      out[at(MveCount::dense_output)] = a.elements;
      if (a.wide) out[kLongMac] = batches * w.channels * beyond;
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
  if (program::arithmetic_of(work).wide && !counts_16_bits()) return {};
  const auto w = cmsis_windows_of(work);
  const Readings constants{ceil_div(w.pixels, 4), constant_bytes(work)};
  return readings_of(work, i, w,
                     {.conv_constants = constants,
                      .direct_input = {w.channels, 4 * w.depth},
                      .depthwise_constants = constants,
                      .dense_input = {ceil_div(w.channels, 4), w.depth}});
}

std::int64_t CmsisNnMve::least(const program::CallWork& work, LoopCounts c) const {
  if (c.wide()) return work.op->kind == DSE_CONV_2D || c[kLongMac] > 0 ? least_of_sums(work, c) : price(c);
  auto &vector = c[at(MveCount::conv_vector)], &rest = c[at(MveCount::conv_rest)];
  if (rate(at(MveCount::conv_rest)) * 4 < rate(at(MveCount::conv_vector))) rest += 4 * vector, vector = 0;
  return price(c);
}

std::int64_t CmsisNnMve::least_of_sums(const program::CallWork& work, LoopCounts c) const {
  const bool conv = work.op->kind == DSE_CONV_2D;
  auto &vector = c[at(MveCount::conv_vector)], &rest = c[at(MveCount::conv_rest)];
  if (c[kLongMac] > 0) {
    const std::int64_t products = program::arithmetic_of(work).macs;
    std::int64_t cheapest = price(kLongMac, products, 1, true);
    const auto at_most = [&](MveCount count, std::int64_t each) {
      cheapest = std::min(cheapest, price(at(count), products, each, true));
    };
    at_most(conv ? MveCount::conv_vector : MveCount::dense_vector, 4 * kWideProducts);
    if (conv) at_most(MveCount::conv_rest, kWideRest);
    vector = rest = c[at(MveCount::dense_vector)] = c[kLongMac] = 0;
    return cheapest + price(c);
  }
  // What is left over behind whole vectors may be little enough for four singles.
  const auto w = cmsis_windows_of(work);
  const std::int64_t groups = w.pixels / 4 * w.channels, over = w.depth % kWideProducts;
  const double single = rate(at(MveCount::conv_rest), true), all = rate(at(MveCount::conv_vector), true);
  if (8 * single < all)
    rest += 4 * groups * ceil_div(w.depth, kWideRest), vector = 0;
  else if (4 * single < all && over > 0 && over <= kWideRest)
    rest += 4 * groups, vector -= groups;
  // Each of the two is rounded up by itself; of a cut it may be one alone.
  return price(c) - (vector > 0 && rest > 0 ? 1 : 0);
}

}  // namespace dse::hw
