#include "plan/npu/stream/emit.h"

#include <algorithm>

#include "base/index.h"
#include "base/units.h"
#include "models/hw/ethos_u/shram.h"
#include "models/hw/ethos_u/stream/walk.h"
#include "plan/npu/stream/overlap.h"

namespace dse::plan::npu {
namespace {

using namespace hw::ethos_u;

std::uint32_t u32(std::int64_t v) { return static_cast<std::uint32_t>(v); }

class Emitter {
 public:
  Emitter(const Costs& costs, const Schedule& s, const Places& places) : costs_(costs), s_(s), places_(places) {}

  Stream run(int first, int last) && {
    rows_.assign(index(costs_.count()), 0);
    for (int i = first; i < last;) {
      if (const Cascade* cascade = s_.cascade_of(plan_of(i))) {
        chain(*cascade, last);
        i = cascade->last + 1;
      } else {
        alone(i, last);
        ++i;
      }
    }
    writer_.operation(OpCode::dma_wait), writer_.operation(OpCode::kernel_wait), writer_.operation(OpCode::stop);
    out_.words = writer_.words();
    return std::move(out_);
  }

 private:
  const OperationPlan& plan_of(int i) const { return s_.operations[index(i)]; }

  // --- copies

  /// Bytes of the fast memory.
  struct Span {
    std::int64_t from = 0, to = 0;
    bool meets(const Span& o) const { return from < o.to && o.from < to; }
  };

  Span span_of(int tensor) const {
    if (tensor < 0 || !costs_.in_fast(tensor)) return {};
    const std::int64_t at = places_.tensor[index(tensor)];
    return {at, at + costs_.bytes(tensor)};
  }
  /// Waits until no kernel that may still run touches these bytes; two are under way at most.
  void wait_for_users(const Span& span) {
    for (std::size_t back = 0; back < 2 && back < users_.size(); ++back) {
      const auto& spans = users_[users_.size() - 1 - back];
      if (std::none_of(spans.begin(), spans.end(), [&](const Span& s) { return s.meets(span); })) continue;
      writer_.operation(OpCode::kernel_wait, static_cast<std::uint16_t>(back));
      return;
    }
  }
  /// Into the fast memory.
  void stage(std::int64_t from, std::int64_t to, std::int64_t bytes) {
    wait_for_users({to, to + bytes});
    dma(Region::constants, from, Region::fast, to, bytes);
  }

  void dma(Region from, std::int64_t from_at, Region to, std::int64_t to_at, std::int64_t bytes) {
    writer_.set(Register::dma_from_region, u32(static_cast<int>(from))),
        writer_.set(Register::dma_to_region, u32(static_cast<int>(to)));
    writer_.set(Register::dma_from, u32(from_at)), writer_.set(Register::dma_to, u32(to_at)),
        writer_.set(Register::dma_length, u32(bytes));
    writer_.operation(OpCode::dma);
    copying_ = true;
  }
  void wait_for_copies() {
    if (copying_) writer_.operation(OpCode::dma_wait);
    copying_ = false;
  }

  std::int64_t slice_begin(int i, std::size_t slice) const {
    std::int64_t at = 0;
    for (std::size_t s = 0; s < slice; ++s) at += plan_of(i).weights->slice_bytes[s];
    return at;
  }
  void bring_slice(int i, std::size_t slice) {
    const int buffer = plan_of(i).staging == WeightStaging::two_buffers ? static_cast<int>(slice % 2) : 0;
    stage(places_.stream[index(i)] + slice_begin(i, slice), places_.weights_in_fast.at({i, buffer}),
          plan_of(i).weights->slice_bytes[slice]);
  }
  bool brought(int i) const { return brought_ > i; }

  /// What comes while the last part of the operation before runs.
  void bring_ahead(int next, int last) {
    if (next >= last || brought(next) || plan_of(next).staging == WeightStaging::none || !plan_of(next).ahead) return;
    bring_slice(next, 0);
    brought_ = next + 1;
  }

