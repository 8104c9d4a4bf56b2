#include "plan/npu/costs.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "base/index.h"
#include "base/units.h"
#include "plan/npu/block_config.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

std::int64_t OperationPlan::buffer_bytes() const {
  if (staging == WeightStaging::none) return 0;
  return buffer_bytes(0) + (staging == WeightStaging::two_buffers ? buffer_bytes(1) : 0);
}

std::int64_t OperationPlan::buffer_bytes(int buffer) const {
  return staging == WeightStaging::two_buffers ? weights->buffers[static_cast<std::size_t>(buffer)]
                                               : weights->largest_slice();
}

const Cascade* Schedule::cascade_of(const OperationPlan& plan) const {
  const auto found = cascades.find(plan.cascade);
  return plan.cascade && found != cascades.end() ? &found->second : nullptr;
}

std::int64_t Schedule::peak() const { return usage.empty() ? 0 : *std::max_element(usage.begin(), usage.end()); }

Costs::Costs(const Graph& graph, const Npu& npu, Formats formats, WeightCoderPtr coder)
    : graph_(graph),
      npu_(npu),
      formats_(graph.tensors.size(), Format::nhwc),
      areas_(graph.tensors.size()),
      coder_(coder ? std::move(coder) : std::make_shared<WeightCoder>(npu.acc())) {
  for (std::size_t t = 0; t < areas_.size(); ++t)
    areas_[t] = graph.tensors[t].constant ? npu.constants() : npu.feature_maps();
  choose_formats(formats);
}

/// Bricks, unless somebody sees the bytes. An output whose channels do not fill bricks may stay channels last where it
/// can lie in place of an input that does.
void Costs::choose_formats(Formats formats) {
  for (const Operation& o : graph_.operations) {
    const Tensor& out = tensor(o.ofm);
    if (out.persists || out.variable || out.linear) continue;
    bool in_place = false;
    if (formats == Formats::in_place && o.unit() == Unit::elementwise && o.ofm_shape.c % 16) {
      const auto could = [&](int t, const Shape& seen) {
        return t >= 0 && seen == o.ofm_shape && tensor(t).bits == out.bits && format(t) == Format::nhwc;
      };
      in_place = could(o.ifm, o.ifm_shape) || could(o.ifm2, o.ifm2_shape);
    }
    if (!in_place) formats_[index(o.ofm)] = Format::brick;
  }
}

std::int64_t Costs::bytes(int t) const {
  const Tensor& x = tensor(t);
  Shape s = x.shape;
  if (format(t) == Format::brick) s.c = static_cast<int>(round_up(s.c, 16));
  return round_up(s.elements() * x.bits / 8, kQuantum);
}

bool Costs::in_fast(int t) const { return !tensor(t).constant && area(t) == Npu::fast(); }

Job Costs::job(int i, Area weights) const {
  const Operation& o = op(i);
  Job out;
  out.function = o.function, out.activation = o.activation;
  const auto map = [&](int t, const Shape& s) { return Map{s, tensor(t).bits, format(t), area(t)}; };
  out.ifm = map(o.ifm, o.read.value_or(o.ifm_shape));
  out.ofm = map(o.ofm, o.write.value_or(o.ofm_shape));
  if (o.ifm2 >= 0) out.ifm2 = map(o.ifm2, o.ifm2_shape);
  out.kernel = o.kernel, out.upscale = o.upscale, out.scalar = o.scalar, out.scaled = o.scaled;
  out.has_bias = o.has_bias;
  out.constants = weights;
  return out;
}

OperationPlan Costs::plan(int i, int stripe_rows) {
  const Operation& o = op(i);
  OperationPlan out;
  out.stripe = o.ofm_shape, out.stripe_ifm = o.ifm_shape;
  Job shape = job(i, Npu::fast());
  shape.ifm.shape = o.ifm_shape, shape.ofm.shape = o.ofm_shape;
  if (stripe_rows < o.ofm_shape.h) {
    out.stripe.h = stripe_rows;
    out.stripe_ifm.h =
        std::min(inputs_under(stripe_rows, o.kernel.stride_h, o.kernel.rows(), o.upscale), o.ifm_shape.h);
    out.stripe_ifm.w =
        std::min(inputs_under(o.ofm_shape.w, o.kernel.stride_w, o.kernel.columns(), o.upscale), o.ifm_shape.w);
    shape.ifm.shape = out.stripe_ifm, shape.ofm.shape = out.stripe;
    if (shape.ifm2)
      shape.ifm2->shape.h = std::min(out.stripe_ifm.h, o.ifm2_shape.h),
      shape.ifm2->shape.w = std::min(out.stripe_ifm.w, o.ifm2_shape.w);
  }
  const auto block = block_by_rule(npu_.acc(), shape);
  ensure(block.has_value(), "no block of '" + o.name + "' fits into the internal memory");
  out.block = *block;
  out.slices = {0, o.ofm_shape.c};
  if (o.weights) out.weights = weights(i, out, out.slices);
  out.cycles = cycles(i, out, o.ofm_shape.c);
  return out;
}

std::int64_t Costs::cycles(int i, const OperationPlan& plan, int depth) const {
  Job j = job(i, Npu::fast());
  j.ofm.shape.c = op(i).write ? j.ofm.shape.c : depth;
  return estimate(npu_, j, plan.block).cycles;
}

bool Costs::part_kernel(int i) const {
  return op(i).unit() == Unit::convolution && part_kernel_first(npu_.acc(), job(i, Npu::fast()), true);
}

WeightStreamPtr Costs::weights(int i, const OperationPlan& plan, const std::vector<int>& slices) {
  return coder_->code(op(i).weights, plan.block.ofm.c, plan.block.ublock.c, part_kernel(i), slices);
}

}  // namespace dse::plan::npu
