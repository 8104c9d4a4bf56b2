// All channels of a block of pixels: of pointwise and element-wise operators, whose image is one column of pixels then.
#include <algorithm>

#include "plan/layer/schemes/scheme.h"

namespace dse::plan {
namespace {

bool channels_last(const LayerContext& c) {
  return std::all_of(c.inputs.begin(), c.inputs.begin() + c.input_count,
                     [](const Placement& p) { return p.layout == TensorLayout::hwc; });
}

bool suits_pixels(const LayerContext& c, const LayerChoice& l) {
  return pointwise(c.kernel()) && l.output_layout == TensorLayout::hwc && channels_last(c) && c.kernel().out_w > 1;
}

std::vector<int> pixel_blocks(const LayerContext& c) { return piece_sizes(c.kernel().out_h * c.kernel().out_w); }

/// The image as one column of pixels: what pixel blocks are rows of.
void flatten(dse_op& op) {
  op.in_h *= op.in_w;
  op.out_h *= op.out_w;
  op.in_w = op.out_w = 1;
}

/// Pixels one after the other, over the ends of rows.
bool flatten_strides(LayerGeometry& g) {
  const auto column = [](Strides& s, int h, int w) {
    if (s.dense()) return true;
    if (h > 1 && w > 1 && s.h != w * s.w) return false;
    s.h = w > 1 ? s.w : s.h;
    return true;
  };
  bool ok = column(g.output.inside, g.op.out_h, g.op.out_w);
  for (int i = 0; i < g.input_count; ++i) ok = column(g.inputs[i].home.inside, g.op.in_h, g.op.in_w) && ok;
  return ok;
}

std::string prepare_pixels(LayerGeometry& g, const LayerContext& c, const LayerChoice& l) {
  if (!pointwise(g.op)) return "pixel-block needs a pointwise or element-wise operator";
  if (!channels_last(c)) return "pixel-block reads channels-last tensors";
  if (l.output_layout != TensorLayout::hwc) return "pixel-block writes channels-last tensors";
  if (!flatten_strides(g)) return "pixel-block needs rows without a gap between them";
  flatten(g.op);
  return {};
}

}  // namespace

const TilingScheme& pixel_block_scheme() {
  static const TilingScheme scheme = {
      .name = "pixel-block",
      .doc = "all channels of a block of pixels",
      .rows = "pixels",
      .suits = suits_pixels,
      .tiles = pixel_blocks,
      .filters = [](const LayerContext& c) { return filter_sizes(c); },
      .channels = [](const LayerContext&) { return std::vector<int>{0}; },
      .prepare = prepare_pixels,
  };
  return scheme;
}

}  // namespace dse::plan