  // --- operations

  void alone(int i, int last) {
    const Operation& o = costs_.op(i);
    if (o.function == Function::copy) return copy(i);
    const OperationPlan& plan = plan_of(i);
    prepare(i);
    for (std::size_t s = 0; s + 1 < plan.slices.size(); ++s) {
      wait_for_copies();
      if (s + 2 == plan.slices.size()) bring_ahead(i + 1, last);
      kernel(i, {i, 0, o.ofm_shape.h, plan.slices[s], plan.slices[s + 1]}, s);
      // Into the other buffer while this slice is computed, or into the same one afterwards.
      if (plan.staging != WeightStaging::none && s + 2 < plan.slices.size()) bring_slice(i, s + 1);
    }
  }

  /// Weights and table of an operation, before its first part.
  void prepare(int i) {
    const Operation& o = costs_.op(i);
    if (o.table_bytes) dma(Region::constants, places_.table[index(i)], Region::tables, 0, o.table_bytes);
    if (plan_of(i).staging == WeightStaging::none || brought(i)) return;
    bring_slice(i, 0);
    brought_ = std::max(brought_, i + 1);
  }

  void copy(int i) {
    const Operation& o = costs_.op(i);
    if (costs_.area(o.ifm) == costs_.area(o.ofm) && places_.tensor[index(o.ifm)] == places_.tensor[index(o.ofm)])
      return;
    writer_.operation(OpCode::kernel_wait);
    dma(region(o.ifm), places_.tensor[index(o.ifm)], region(o.ofm), places_.tensor[index(o.ofm)], costs_.bytes(o.ofm));
    wait_for_copies();
  }

  /// Operations of a cascade in turn: each makes a stripe as soon as the next one can use it.
  void chain(const Cascade& c, int last) {
    for (int i = c.first; i <= c.last; ++i) prepare(i);
    wait_for_copies();
    const int all = costs_.op(c.last).ofm_shape.h;
    while (rows_[index(c.last)] < all) stripe(c, c.last, rows_[index(c.last)] + 1);
    bring_ahead(c.last + 1, last);
  }

  /// Makes rows of operation i until it has `rows` of them.
  void stripe(const Cascade& c, int i, int rows) {
    const Operation& o = costs_.op(i);
    while (rows_[index(i)] < rows) {
      const int y0 = rows_[index(i)], y1 = std::min(o.ofm_shape.h, y0 + plan_of(i).stripe.h);
      if (i > c.first) stripe(c, i - 1, input_rows(o, y0, y1).to);
      kernel(i, {i, y0, y1, 0, o.ofm_shape.c}, 0);
      rows_[index(i)] = y1;
    }
  }

  // --- kernels

  Region region(int tensor) const {
    const Area a = costs_.area(tensor);
    if (costs_.tensor(tensor).constant) return Region::constants;
    return a == Npu::fast() ? Region::fast : Region::feature_maps;
  }

  void map(Register first, Register type, Register where, Register base, int tensor, int h, int w, int c) {
    const auto at = static_cast<int>(first);
    writer_.set(first, u32(h)), writer_.set(static_cast<Register>(at + 1), u32(w)),
        writer_.set(static_cast<Register>(at + 2), u32(c));
    writer_.set(type, u32(costs_.tensor(tensor).bits | (costs_.format(tensor) == Format::brick ? 1 << 8 : 0)));
    writer_.set(where, u32(static_cast<int>(region(tensor))));
    writer_.set(base, u32(places_.tensor[index(tensor)]));
    // Distances of rows, of columns, of bricks or channels.
    const int bytes = costs_.tensor(tensor).bits / 8, b = static_cast<int>(base);
    const bool brick = costs_.format(tensor) == Format::brick;
    const Shape& all = costs_.tensor(tensor).shape;
    writer_.set(static_cast<Register>(b + 1), u32(bytes * all.w * (brick ? up(all.c, 16) : all.c)));
    writer_.set(static_cast<Register>(b + 2), u32(bytes * (brick ? 16 : all.c)));
    writer_.set(static_cast<Register>(b + 3), u32(brick ? bytes * 16 * all.w : bytes));
  }

