#include "plan/npu/block_choices.h"

#include <algorithm>

#include "base/index.h"
#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/shram.h"

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

}  // namespace

std::vector<BlockConfig> quick_blocks(const Costs& costs, int operation, const OperationPlan& plan, int count) {
  const Npu& npu = costs.npu();
  const Accelerator& a = npu.acc();
  Job job = costs.job(operation, Npu::fast());
  job.ifm.shape = plan.stripe_ifm, job.ofm.shape = plan.stripe;
  std::vector<std::pair<double, BlockConfig>> found;
  const auto most = [](int extent, int largest, int step) { return up(std::min(extent, largest), step); };
  for (int c = a.ofm_ublock.c; c <= most(plan.stripe.c, kLargestOfmBlock.c, a.ofm_ublock.c); c += a.ofm_ublock.c) {
    if (c < plan.stripe.c && c % kSplitDepth) continue;
    for (int h = a.ofm_ublock.h; h <= most(plan.stripe.h, kLargestOfmBlock.h, a.ofm_ublock.h); h += a.ofm_ublock.h)
      for (int w = a.ofm_ublock.w; w <= most(plan.stripe.w, kLargestOfmBlock.w, a.ofm_ublock.w); w += a.ofm_ublock.w)
        if (const auto b = block_config(a, job, {h, w, c})) found.emplace_back(quick_cycles(npu, job, *b), *b);
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
  const auto good = [](int n, int step, int most) { return n > 0 && n % step == 0 && n <= most; };
  if (!good(ofm.h, a.ofm_ublock.h, kLargestOfmBlock.h) || !good(ofm.w, a.ofm_ublock.w, kLargestOfmBlock.w) ||
      !good(ofm.c, a.ofm_ublock.c, kLargestOfmBlock.c) || (ofm.c < plan.stripe.c && ofm.c % kSplitDepth))
    return std::nullopt;
  Job job = costs.job(operation, Npu::fast());
  job.ifm.shape = plan.stripe_ifm, job.ofm.shape = plan.stripe;
  return block_config(a, job, ofm);
}

}  // namespace dse::plan::npu
