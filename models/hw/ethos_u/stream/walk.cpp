#include "models/hw/ethos_u/stream/walk.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "models/hw/ethos_u/block_cycles.h"
#include "models/hw/ethos_u/shram.h"
#include "models/hw/ethos_u/u85/channels.h"
#include "models/hw/ethos_u/u85/cycles.h"

namespace dse::hw::ethos_u {
namespace {

constexpr int kDecodedPerCycle = 8;  // weights, per core of U55 and U65: 256 in the 32 cycles that Vela 3.10 gives them

struct Range {
  int from = 0, to = 0;
  int size() const { return to - from; }
};

class Walker {
 public:
  Walker(const Npu& npu, const Registers& r, const Job& job, const BlockConfig& block)
      : npu_(npu), a_(npu.acc()), r_(r), job_(job), block_(block), axi_bytes_(a_.axi_bits / 8) {}

  Walk run() && {
    out_.weights = job_.constants;
    out_.blockdep = static_cast<int>(r_[Register::blockdep]);
    out_.elementwise = job_.unit() == Unit::elementwise;
    out_.bits = job_.ifm.bits;
    out_.input_buffers = block_.input_buffers, out_.accumulator_sets = block_.accumulator_sets;
    const double zeros = static_cast<double>(r_[Register::traversal] >> kZerosShift & 0xFF) / kZerosWhole;
    out_.decoded_per_cycle = a_.table85 ? u85::decoded_per_cycle(a_, zeros) : kDecodedPerCycle * a_.cores;
    const Shape& s = job_.ofm.shape;
    by_channel_ = by_channel(job_.unit()), has_weights_ = has_weights(job_.unit());
    if (has_weights_) count_values();
    for (int y = 0; y < s.h; y += block_.ofm.h)
      for (int x = 0; x < s.w; x += block_.ofm.w)
        for (int c = 0; c < s.c; c += block_.ofm.c)
          one_block({y, std::min(s.h, y + block_.ofm.h)}, {x, std::min(s.w, x + block_.ofm.w)},
                    {c, std::min(s.c, c + block_.ofm.c)});
    return std::move(out_);
  }

 private:
  /// Beats for a box of a map.
  Traffic traffic(const Map& m, const Range& y, const Range& x, const Range& c) const {
    const std::int64_t bytes = m.bits / 8;
    const auto beats = [&](std::int64_t runs, std::int64_t length) {
      return runs * ceil_div(length, std::int64_t{axi_bytes_});
    };
    if (y.size() <= 0 || x.size() <= 0 || c.size() <= 0) return {m.area, 0};
    if (m.format == Format::brick) {
      const int bricks = up(c.to, 16) / 16 - c.from / 16;
      return {m.area, beats(std::int64_t{y.size()} * bricks, std::int64_t{x.size()} * 16 * bytes)};
    }
    if (c.size() >= m.shape.c) return {m.area, beats(y.size(), std::int64_t{x.size()} * c.size() * bytes)};
    return {m.area, beats(std::int64_t{y.size()} * x.size(), c.size() * bytes)};
  }

  /// Input rows or columns under outputs.
  static Range under(const Range& outputs, int stride, int reach, int pad, int size, Upscale upscale) {
    int from = outputs.from * stride - pad, to = (outputs.to - 1) * stride - pad + reach;
    if (upscale != Upscale::none) from = from >= 0 ? from / 2 : 0, to = (to + 1) / 2;
    return {std::clamp(from, 0, size), std::clamp(to, 0, size)};
  }

  int inputs() const { return by_channel_ ? 1 : blocks(job_.ifm.shape.c, block_.ifm.c); }

  /// Weights that are decoded for `outputs` channels over one block of inputs and a part of the kernel.
  std::int64_t values(int outputs, int depth, int taps) const {
    const bool wide = job_.ifm.bits == 16;
    const std::int64_t made = up(outputs, block_.ublock.c);
    if (job_.unit() == Unit::depthwise) return made * up(taps, 4);
    if (part_kernel()) return made * up(taps, wide ? 2 : 4) * up(depth, a_.ifm_ublock_depth);
    return made * taps * up(depth, wide ? 16 : 32);  // coded so many input channels at a time
  }

  int weight_depth() const {
    if (a_.table85 && !part_kernel()) return block_.ifm.c;
    return part_kernel() || job_.ifm.bits == 16 ? 16 : 32;
  }
  bool part_kernel() const { return job_.unit() == Unit::convolution && (r_[Register::traversal] & 1); }