  int ring(int i, bool of_input) const {
    const Cascade* cascade = s_.cascade_of(plan_of(i));
    if (!cascade) return 0;
    const auto found = cascade->buffers.find(of_input ? i : i + 1);
    return found == cascade->buffers.end() ? 0 : found->second.h;
  }

  void kernel(int i, const Part& part, std::size_t slice) {
    const Operation& o = costs_.op(i);
    const OperationPlan& plan = plan_of(i);
    const Rows in = input_rows(o, part.y0, part.y1);
    const Shape seen = o.read.value_or(o.ifm_shape), made = o.write.value_or(o.ofm_shape);
    const bool slices = plan.slices.size() > 2;
    writer_.set(Register::function, u32(static_cast<int>(o.function)));
    writer_.set(Register::activation, u32(static_cast<int>(o.activation)));
    quantization(o);
    const auto layout = layout_of(costs_.npu().acc(), costs_.job(i, Npu::fast()), plan.block.ofm, plan.block.ifm);
    if (layout)
      writer_.set(Register::ifm_buffer_end, u32(layout->ifm_end)),
          writer_.set(Register::accumulators_begin, u32(layout->accumulators));
    writer_.set(Register::kernel_h, u32(o.kernel.h)), writer_.set(Register::kernel_w, u32(o.kernel.w));
    writer_.set(Register::strides,
                u32(o.kernel.stride_h | o.kernel.stride_w << 4 | o.kernel.dilation_h << 8 | o.kernel.dilation_w << 12));
    writer_.set(Register::traversal, u32((costs_.part_kernel(i) ? 1 : 0) | (o.scaled ? 2 : 0)) | zeros(i, slice));
    writer_.set(Register::block_h, u32(plan.block.ofm.h)), writer_.set(Register::block_w, u32(plan.block.ofm.w)),
        writer_.set(Register::block_c, u32(plan.block.ofm.c));
    map(Register::ifm_h, Register::ifm_type, Register::ifm_region, Register::ifm_base, o.ifm,
        o.read ? seen.h : in.to - in.from, seen.w,
        by_channel(o.unit()) && slices && seen.c > 1 ? part.c1 - part.c0 : seen.c);
    writer_.set(Register::ifm_upscale, u32(static_cast<int>(o.upscale)));
    writer_.set(Register::pad_top, u32(in.pad_before)), writer_.set(Register::pad_bottom, u32(in.pad_after));
    writer_.set(Register::pad_left, u32(o.padding.left)), writer_.set(Register::pad_right, u32(o.padding.right));
    const SecondOperand second = o.ifm2 < 0 ? SecondOperand::none
                                 : o.scalar ? SecondOperand::scalar
                                            : SecondOperand::map;
    writer_.set(Register::ifm2_mode, u32(static_cast<int>(second)));
    if (o.ifm2 >= 0)
      map(Register::ifm2_h, Register::ifm2_type, Register::ifm2_region, Register::ifm2_base, o.ifm2,
          o.ifm2_shape.h == 1 ? 1 : part.y1 - part.y0, o.ifm2_shape.w, o.ifm2_shape.c);
    map(Register::ofm_h, Register::ofm_type, Register::ofm_region, Register::ofm_base, o.ofm,
        o.write ? made.h : part.y1 - part.y0, made.w, o.write ? made.c : part.c1 - part.c0);
    writer_.set(Register::part_y, u32(part.y0)), writer_.set(Register::part_c, u32(part.c0)),
        writer_.set(Register::ifm_y, u32(in.from));
    writer_.set(Register::ifm_ring, u32(ring(i, true))), writer_.set(Register::ofm_ring, u32(ring(i, false)));
    weights(i, slice);
    const int parameter = static_cast<int>(out_.kernels.size());
    writer_.set(Register::blockdep,
                u32(out_.kernels.empty() ? 0 : blocks_ahead(costs_, s_, places_, out_.kernels.back(), part)));
    out_.kernels.push_back(part);
    writer_.operation(OpCode::kernel, static_cast<std::uint16_t>(parameter));
    std::vector<Span> touched = {span_of(o.ifm), span_of(o.ifm2), span_of(o.ofm)};
    if (plan.staging != WeightStaging::none) {
      const int buffer = plan.staging == WeightStaging::two_buffers ? static_cast<int>(slice % 2) : 0;
      const std::int64_t at = places_.weights_in_fast.at({i, buffer});
      touched.push_back({at, at + plan.buffer_bytes(buffer)});
    }
    users_.push_back(std::move(touched));
  }

