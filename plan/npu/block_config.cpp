#include "plan/npu/block_config.h"

#include <algorithm>
#include <limits>
#include <set>

#include "plan/npu/fetch_cost.h"
#include "plan/npu/u85/block_rule.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

std::optional<BlockConfig> block_by_rule(const Accelerator& a, const Job& job) {
  if (a.table85) return u85_block_by_rule(a, job);
  const Shape& out = job.ofm.shape;
  const Shape& in = job.larger_input();
  const Block most{up(std::min(out.h, kLargestOfmBlock.h), a.ofm_ublock.h),
                   up(std::min(out.w, kLargestOfmBlock.w), a.ofm_ublock.w),
                   up(std::min(out.c, kLargestOfmBlock.c), a.ofm_ublock.c)};
  const auto split = [&](int depth) { return depth < out.c ? up(depth, kSplitDepth) : depth; };
  const bool part_kernel = convolves(job.unit()) && part_kernel_first(a, job);
  double best = std::numeric_limits<double>::infinity(), best_coverage = best;
  std::optional<BlockConfig> chosen;
  for (int c = split(std::max(a.ofm_ublock.c, std::min(most.c, kSplitDepth))); c <= most.c;
       c = split(c + a.ofm_ublock.c)) {
    std::set<std::pair<int, int>> too_large;  // turned by 90 degrees, what did not fit does not fit either
    for (int h = a.ofm_ublock.h; h <= most.h; h += a.ofm_ublock.h)
      for (int w = a.ofm_ublock.w; w <= most.w; w += a.ofm_ublock.w) {
        if (too_large.count({h, w})) continue;
        const Block ofm{h, w, c}, fit = held_block(a, job, ofm);
        const Block ifm = ifm_block(a, job, ofm, part_kernel);
        if (!layout_of(a, job, ofm, ifm)) {
          too_large.insert({w, h});
          continue;
        }
        const double cost = fetch_cost(job, in, ofm, fit, ifm);
        if (cost > best) continue;
        if (cost == best) {
          const double coverage =
              static_cast<double>(in.area()) / static_cast<double>(std::min(in.h, ifm.h) * std::min(in.w, ifm.w));
          if (coverage > best_coverage || h > 4 || w > 4) continue;
          best_coverage = coverage;
        } else {
          best_coverage = std::numeric_limits<double>::infinity();
        }
        best = cost;
        chosen = BlockConfig{.ofm = ofm,
                             .ifm = ifm,
                             .accumulator = accumulator_of(a, job),
                             .part_kernel = part_kernel,
                             .ublock = a.ofm_ublock};
      }
  }
  return chosen;
}

}  // namespace dse::plan::npu
