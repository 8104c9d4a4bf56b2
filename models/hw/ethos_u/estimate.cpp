#include "models/hw/ethos_u/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/u85/channels.h"

namespace dse::hw::ethos_u {
namespace {

Block clipped(const Block& b, const Shape& s) { return {std::min(b.h, s.h), std::min(b.w, s.w), std::min(b.c, s.c)}; }
int depth_quantum(Format f) { return f == Format::brick ? 16 : 1; }

/// Elements of a shape as its format stores it.
std::int64_t stored(const Shape& s, Format f) { return std::int64_t{s.n} * s.area() * round_up(s.c, depth_quantum(f)); }

/// Cycles that it takes to read the input block and to write the output block, as far as they are there.
double block_transfers(const Npu& npu, const Job& job, const BlockConfig& block) {
  const auto one = [&](const Map& map, const Block& b, bool reads) {
    const MemoryPort& port = npu.port(map.area);
    const double bytes = static_cast<double>(clipped(b, map.shape).elements());
    return (reads ? port.read_latency : port.write_latency) +
           with_bursts(npu, map, b, reads, bytes) / npu.bytes_per_cycle(map.area);
  };
  return one(job.ifm, block.ifm, true) + one(job.ofm, block.ofm, false);
}

/// Cycles per output with what an elementwise block at least takes for its transfers, of which four are under way.
double cycles_per_output(const Npu& npu, const Job& job, const BlockConfig& block) {
  const double out = output_cycles(npu.acc(), job, block.accumulator);
  if (job.unit() != Unit::elementwise) return out;
  const double elements = static_cast<double>(block.ofm.elements());
  return std::max(out, (block_transfers(npu, job, block) + out * elements) / 4 / elements);
}

std::int64_t product_cycles(const Npu& npu, const Job& job, const BlockConfig& block) {
  const Accelerator& a = npu.acc();
  const Unit unit = job.unit();
  const Block ifm = clipped(block.ifm, job.ifm.shape);
  Block ofm = clipped(block.ofm, job.ofm.shape);
  if (one_row(a, job)) ofm.h = 1;
  std::int64_t mac = 0;
  for (const int taps : sub_kernels(job)) mac += mac_cycles(a, job, block, ofm, ifm.c, taps);
  if (unit == Unit::convolution || unit == Unit::vector_product || unit == Unit::reduce_sum)
    mac *= blocks(job.ifm.shape.c, ifm.c);
  double mac_cycles = static_cast<double>(mac) / a.cores;
  const double count = static_cast<double>(job.ofm.shape.n) * blocks(job.ofm.shape.h, ofm.h) *
                       blocks(job.ofm.shape.w, ofm.w) * blocks(job.ofm.shape.c, ofm.c);
  double output = std::ceil(cycles_per_output(npu, job, block) * static_cast<double>(ofm.elements()));
  if (job.has_bias) output = std::max(output, kScaleBytes * ofm.c * npu.port(job.constants).read_latency / 256.0);
  const double command = (block_transfers(npu, job, block) + output + mac_cycles) / 4;
  mac_cycles = std::max(mac_cycles, command);
  output = std::max(output, command);
  return static_cast<std::int64_t>(mac_cycles > output ? mac_cycles * count + output : output * count + mac_cycles);
}

}  // namespace

double with_bursts(const Npu& npu, const Map& map, const Block& block, bool reads, double bytes) {
  const Accelerator& a = npu.acc();
  const std::int64_t bits = map.bits, per_row_of_bricks = bits * 16 * map.shape.w / 8;
  std::int64_t burst = 0;  // bits
  if (map.format == Format::brick) {
    if (per_row_of_bricks == block.c)
      burst = bits * block.c * block.w;
    else
      burst = 16 * bits * block.w * (reads ? 1 : a.decoders());
  } else {
    // Vela compares the distance of elements, not of columns, with the block's channels.
    const bool contiguous = bits == 8 * block.c;
    if (contiguous && (reads || block.c <= 16))
      burst = bits * block.c * block.w;
    else
      burst = reads ? bits * block.c : std::min<std::int64_t>({64 * 8, 16 * bits * a.decoders(), block.c * bits});
  }
  const int longest = npu.port(map.area).burst;
  return bytes * (static_cast<double>(longest) / static_cast<double>(std::min<std::int64_t>(longest, burst / 8)));
}

Estimate estimate(const Npu& npu, const Job& job, const BlockConfig& block) {
  const Unit unit = job.unit();
  if (unit == Unit::copy) return {};
  if (unit == Unit::elementwise)
    return {static_cast<std::int64_t>(std::ceil(cycles_per_output(npu, job, block) *
                                                static_cast<double>(stored(job.ofm.shape, job.ofm.format)))),
            0};
  return {product_cycles(npu, job, block),
          std::int64_t{job.kernel.elements()} * (by_channel(unit) ? 1 : job.ifm.shape.c) * job.ofm.shape.elements()};
}

Accesses accesses(const Job& job, const BlockConfig& block) {
  Accesses out;
  const Unit unit = job.unit();
  if (unit == Unit::copy) return out;
  const int quantum = depth_quantum(job.ifm.format);
  out.ofm = stored(job.ofm.shape, job.ofm.format);
  if (unit == Unit::elementwise) {
    const std::int64_t whole = stored(job.ofm.shape, job.ifm.format);
    const auto operand = [&](const Map& m) {
      if (m.shape.elements() > 1) return whole;
      return m.bits > 8 ? std::int64_t{m.shape.n} * m.shape.area() * round_up(m.shape.c, quantum) : std::int64_t{0};
    };
    out.ifm = operand(job.ifm);
    if (job.ifm2) out.ifm2 = job.ifm.shape.elements() == 1 ? whole : operand(*job.ifm2);
    return out;
  }
  const bool alone = by_channel(unit);
  const Block ifm = clipped(block.ifm, job.ifm.shape), ofm = clipped(block.ofm, job.ofm.shape);
  const std::int64_t spatial =
      std::int64_t{blocks(job.ofm.shape.h, ofm.h)} * blocks(job.ofm.shape.w, ofm.w) * job.ofm.shape.n;
  const std::int64_t count = spatial * (alone ? 1 : blocks(job.ofm.shape.c, ofm.c));
  const std::int64_t parts = static_cast<std::int64_t>(sub_kernels(job).size());
  out.ifm = ifm.area() * round_up(job.ifm.shape.c, quantum) * parts * count;
  if (unit == Unit::pooling || unit == Unit::reduce_sum) return out;
  out.weights =
      std::int64_t{job.kernel.elements()} * (alone ? 1 : job.ifm.shape.c) * (alone ? job.ifm.shape.c : ofm.c) * count;
  out.scales = job.ofm.shape.c;
  return out;
}

double transfer_cycles(const Npu& npu, Area from, Area to, std::int64_t bytes) {
  const bool u85 = npu.acc().table85 != nullptr;
  const double reads = u85 ? u85::read_rate(npu, from, u85::Channel::copies) : npu.bytes_per_cycle(from),
               writes = u85 ? u85::write_rate(npu, to) : npu.bytes_per_cycle(to);
  const double source = std::floor(static_cast<double>(bytes) / reads) + npu.port(from).read_latency;
  return std::max(source, std::floor(static_cast<double>(bytes) / writes));
}

}  // namespace dse::hw::ethos_u