  void count_values() {
    const Shape& s = job_.ofm.shape;
    const std::int64_t bytes = r_[Register::weight_length] + r_[Register::weight1_length];
    std::int64_t all = 0;
    for (int c = 0; c < s.c; c += block_.ofm.c) all += of_block(std::min(block_.ofm.c, s.c - c));
    bytes_per_value_ = all ? static_cast<double>(bytes) / static_cast<double>(all) : 0;
  }

  std::int64_t of_block(int outputs) const {
    std::int64_t sum = 0;
    const int in = job_.unit() == Unit::depthwise ? 1 : job_.ifm.shape.c, step = weight_depth();
    for (int from = 0; from < in; from += step)
      for (const int taps : sub_kernels(job_)) sum += values(outputs, std::min(step, in - from), taps);
    return sum;
  }

  void one_block(const Range& y, const Range& x, const Range& c) {
    const Kernel& k = job_.kernel;
    const Shape& in = job_.ifm.shape;
    const int top = static_cast<int>(r_[Register::pad_top]), left = static_cast<int>(r_[Register::pad_left]);
    const Block part{y.size(), x.size(), c.size()};
    const auto taps = sub_kernels(job_);
    for (int i = 0; i < inputs(); ++i) {
      const Range depth =
          by_channel_ ? channels_of(c) : Range{i * block_.ifm.c, std::min(in.c, (i + 1) * block_.ifm.c)};
      std::size_t number = 0;
      const int limit = sub_kernel_limit(job_);
      for (int ky = 0; ky < k.h; ky += limit)
        for (int kx = 0; kx < k.w; kx += limit, ++number) {
          const int kh = (std::min(limit, k.h - ky) - 1) * k.dilation_h + 1,
                    kw = (std::min(limit, k.w - kx) - 1) * k.dilation_w + 1;
          Step step;
          const Range iy = under(y, k.stride_h, kh, top - ky * k.dilation_h, in.h, job_.upscale);
          const Range ix = under(x, k.stride_w, kw, left - kx * k.dilation_w, in.w, job_.upscale);
          if (out_.elementwise) {
            operands(step, y, x, c);
          } else {
            step.ifm = traffic(job_.ifm, iy, ix, depth);
            step.mac_cycles =
                mac_cycles(a_, job_, block_, part, by_channel_ ? part.c : depth.size(), taps[number]) / a_.cores;
          }
          if (has_weights_) {
            step.weight_values = values(part.c, depth.size(), taps[number]);
            step.weight_bytes =
                static_cast<std::int64_t>(std::llround(bytes_per_value_ * static_cast<double>(step.weight_values)));
            if (i == 0 && number == 0) step.weight_bytes += kScaleBytes * part.c;
          }
          step.last = i + 1 == inputs() && number + 1 == taps.size();
          out_.steps.push_back(step);
        }
    }
    OutputBlock made;
    made.output_cycles = static_cast<std::int64_t>(
        std::ceil(output_cycles(a_, job_, block_.accumulator) * static_cast<double>(part.elements())));
    made.ofm = traffic(job_.ofm, y, x, c);
    out_.blocks.push_back(made);
  }

  /// Input channels under output channels where each has its own; a maximum over columns of a picture has one.
  Range channels_of(const Range& c) const {
    return {std::min(c.from, job_.ifm.shape.c - 1), std::min(c.to, job_.ifm.shape.c)};
  }

  void operands(Step& step, const Range& y, const Range& x, const Range& c) const {
    const auto of = [&](const Map& m) {
      const auto along = [](const Range& range, int size) { return size == 1 ? Range{0, 1} : range; };
      return traffic(m, along(y, m.shape.h), along(x, m.shape.w), along(c, m.shape.c));
    };
    step.ifm = of(job_.ifm);
    if (job_.ifm2 && !job_.scalar) step.ifm2 = of(*job_.ifm2);
  }

