#include "models/hw/ethos_u/shram.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/ethos_u/u85/blocks.h"

namespace dse::hw::ethos_u {

bool part_kernel_first(const Accelerator& a, const Job& job, bool of_weights) {
  if (a.table85) return u85::kernel_first(job);
  const int depth = job.larger_input().c, taps = job.kernel.elements();
  if (depth <= 8) return true;
  const bool bytes = job.ifm.bits == 8;
  const double by_depth = depth / static_cast<double>(up(depth, bytes ? 32 : 16));
  const double by_kernel =
      depth * static_cast<double>(taps) / (static_cast<double>(up(depth, 8)) * up(taps, bytes ? 4 : 2));
  return of_weights ? by_kernel >= by_depth : by_kernel > by_depth;
}

Block ifm_block(const Accelerator& a, const Job& job, const Block& ofm, bool part_kernel) {
  Block out;
  out.h = up(inputs_under(ofm.h, job.kernel.stride_h, std::min(job.kernel.rows(), kSubKernel), job.upscale),
             a.ofm_ublock.h);
  out.w = up(inputs_under(ofm.w, job.kernel.stride_w, std::min(job.kernel.columns(), kSubKernel), job.upscale),
             a.ofm_ublock.w);
  const int depth = job.larger_input().c;
  if (by_channel(job.unit()))
    out.c = ofm.c;
  else if (job.ifm.bits == 16)
    out.c = up(std::min(depth, 16), 4);
  else
    out.c = up(std::min(depth, part_kernel ? 16 : 32), a.ifm_ublock_depth);
  return out;
}

Block held_block(const Accelerator& a, const Job& job, const Block& ofm) {
  const bool one_row = job.ofm.shape.h == 1 && job.kernel.h == 1 && a.ofm_ublock.h == 2;
  return {one_row ? std::min(ofm.h, 1) : ofm.h, ofm.w, ofm.c};
}

std::optional<ShramLayout> layout_of(const Accelerator& a, const Job& job, const Block& ofm, const Block& ifm) {
  if (a.table85) return std::nullopt;
  const bool elementwise = job.unit() == Unit::elementwise;
  const int tables = std::max(job.activation == Activation::table ? kTableBanks : 0, a.reserved_end_banks());
  const std::int64_t ifm_bytes = ifm.area() * round_up(std::int64_t{ifm.c} * job.ifm.bits / 8, 8);
  const int ifm_banks = up(static_cast<int>(ceil_div(ifm_bytes, std::int64_t{kBankBytes})) * 2,
                           a.bank_granule(job.ifm.bits, elementwise));
  ShramLayout out{.ifm = kOutputBanks,
                  .ifm2 = kOutputBanks + ifm_banks,
                  .ifm_end = kOutputBanks + ifm_banks,
                  .accumulators = a.banks - tables,
                  .tables = a.banks - tables};
  if (elementwise) {
    if (out.ifm2 + (job.scalar ? 0 : ifm_banks) > out.accumulators) return std::nullopt;
    out.ifm_end = out.accumulators;
    return out;
  }
  const Block held = held_block(a, job, ofm);
  const Accumulator acc = accumulator_of(a, job);
  const std::int64_t acc_bytes = held.area() * round_up(held.c, 8) * bits_of(acc) / 8;
  out.accumulators -= up(static_cast<int>(ceil_div(acc_bytes, std::int64_t{kBankBytes})) * 2, a.bank_granule(acc));
  if (out.ifm_end > out.accumulators) return std::nullopt;
  return out;
}

std::optional<BlockConfig> block_config(const Accelerator& a, const Job& job, const Block& ofm) {
  if (a.table85) return u85::block_config(a, job, ofm);
  const auto allowed = [](int n, int most, int step) { return n > 0 && n <= most && n % step == 0; };
  if (!allowed(ofm.h, kLargestOfmBlock.h, a.ofm_ublock.h) || !allowed(ofm.w, kLargestOfmBlock.w, a.ofm_ublock.w) ||
      !allowed(ofm.c, kLargestOfmBlock.c, a.ofm_ublock.c))
    return std::nullopt;
  BlockConfig out{.ofm = ofm, .ifm = {}, .accumulator = accumulator_of(a, job), .ublock = a.ofm_ublock};
  out.part_kernel = convolves(job.unit()) && part_kernel_first(a, job);
  out.ifm = ifm_block(a, job, ofm, out.part_kernel);
  if (!layout_of(a, job, ofm, out.ifm)) return std::nullopt;
  return out;
}

}  // namespace dse::hw::ethos_u
