#include "plan/segment/phased_views.h"

#include <algorithm>

#include "plan/network/layers.h"

namespace dse::plan {

PhasedViews::PhasedViews(const nn::Network& n, const Plan& plan, const PhasedPlan& phased, int segment,
                         const std::vector<LayerGeometry>& geometry, const BufferOf& buffer)
    : n_(n),
      plan_(plan),
      phased_(phased),
      segment_(segment),
      geometry_(geometry),
      buffer_(buffer),
      root_(alias_roots(n, plan.alias_reshapes)) {}

const NearRows* PhasedViews::near(int tensor) const {
  for (const auto& r : phased_.near)
    if (r.segment == segment_ && r.tensor == tensor) return &r;
  return nullptr;
}

std::optional<shared::Columns> PhasedViews::columns_of(int op) const {
  const auto& strips = phased_.strips[static_cast<std::size_t>(segment_)];
  if (!strips) return std::nullopt;
  const auto& ops = plan_.segments[static_cast<std::size_t>(segment_)].operators;
  const auto place = std::find(ops.begin(), ops.end(), op);
  if (place == ops.end()) return std::nullopt;
  return strips->columns[static_cast<std::size_t>(strip_)][static_cast<std::size_t>(place - ops.begin())];
}

program::View PhasedViews::rows_view(int tensor, int arena, std::int64_t offset, std::int64_t ring) const {
  const auto& t = n_.tensors[tensor];
  const auto rows = rows_of(n_, tensor);
  View v;
  v.arena = arena, v.offset = offset;
  v.shape.elem = v.shape.stride_c = 1;
  v.shape.stride_h = static_cast<std::int32_t>(t.bytes() / rows);
  v.shape.ring_h = ring > 0 && ring < rows ? static_cast<std::int32_t>(ring) : 0;
  return v;
}

program::View PhasedViews::home_view(int tensor) const {
  const auto& b = home_of(tensor);
  const auto* use = phased_.use_of(tensor);
  const bool ring = use && use->ring > 0;  // it may have more slots than it must
  const auto row = ring ? use->row_elements : n_.tensors[tensor].bytes() / rows_of(n_, tensor);
  View v = rows_view(tensor, b.memory, b.offset, ring ? b.size / row : 0);
  v.shape.stride_h = static_cast<std::int32_t>(row);
  v.shape.first_h = -static_cast<std::int32_t>(b.shift);
  if (b.shift > 0) v.shape.ring_h = static_cast<std::int32_t>(b.size / row);  // all rows may be there and wrap around
  return v;
}

program::View PhasedViews::near_view(const NearRows& r) const {
  return rows_view(r.tensor, r.memory, buffer_(near_rows_name(n_, plan_, r)).offset, r.ring);
}

const PlacedBuffer& PhasedViews::weights_of(int op) const {
  return buffer_(n_.operators[op].name + (plan_.choices[op].weights_memory == kStreamed ? ".constants" : ".resident"));
}

program::View PhasedViews::place(int op, const ConstantBlob& blob, const nn::KernelCall::Operand& operand,
                                 int role) const {
  const auto& g = geometry_[op];
  View v;
  v.shape = operand.view;
  const auto at = [&](int arena, std::int64_t offset) { v.arena = arena, v.offset = offset + operand.offset; };
  const int t = operand.tensor;
  if (role == DSE_SCRATCH) {
    at(g.near, buffer_(n_.operators[op].name + ".scratch").offset);
  } else if (t < 0 || n_.tensors[t].kind == nn::TensorKind::constant) {
    const std::int64_t offset = t < 0 ? blob.offset_of(static_cast<dse_role>(role)) : blob.offset_of_tensor(t);
    if (g.weights_in_place)
      at(g.weights_from, offset + weights_of(op).offset);
    else
      at(g.near, offset + buffer_(n_.operators[op].name + ".weights").offset);
  } else {
    const auto* r = near(root_[t]);
    const View rows = r ? near_view(*r) : home_view(root_[t]);
    at(rows.arena, rows.offset);
    if (!rows_as(n_, t, root_[t])) {  // a reshape, which sees other rows in the same bytes: all of them are there
      ensure(!rows.shape.ring_h && !rows.shape.first_h, "a ring whose bytes are read in another shape");
      return v;
    }
    v.shape.stride_h = rows.shape.stride_h;
    v.shape.ring_h = rows.shape.ring_h, v.shape.first_h = rows.shape.first_h;
    // Rows inside a segment in strips begin with the strip's first column.
    const int maker = n_.producer(root_[t]);
    if (const auto columns = maker >= 0 && maker != driver() ? columns_of(maker) : std::nullopt)
      v.shape.first_c += static_cast<std::int32_t>(columns->begin * v.shape.stride_w / v.shape.stride_c);
  }
  return v;
}

}  // namespace dse::plan
