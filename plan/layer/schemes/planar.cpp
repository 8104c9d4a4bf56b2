// One channel plane, or a band of its rows, at a time. Convolutions keep partial sums over input channels in the
// nearest memory until the last step.
#include <algorithm>

#include "base/units.h"
#include "plan/layer/schemes/scheme.h"
#include "plan/network/layers.h"

namespace dse::plan {
namespace {

std::vector<int> planar_tiles(const LayerContext& c) { return piece_sizes(c.kernel().out_h); }

std::vector<int> planar_filters(const LayerContext& c) {
  const auto& k = c.kernel();
  if (accumulates(k.kind)) return filter_sizes(c);
  const int unit = std::max(1, k.kind == DSE_DEPTHWISE_CONV_2D ? k.multiplier : 1);
  auto out = piece_sizes(k.out_c / unit);
  for (int& n : out) n *= unit;
  std::reverse(out.begin(), out.end());  // plane by plane first
  return out;
}

std::vector<int> planar_channels(const LayerContext& c) {
  if (!accumulates(c.kernel().kind)) return {0};
  const int all = c.kernel().in_c;
  std::vector<int> out = {all > 4 ? 4 : 1};
  for (const int n : piece_sizes(all))
    if (n > 0 && n != out.front()) out.push_back(n);
  return out;
}

std::string prepare_planes(LayerGeometry& g, const LayerContext&, const LayerChoice& l) {
  g.tile_layout = TensorLayout::chw;
  if (accumulates(g.op.kind)) {
    g.channels = pick(l.channels, g.op.in_c);
    g.steps = static_cast<int>(ceil_div(std::int64_t{g.op.in_c}, g.channels));
  }
  return {};
}

}  // namespace

const TilingScheme& planar_scheme() {
  static const TilingScheme scheme = {
      .name = "planar",
      .doc = "one plane at a time with partial sums",
      .rows = "rows",
      .suits = [](const LayerContext&, const LayerChoice&) { return true; },
      .tiles = planar_tiles,
      .filters = planar_filters,
      .channels = planar_channels,
      .prepare = prepare_planes,
  };
  return scheme;
}

}  // namespace dse::plan
