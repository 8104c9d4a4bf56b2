#include "models/hw/ethos_u/u85/blocks.h"

#include <algorithm>
#include <limits>

#include "base/units.h"

namespace dse::hw::ethos_u::u85 {
namespace {

constexpr int kBrickBytes = 16;  // that input channels are a multiple of in their RAM
constexpr int kDeepest = 64, kKernelFirstDepth = 16, kWideDepth = 32;  // input channels of a block
constexpr int kLeastDepth = 16;

bool pointwise(const Job& job) { return job.kernel.elements() == 1 && !kernel_first(job); }

Block input_of(const Job& job, const Block& ofm, const Block& micro, int depth) {
  const Kernel& k = job.kernel;
  return {up(inputs_under(ofm.h, k.stride_h, std::min(k.rows(), kSubKernel), job.upscale), micro.h),
          up(inputs_under(ofm.w, k.stride_w, std::min(k.columns(), kSubKernel), job.upscale), micro.w), depth};
}

/// Input channels of a block: fewer than usual where not even the inputs of a micro block fit (16-bit inputs under
/// large kernels).
int input_depth(const Accelerator& a, const Job& job, const Block& micro) {
  int depth = kDeepest;
  if (job.unit() == Unit::convolution && kernel_first(job))
    depth = kKernelFirstDepth;
  else if (job.ifm.bits == 32 || (a.macs <= 256 && micro.c == 16))
    depth = kWideDepth;
  const Block least{micro.h, micro.w, up(micro.c, kAccumulatorDepth)};
  while (depth > kLeastDepth && input_bytes(job, input_of(job, least, micro, depth)) > a.table85->input_ram) depth /= 2;
  return depth;
}

/// A row of micro blocks more is read while a block is computed.
std::int64_t ahead_bytes(const Accelerator& a, const Job& job, const Block& ofm, const Block& micro) {
  return input_bytes(job, input_block(a, job, {micro.h, ofm.w, ofm.c}, micro));
}

bool elementwise_fits(const Table& t, const Job& job, const Block& ofm) {
  return output_bytes(job, ofm) <= t.output_buffer && stretched_bytes(job, ofm) <= t.chaining_buffer / kChainingSlots;
}

}  // namespace

bool kernel_first(const Job& job) {
  const int depth = job.larger_input().c, taps = job.kernel.elements();
  const int walked = taps / 5 * 5 + std::max(taps % 5, 2);  // five at a time, of the rest two at least
  const double by_kernel = depth / static_cast<double>(up(depth, 16)) * (taps / static_cast<double>(walked));
  return by_kernel >= depth / static_cast<double>(up(depth, kDeepest));
}

bool takes(const Accelerator& a, const Job& job, const Block& micro) {
  const Unit unit = job.unit();
  if (unit == Unit::elementwise || a.macs == 512) return true;
  const bool alone = unit == Unit::depthwise || unit == Unit::pooling;
  if (a.macs > 512) return micro.c == 16 || unit == Unit::convolution || unit == Unit::vector_product;
  if (micro.c == 8) return !alone || job.ifm.bits > 8;
  if (job.ifm.bits == 8) return alone;
  return job.ifm.bits == 16 && (unit == Unit::vector_product || (unit == Unit::convolution && pointwise(job)));
}

Block best_ublock(const Accelerator& a, const Job& job) {
  const Shape& s = job.ofm.shape;
  Block best = a.ofm_ublock;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Block& micro : a.table85->ublocks) {
    if (!takes(a, job, micro)) continue;
    const int depth = up(s.c, std::max(micro.c, kAccumulatorDepth));
    const std::int64_t covered = std::int64_t{up(s.h, micro.h)} * up(s.w, micro.w) * depth;
    if (covered < least) least = covered, best = micro;
  }
  return best;
}

const Block* ublock_of(const Accelerator& a, const Job& job, const Block& ofm) {
  for (const Block& micro : a.table85->ublocks)
    if (takes(a, job, micro) && ofm.h % micro.h == 0 && ofm.w % micro.w == 0 && ofm.c % micro.c == 0) return &micro;
  return nullptr;
}

Block input_block(const Accelerator& a, const Job& job, const Block& ofm, const Block& micro) {
  return input_of(job, ofm, micro, by_channel(job.unit()) ? ofm.c : input_depth(a, job, micro));
}

std::int64_t input_bytes(const Job& job, const Block& ifm) {
  const int depth = by_channel(job.unit()) ? ifm.c : std::min(ifm.c, job.larger_input().c);
  return ifm.area() * round_up(std::int64_t{depth} * job.ifm.bits / 8, std::int64_t{kBrickBytes});
}

std::int64_t accumulator_bytes(const Accelerator& a, const Job& job, const Block& ofm) {
  return ofm.area() * up(ofm.c, kAccumulatorDepth) * bits_of(accumulator_of(a, job)) / 8;
}

std::int64_t output_bytes(const Job& job, const Block& ofm) {
  return ofm.elements() * std::max(job.ifm.bits, job.ofm.bits) / 8;
}

std::int64_t stretched_bytes(const Job& job, const Block& ofm) {
  if (!job.ifm2 || job.scalar) return 0;
  std::int64_t least = 0;
  for (const Map* m : {&job.ifm, &*job.ifm2}) {
    if (m->shape == job.ofm.shape) continue;
    const auto along = [](int block, int size) { return size == 1 ? 1 : block; };
    const Block held{along(ofm.h, m->shape.h), along(ofm.w, m->shape.w), along(ofm.c, m->shape.c)};
    const std::int64_t bytes = held.elements() * m->bits / 8;
    if (held != ofm && (least == 0 || bytes < least)) least = bytes;
  }
  return least;
}

std::optional<BlockConfig> block_config(const Accelerator& a, const Job& job, const Block& ofm) {
  const Table& t = *a.table85;
  if (ofm.h < 1 || ofm.w < 1 || ofm.c < 1 || ofm.h > kLargestBlock.h || ofm.w > kLargestBlock.w ||
      ofm.c > kLargestBlock.c || ofm.c % kAccumulatorDepth)
    return std::nullopt;
  const Block* micro = ublock_of(a, job, ofm);
  if (!micro) return std::nullopt;
  BlockConfig out{.ofm = ofm, .ifm = {}, .accumulator = accumulator_of(a, job), .ublock = *micro};
  out.part_kernel = job.unit() == Unit::convolution && kernel_first(job);
  out.ifm = input_block(a, job, ofm, *micro);
  if (job.unit() == Unit::elementwise) return elementwise_fits(t, job, ofm) ? std::optional(out) : std::nullopt;
  const std::int64_t inputs = input_bytes(job, out.ifm), sums = accumulator_bytes(a, job, ofm);
  if (inputs > t.input_ram || sums > t.accumulator_ram) return std::nullopt;
  out.input_buffers = 2 * inputs <= t.input_ram ? 2 : 1;
  out.accumulator_sets = 2 * sums <= t.accumulator_ram ? 2 : 1;
  if (follows_by_row(job.unit())) {
    out.accumulator_sets = 2;
    if (inputs + ahead_bytes(a, job, ofm, *micro) <= t.input_ram) out.input_buffers = 2;
  }
  return out;
}

}  // namespace dse::hw::ethos_u::u85
