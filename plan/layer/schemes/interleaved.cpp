// Rings of channels-last rows.
#include <algorithm>

#include "plan/layer/schemes/scheme.h"

namespace dse::plan {

const TilingScheme& interleaved_scheme() {
  static const TilingScheme scheme = {
      .name = "interleaved",
      .doc = "rings of channels-last rows",
      .rows = "rows",
      .suits = [](const LayerContext&, const LayerChoice&) { return true; },
      .tiles = [](const LayerContext& c) { return piece_sizes(c.kernel().out_h); },
      .filters = [](const LayerContext& c) { return filter_sizes(c); },
      .channels = [](const LayerContext&) { return std::vector<int>{0}; },
      .prepare = [](LayerGeometry&, const LayerContext&, const LayerChoice&) { return std::string(); },
  };
  return scheme;
}

}  // namespace dse::plan
