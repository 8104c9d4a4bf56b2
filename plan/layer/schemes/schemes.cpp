#include <algorithm>

#include "plan/layer/schemes/scheme.h"

namespace dse::plan {

const std::vector<const TilingScheme*>& schemes() {
  static const std::vector<const TilingScheme*> all = {&interleaved_scheme(), &planar_scheme(), &pixel_block_scheme()};
  return all;
}

const char* name_of(Scheme s) { return scheme_of(s).name; }

std::vector<int> piece_sizes(int all) {
  std::vector<int> out = {0};
  for (int pieces = 2; pieces <= all;) {
    const int size = (all + pieces - 1) / pieces;
    out.push_back(size);
    if (size == 1) break;
    pieces = (all + size - 2) / (size - 1);  // the fewest that the next smaller size makes
  }
  return out;
}

std::vector<int> filter_sizes(const LayerContext& context) {
  const auto& k = context.kernel();
  return accumulates(k.kind) ? piece_sizes(k.out_c) : std::vector<int>{0};
}

}  // namespace dse::plan
