#include <algorithm>

#include "plan/layer/schemes/scheme.h"

namespace dse::plan {

const std::vector<const TilingScheme*>& schemes() {
  static const std::vector<const TilingScheme*> all = {&interleaved_scheme(), &planar_scheme(), &pixel_block_scheme()};
  return all;
}

const char* name_of(Scheme s) { return scheme_of(s).name; }

std::vector<int> halves(int all, int least) {
  std::vector<int> out = {0};
  for (int n = (all + 1) / 2; n >= least && n < all; n = (n + 1) / 2) {
    out.push_back(n);
    if (n == 1) break;
  }
  return out;
}

std::vector<int> filter_halves(const LayerContext& context, int least) {
  const auto& k = context.kernel();
  return accumulates(k.kind) ? halves(k.out_c, least) : std::vector<int>{0};
}

}  // namespace dse::plan