  const Npu& npu_;
  const Accelerator& a_;
  const Registers& r_;
  const Job& job_;
  const BlockConfig& block_;
  int axi_bytes_;
  Walk out_;
  bool by_channel_ = false, has_weights_ = false;
  double bytes_per_value_ = 0;
};

}  // namespace

Area area_of(const Npu& npu, Region r) {
  switch (r) {
    case Region::constants:
      return npu.constants();
    case Region::fast:
      return Npu::fast();
    case Region::feature_maps:
      return npu.feature_maps();
    default:
      return Area::shram;
  }
}

std::optional<Job> job_of(const Npu& npu, const Registers& r, BlockConfig& block, std::string& why) {
  Job job;
  const auto value = [&](Register at) { return static_cast<int>(r[at]); };
  const auto wrong = [&](const char* text) {
    why = text;
    return std::optional<Job>();
  };
  if (value(Register::function) > static_cast<int>(Function::leading_zeros)) return wrong("no such function");
  job.function = static_cast<Function>(value(Register::function));
  if (value(Register::activation) > static_cast<int>(Activation::curve)) return wrong("no such activation");
  job.activation = static_cast<Activation>(value(Register::activation));
  const auto map = [&](Register h, Register type, Register region, Map& m) {
    const auto first = static_cast<int>(h);
    m.shape = {1, value(h), value(static_cast<Register>(first + 1)), value(static_cast<Register>(first + 2))};
    m.bits = value(type) & 0xFF;
    m.format = value(type) >> 8 & 1 ? Format::brick : Format::nhwc;
    if (value(region) > static_cast<int>(Region::tables)) return false;
    m.area = area_of(npu, static_cast<Region>(value(region)));
    return m.shape.elements() > 0 && (m.bits == 8 || m.bits == 16 || m.bits == 32);
  };
  if (!map(Register::ifm_h, Register::ifm_type, Register::ifm_region, job.ifm))
    return wrong("the input has no size or no type");
  if (!map(Register::ofm_h, Register::ofm_type, Register::ofm_region, job.ofm))
    return wrong("the output has no size or no type");
  if (value(Register::ifm2_mode) > static_cast<int>(SecondOperand::scalar)) return wrong("no such second operand");
  const auto second = static_cast<SecondOperand>(value(Register::ifm2_mode));
  if (second != SecondOperand::none) {
    Map m;
    if (!map(Register::ifm2_h, Register::ifm2_type, Register::ifm2_region, m))
      return wrong("the second input has no size or no type");
    job.ifm2 = m;
  }
  job.scalar = second == SecondOperand::scalar;
  const std::uint32_t s = r[Register::strides];
  job.kernel = {value(Register::kernel_h),     value(Register::kernel_w),     static_cast<int>(s & 15),
                static_cast<int>(s >> 4 & 15), static_cast<int>(s >> 8 & 15), static_cast<int>(s >> 12 & 15)};
  if (job.kernel.h < 1 || job.kernel.w < 1 || job.kernel.stride_h < 1 || job.kernel.stride_w < 1 ||
      job.kernel.dilation_h < 1 || job.kernel.dilation_w < 1)
    return wrong("the kernel has no size or no stride");
  if (job.kernel.h > kMostRows || std::int64_t{job.kernel.h} * job.kernel.w > kMostElements)
    return wrong("the kernel has more than 256 rows or 65536 elements");
  if (job.unit() == Unit::elementwise && job.kernel.elements() > 1)
    return wrong("what goes element by element has no window");
  if (value(Register::ifm_upscale) > static_cast<int>(Upscale::zeros)) return wrong("no such upscaling");
  job.upscale = static_cast<Upscale>(value(Register::ifm_upscale));
  job.scaled = (r[Register::traversal] >> 1 & 1) != 0;
  job.has_bias = r[Register::scale_length] > 0;
  if (value(Register::weight_region) > static_cast<int>(Region::tables)) return wrong("the weights lie in no region");
  job.constants = area_of(npu, static_cast<Region>(value(Register::weight_region)));
  const auto found =
      block_config(npu.acc(), job, {value(Register::block_h), value(Register::block_w), value(Register::block_c)});
  if (!found) return wrong("the blocks do not fit into the internal memory");
  block = *found;
  if (step_count(job, block) > kMostSteps) return wrong("it takes more than 1048576 steps");
  return job;
}

std::int64_t step_count(const Job& job, const BlockConfig& block) {
  const Shape& s = job.ofm.shape;
  const int inputs = by_channel(job.unit()) ? 1 : blocks(job.ifm.shape.c, block.ifm.c);
  return std::int64_t{blocks(s.h, block.ofm.h)} * blocks(s.w, block.ofm.w) * blocks(s.c, block.ofm.c) * inputs *
         static_cast<std::int64_t>(sub_kernels(job).size());
}

std::int64_t port_cycles(const Npu& npu, const Traffic& t, Mover mover, bool writes) {
  if (!npu.acc().table85 || t.beats == 0) return t.beats;
  constexpr u85::Channel kOf[] = {u85::Channel::copies, u85::Channel::input, u85::Channel::input_stream,
                                  u85::Channel::weights};
  double rate = npu.bytes_per_cycle(t.area);  // commands
  if (writes)
    rate = u85::write_rate(npu, t.area);
  else if (mover <= Mover::weights)
    rate = u85::read_rate(npu, t.area, kOf[static_cast<std::size_t>(mover)]);
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(t.beats * (npu.acc().axi_bits / 8)) / rate));
}

Walk walk(const Npu& npu, const Registers& r, const Job& job, const BlockConfig& block) {
  return Walker(npu, r, job, block).run();
}

}  // namespace dse::hw::ethos_u
