#include "models/hw/ethos_u/block_cycles.h"

#include <algorithm>

#include "base/units.h"
#include "models/hw/ethos_u/u85/cycles.h"

namespace dse::hw::ethos_u {
namespace {

struct Steps {
  std::int64_t cycles, steps;
};

/// The MAC unit on one part of a kernel, all micro blocks of an output block.
Steps mac_steps(const Accelerator& a, const Job& job, const BlockConfig& block, int taps, int xy, int z, int weights,
                int ifm_depth) {
  const bool wide = job.ifm.bits == 16;
  switch (job.unit()) {
    case Unit::pooling:
      return {std::int64_t{std::max(4, taps)} * xy * z * (wide && a.macs != 32 ? 2 : 1), 1};
    case Unit::depthwise: {
      const int steps = blocks(taps, 4);
      return {std::int64_t{std::max(weights, 4 * xy * (wide ? 2 : 1))} * steps * z, steps};
    }
    case Unit::convolution:
      if (block.part_kernel) {
        const int steps = blocks(taps, wide ? 2 : 4);
        return {std::int64_t{std::max(weights, 4 * xy)} * steps * blocks(ifm_depth, 8) * z, steps};
      }
      [[fallthrough]];
    default:
      return {std::int64_t{std::max(weights, 4 * xy)} * taps * z, taps};
  }
}

/// Where a micro block follows itself: the adders have not finished.
std::int64_t bubbles(const Accelerator& a, Accumulator acc, int x, int y, int z, std::int64_t steps) {
  const bool wide = acc == Accumulator::bits40, smallest = a.macs == 32;
  const int delay = smallest ? (wide ? 7 : 3) : (wide && a.macs <= 128 ? 3 : 2);
  std::int64_t out = 0;
  if (x == 1 && y == 1) {
    if (z == 1)
      out = delay * steps;
    else if (steps > 1)
      out = delay * (steps - 1) * z;
  }
  if (smallest && wide && (x == 1 || y == 1) && z > 1) out += std::int64_t{delay} * z;
  return out;
}

}  // namespace

bool one_row(const Accelerator& a, const Job& job) {
  return !a.table85 && a.ofm_ublock.h == 2 && has_weights(job.unit()) && job.ofm.shape.h == 1 &&
         job.ofm.shape.w % 2 == 0 && job.kernel.h == 1;
}

std::int64_t mac_cycles(const Accelerator& a, const Job& job, const BlockConfig& block, const Block& ofm, int ifm_depth,
                        int taps) {
  if (a.table85) return u85::mac_cycles(a, job, block, ofm, ifm_depth, taps);
  const Block micro = one_row(a, job) ? Block{1, 4, a.ofm_ublock.c} : a.ofm_ublock;
  const int x = blocks(ofm.w, micro.w), y = blocks(ofm.h, micro.h), z = blocks(ofm.c, micro.c);
  const Steps part = mac_steps(a, job, block, taps, x * y, z, 32 * micro.c / 8, ifm_depth);
  std::int64_t waits = bubbles(a, block.accumulator, x, y, z, part.steps);
  if (job.unit() == Unit::convolution && block.part_kernel) waits *= blocks(ifm_depth, 8);
  return part.cycles + waits;
}

std::int64_t least_mac_cycles(const Accelerator& a, const Job& job) {
  if (a.table85) return u85::least_mac_cycles(a, job);
  if (job.unit() == Unit::elementwise) return 0;
  const Shape &out = job.ofm.shape, &in = job.ifm.shape;
  const Block& micro = a.ofm_ublock;
  std::int64_t xy = std::int64_t{blocks(out.w, micro.w)} * blocks(out.h, micro.h);
  if (micro.h == 2 && has_weights(job.unit()) && out.w % 2 == 0 && job.kernel.h == 1)
    xy = std::min<std::int64_t>(xy, std::int64_t{out.h} * blocks(out.w, 4));  // in stripes of one row
  const int z = blocks(out.c, micro.c), depth = by_channel(job.unit()) ? out.c : in.c;
  const int deepest = job.ifm.bits == 16 ? 16 : 32;  // input channels of a block
  std::int64_t sum = 0;
  for (const int taps : sub_kernels(job)) {
    std::int64_t least = -1;
    for (const bool part : {false, true}) {
      if (part && !convolves(job.unit())) continue;
      BlockConfig b;
      b.part_kernel = part;
      const std::int64_t times = by_channel(job.unit()) || part ? 1 : blocks(depth, deepest);
      const auto at_once = static_cast<int>(std::min<std::int64_t>(xy, 1 << 20));
      const auto one = mac_steps(a, job, b, taps, at_once, z, 0, depth).cycles * times;
      if (least < 0 || one < least) least = one;
    }
    sum += least;
  }
  // Of two cores each step's cycles are halved and rounded down: of 4 or more by a fifth at most.
  return a.cores == 1 ? sum : sum / a.cores * 4 / 5;
}

double output_cycles(const Accelerator& a, const Job& job, Accumulator accumulator) {
  if (a.table85) return u85::output_cycles(a, job);
  const bool elementwise = job.unit() == Unit::elementwise;
  OutputRate rate = OutputRate::other;
  if (elementwise && job.ifm.bits == 32)
    rate = job.ifm2 ? OutputRate::two_operands_32 : OutputRate::one_operand_32;
  else if (job.function == Function::mul && job.ofm.bits == 32)
    rate = OutputRate::mul_to_32;
  else if (job.function == Function::mul || (!elementwise && accumulator == Accumulator::bits40))
    rate = OutputRate::mul_or_40;
  else if (job.function == Function::add || job.function == Function::sub)
    rate = OutputRate::add;
  else if (job.function == Function::max_pool)
    rate = OutputRate::max_pool;
  const ActivationRate activation = job.activation == Activation::none   ? ActivationRate::none
                                    : job.activation == Activation::relu ? ActivationRate::relu
                                                                         : ActivationRate::table;
  return std::max(a.output_cycles[static_cast<std::size_t>(rate)],
                  a.activation_cycles[static_cast<std::size_t>(activation)]);
}

}  // namespace dse::hw::ethos_u
