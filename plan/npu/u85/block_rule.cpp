#include "plan/npu/u85/block_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/hw/ethos_u/shram.h"
#include "plan/npu/fetch_cost.h"

namespace dse::plan::npu {

namespace {

using namespace hw::ethos_u;
using u85::kAccumulatorDepth, u85::kLargestBlock;

constexpr double kNoCost = std::numeric_limits<double>::infinity();

class RuleOfU85 {
 public:
  RuleOfU85(const Accelerator& a, const Job& job)
      : a_(a), job_(job), out_(job.ofm.shape), micro_(u85::best_ublock(a, job)), least_(micro_) {
    least_.c = up(micro_.c, kAccumulatorDepth);
    most_ = {up(std::min(out_.h, kLargestBlock.h), micro_.h), up(std::min(out_.w, kLargestBlock.w), micro_.w),
             up(std::min(out_.c, kLargestBlock.c), least_.c)};
  }

  /// Of blocks that have `buffers` in both RAMs, the one that fetches least.
  std::optional<BlockConfig> cheapest(int buffers) const {
    std::optional<BlockConfig> chosen;
    double best = kNoCost, best_coverage = kNoCost;
    const Shape& in = job_.larger_input();
    for (int c = least_.c; c <= most_.c; c += least_.c)
      for (int h = least_.h; h <= most_.h; h += least_.h)
        for (int w = least_.w; w <= most_.w; w += least_.w) {
          const auto b = block_config(a_, job_, {h, w, c});
          if (!b || b->input_buffers < buffers || b->accumulator_sets < buffers) break;  // nor do wider ones
          if (b->ublock != micro_) continue;
          const double cost = fetch_cost(job_, in, b->ofm, b->ofm, b->ifm);
          double coverage = kNoCost;
          if (cost > best) continue;
          if (cost == best) {
            coverage = static_cast<double>(in.area()) / (std::min(in.h, b->ifm.h) * std::min(in.w, b->ifm.w));
            if (coverage > best_coverage || h > 4 || w > 4) continue;
          }
          best = cost, best_coverage = coverage, chosen = b;
        }
    return chosen;
  }

  /// Of every depth the largest block of the picture's aspect; of those the one that covers most with least waste.
  std::optional<BlockConfig> by_area() const {
    std::optional<BlockConfig> chosen;
    double best = kNoCost;
    for (int c = least_.c; c <= most_.c; c += least_.c)
      if (const auto b = widest(c)) {
        const bool deep = job_.kernel.elements() == 1;
        const double whole = static_cast<double>(out_.w) * (deep ? out_.c : out_.h),
                     covered = static_cast<double>(b->ofm.w) * (deep ? b->ofm.c : b->ofm.h);
        const double metric = (1 + std::abs(1 - whole / covered)) *
                              (1 + std::abs(1 - static_cast<double>(most_.c) / c) / 10) * (1 + unused(c) / 10);
        if (metric < best) best = metric, chosen = b;
      }
    return chosen;
  }

  /// Columns first, then channels, then rows, as long as the buffers hold them.
  std::optional<BlockConfig> tile() const {
    auto best = block_config(a_, job_, least_);
    for (int Block::*side : {&Block::w, &Block::c, &Block::h})
      while (best && best->ofm.*side < most_.*side) {
        Block next = best->ofm;
        next.*side += least_.*side;
        const auto b = block_config(a_, job_, next);
        if (!b) break;
        best = b;
      }
    return best;
  }

 private:
  /// The part of the last brick of inputs that `depth` channels leave empty.
  double unused(int depth) const {
    const int brick = 128 / job_.ifm.bits;
    return static_cast<double>(up(depth, brick) - depth) / brick;
  }

  /// One block in the accumulators; the inputs of one and a row of the next, if there is a next.
  std::optional<BlockConfig> widest(int c) const {
    const double aspect = static_cast<double>(out_.h) / out_.w;
    const std::int64_t all =
        a_.table85->accumulator_ram * micro_.area() / u85::accumulator_bytes(a_, job_, {micro_.h, micro_.w, c});
    for (std::int64_t area = all; area >= micro_.area(); area -= std::max(micro_.area(), area / 8)) {
      const Block b = of_aspect(aspect, area, c);
      const auto found = block_config(a_, job_, b);
      const bool whole = b.h >= out_.h && b.w >= out_.w && b.c >= out_.c;
      if (found && (whole || found->input_buffers > 1)) return found;
    }
    return block_config(a_, job_, {micro_.h, micro_.w, c});
  }

  /// About so many outputs of a channel; columns in equal parts, rows as many as are left.
  Block of_aspect(double aspect, std::int64_t area, int c) const {
    const auto down = [](double n, int step) { return std::max(static_cast<int>(n) / step * step, step); };
    const double columns = std::sqrt(static_cast<double>(area) / aspect);
    int w = std::min(down(std::min(columns, static_cast<double>(area)), micro_.w), most_.w);
    w = up(blocks(most_.w, blocks(most_.w, w)), micro_.w);
    return {std::min(down(static_cast<double>(area) / w, micro_.h), most_.h), w, c};
  }

  const Accelerator& a_;
  const Job& job_;
  const Shape& out_;
  Block micro_, least_, most_;
};

}  // namespace

std::optional<BlockConfig> u85_block_by_rule(const Accelerator& a, const Job& job) {
  const RuleOfU85 rule(a, job);
  if (job.unit() == Unit::elementwise) return rule.tile();
  if (u85::follows_by_row(job.unit())) return rule.by_area();
  const auto twice = rule.cheapest(2);
  return twice ? twice : rule.cheapest(1);
}

}  // namespace dse::plan::npu
