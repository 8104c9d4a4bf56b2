#include "models/hw/ethos_u/u85/cycles.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/ethos_u/u85/blocks.h"

namespace dse::hw::ethos_u::u85 {
namespace {

struct Steps {
  std::int64_t cycles, steps;
};

/// One part of a kernel over `xy` times `z` micro blocks; `weights`: cycles that the decoder takes for a block of them
/// at least.
Steps mac_steps(const Job& job, bool kernel_first, int taps, std::int64_t xy, std::int64_t z, std::int64_t weights,
                int ifm_depth) {
  const int bits = job.ifm.bits, bytes = bits / 8;
  switch (job.unit()) {
    case Unit::pooling:
      return {std::max(4, taps) * xy * z * (bits / 2), 1};
    case Unit::depthwise: {
      const int steps = blocks(taps, 4);
      return {std::max(weights, 4 * xy * bytes) * steps * z, steps};
    }
    case Unit::convolution:
      if (kernel_first) {
        const int steps = blocks(taps, bits == 16 ? 2 : 4);
        return {std::max(weights, 4 * xy) * steps * z * blocks(ifm_depth, 8), steps};
      }
      [[fallthrough]];
    default:
      return {std::max(weights, blocks(ifm_depth, 8) * xy) * taps * z * bytes, taps};
  }
}

/// Where a micro block follows itself: the adders have not finished.
std::int64_t bubbles(const Accelerator& a, Accumulator acc, std::int64_t xy, std::int64_t z, std::int64_t steps) {
  if (xy > 1) return 0;
  const int delay = acc == Accumulator::bits48 && a.macs <= 128 ? 3 : 2;
  return z == 1 ? delay * steps : delay * (steps - 1) * z;
}

}  // namespace

std::int64_t mac_cycles(const Accelerator& a, const Job& job, const BlockConfig& block, const Block& ofm, int ifm_depth,
                        int taps) {
  const Block& micro = block.ublock;
  const std::int64_t xy = std::int64_t{blocks(ofm.h, micro.h)} * blocks(ofm.w, micro.w), z = blocks(ofm.c, micro.c);
  const bool by_kernel = job.unit() == Unit::convolution && block.part_kernel;
  const Steps part = mac_steps(job, by_kernel, taps, xy, z, 32 * micro.c / (8 * a.table85->cores), ifm_depth);
  return part.cycles + bubbles(a, block.accumulator, xy, z, part.steps) * (by_kernel ? blocks(ifm_depth, 8) : 1);
}

std::int64_t least_mac_cycles(const Accelerator& a, const Job& job) {
  if (job.unit() == Unit::elementwise) return 0;
  const Shape& out = job.ofm.shape;
  const int depth = by_channel(job.unit()) ? out.c : job.ifm.shape.c;
  std::int64_t least = -1;
  for (const Block& micro : a.table85->ublocks) {
    if (!takes(a, job, micro)) continue;
    const std::int64_t xy = std::int64_t{blocks(out.h, micro.h)} * blocks(out.w, micro.w);
    std::int64_t sum = 0;
    for (const int taps : sub_kernels(job))
      sum += mac_steps(job, kernel_first(job), taps, xy, blocks(out.c, micro.c), 0, depth).cycles;
    if (least < 0 || sum < least) least = sum;
  }
  return std::max<std::int64_t>(least, 0);
}

double output_cycles(const Accelerator& a, const Job& job) {
  const Table& t = *a.table85;
  const int in = job.ifm.bits, out = job.ofm.bits;
  Output rate = Output::bits8;
  if (is_binary(job.function) && in == 32)
    rate = out == 32 ? Output::two_operands_32 : Output::narrowed;
  else if (out >= 16)
    rate = out == 64 ? Output::bits64 : out == 32 ? Output::bits32 : Output::bits16;
  const double activation =
      job.activation == Activation::none ? 0 : t.activation_cycles[static_cast<std::size_t>(Activating::usual)];
  return std::max(t.output_cycles[static_cast<std::size_t>(rate)], activation);
}

int decoded_per_cycle(const Accelerator& a, double zeros) {
  constexpr double kFew = 0.5, kMany = 0.9, kNothing = 1e-9;  // 0.9 of zeros are 32, whatever floating point says
  const double z = std::clamp(zeros, kFew, kMany);
  return static_cast<int>(8 + (z - kFew) * (32 - 8) / (kMany - kFew) + kNothing) * a.table85->cores;
}

}  // namespace dse::hw::ethos_u::u85
