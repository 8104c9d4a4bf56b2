#include "plan/npu/block_choices.h"

#include <algorithm>

#include "base/index.h"
#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/shram.h"
#include "models/hw/ethos_u/u85/blocks.h"

namespace dse::plan::npu {
namespace {

using namespace hw::ethos_u;

/// Sizes of blocks along an extent, and how many there are of each.
std::vector<std::pair<int, int>> parts(int extent, int block) {
  std::vector<std::pair<int, int>> out;
  if (extent / block) out.emplace_back(block, extent / block);
  if (extent % block) out.emplace_back(extent % block, 1);
  return out;
}

double quick_cycles(const Npu& npu, const Job& job, const BlockConfig& b) {
  const Accelerator& a = npu.acc();
  const Shape &out = job.ofm.shape, &in = job.ifm.shape;
  const double rate = output_cycles(a, job, b.accumulator), port = npu.bytes_per_cycle(job.ifm.area);
  double sum = 0;
  for (const auto& [h, rows] : parts(out.h, b.ofm.h))
    for (const auto& [w, columns] : parts(out.w, b.ofm.w))
      for (const auto& [c, depths] : parts(out.c, b.ofm.c)) {
        double mac = 0, read = 0;
        const int ih = (h - 1) * job.kernel.stride_h + job.kernel.rows(),
                  iw = (w - 1) * job.kernel.stride_w + job.kernel.columns();
        for (const auto& [depth, times] :
             by_channel(job.unit()) ? std::vector<std::pair<int, int>>{{c, 1}} : parts(in.c, b.ifm.c)) {
          if (job.unit() != Unit::elementwise)
            for (const int taps : sub_kernels(job))
              mac += static_cast<double>(mac_cycles(a, job, b, {h, w, c}, depth, taps)) * times / a.cores;
          read += static_cast<double>(std::min(ih, in.h)) * std::min(iw, in.w) * up(depth, 16) * times * job.ifm.bits /
                  8 / port;
        }
        const double output = rate * h * w * c,
                     write = static_cast<double>(h) * w * up(c, 16) * job.ofm.bits / 8 / port;
        sum += std::max({mac, read, output, write}) * rows * columns * depths;
      }
  return sum;
}

/// Micro blocks that blocks are multiples of.
std::vector<Block> steps_of(const Accelerator& a, const Job& job) {
  if (!a.table85) return {a.ofm_ublock};
  std::vector<Block> out;
  for (const Block& micro : a.table85->ublocks)
    if (u85::takes(a, job, micro)) out.push_back(micro);
  return out;
}

/// The largest block of a stripe.
Block last_of(const Accelerator& a, const Shape& stripe, const Block& step) {
  const Block most = a.largest_block();
  const int least = a.table85 ? u85::kAccumulatorDepth : step.c;
  return {up(std::min(stripe.h, most.h), step.h), up(std::min(stripe.w, most.w), step.w),
          up(std::min(stripe.c, most.c), std::max(step.c, least))};
}

}  // namespace

std::vector<BlockConfig> quick_blocks(const Costs& costs, int operation, const OperationPlan& plan, int count) {
  const Npu& npu = costs.npu();
  const Accelerator& a = npu.acc();
  Job job = costs.job(operation, Npu::fast());
  job.ifm.shape = plan.stripe_ifm, job.ofm.shape = plan.stripe;
  std::vector<std::pair<double, BlockConfig>> found;
  for (const Block& step : steps_of(a, job)) {
    const Block most = last_of(a, plan.stripe, step);
    for (int c = step.c; c <= most.c; c += step.c) {
      if (c < plan.stripe.c && c % kSplitDepth) continue;
      for (int h = step.h; h <= most.h; h += step.h)
        for (int w = step.w; w <= most.w; w += step.w)
          if (const auto b = block_config(a, job, {h, w, c}); b && (!a.table85 || b->ublock == step))
            found.emplace_back(quick_cycles(npu, job, *b), *b);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<BlockConfig> out;
  for (const auto& [cycles, b] : found) {
    if (static_cast<int>(out.size()) == count) break;
    out.push_back(b);
  }
  return out;
}

std::optional<BlockConfig> block_of(const Costs& costs, int operation, const OperationPlan& plan, const Block& ofm) {
  const Accelerator& a = costs.npu().acc();
  if (costs.op(operation).function == Function::copy) return std::nullopt;
  if (ofm.c < plan.stripe.c && ofm.c % kSplitDepth) return std::nullopt;
  Job job = costs.job(operation, Npu::fast());
  job.ifm.shape = plan.stripe_ifm, job.ofm.shape = plan.stripe;
  return block_config(a, job, ofm);
}

}  // namespace dse::plan::npu