  /// Zero points, scales and ends of the activation: of the operator that this is a piece of, where the piece has some
  /// of its own.
  void quantization(const Operation& o) {
    writer_.set(Register::ifm_zero, u32(o.ifm_zero & 0xFFFF)),
        writer_.set(Register::ofm_zero, u32(o.ofm_zero & 0xFFFF));
    if (o.ifm2 >= 0) writer_.set(Register::ifm2_zero, u32(o.ifm2_zero & 0xFFFF));
    writer_.set(Register::activation_min, u32(o.activation_min & 0xFFFF)),
        writer_.set(Register::activation_max, u32(o.activation_max & 0xFFFF));
    if (!o.weights) writer_.set(Register::ofm_scale, o.multiplier);
    if (o.ifm2 >= 0) writer_.set(Register::ifm_scale, o.multiplier1), writer_.set(Register::ifm2_scale, o.multiplier2);
  }

  /// How many weights of a slice are zero, for the decoder of a U85, which is faster then.
  std::uint32_t zeros(int i, std::size_t slice) const {
    if (!costs_.npu().acc().table85 || !costs_.op(i).weights) return 0;
    std::int64_t all = 0, none = 0;
    for (const auto& r : plan_of(i).weights->ranges)
      if (r.slice == static_cast<int>(slice)) all += r.values, none += r.zeros;
    return u32(all ? std::min<std::int64_t>(none * kZerosWhole / all, kZerosWhole - 1) : 0) << kZerosShift;
  }

  void weights(int i, std::size_t slice) {
    const OperationPlan& plan = plan_of(i);
    if (!costs_.op(i).weights) return;
    std::int64_t base = places_.stream[index(i)] + slice_begin(i, slice);
    if (plan.staging != WeightStaging::none) {
      const int buffer = plan.staging == WeightStaging::two_buffers ? static_cast<int>(slice % 2) : 0;
      base = places_.weights_in_fast.at({i, buffer});
    }
    writer_.set(Register::weight_region,
                u32(static_cast<int>(plan.staging == WeightStaging::none ? Region::constants : Region::fast)));
    std::int64_t at = base;
    for (const auto& r : plan.weights->ranges) {
      if (r.slice != static_cast<int>(slice)) continue;
      const std::int64_t scales = round_up(r.scale_bytes, kQuantum);
      writer_.set(r.core ? Register::weight1_base : Register::weight_base, u32(at + scales));
      writer_.set(r.core ? Register::weight1_length : Register::weight_length, u32(r.weight_bytes));
      if (!r.core) writer_.set(Register::scale_length, u32(r.scale_bytes));
      at += r.total();
    }
  }

  const Costs& costs_;
  const Schedule& s_;
  const Places& places_;
  CommandWriter writer_;
  Stream out_;
  std::vector<int> rows_;                 // made, of operations in cascades
  std::vector<std::vector<Span>> users_;  // of the fast memory, by kernel
  int brought_ = 0;                       // operations whose first weights have been asked for
  bool copying_ = false;
};

}  // namespace

Stream emit(const Costs& costs, const Schedule& schedule, const Places& places, int segment) {
  const auto [first, last] = costs.graph().segments[index(segment)];
  return Emitter(costs, schedule, places).run(first, last);
}

}  // namespace dse::plan::npu
