// CONCATENATION, PACK, SPLIT, UNPACK: one copy, or requantisation, per part.
#include <fmt/format.h>

#include "models/nn/derive/elementwise/elementwise.h"
#include "models/nn/graph/calls.h"
#include "models/nn/graph/check/apart.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// The tensor that is put together or taken apart, and one of its parts: `extent` of the whole's `axis` from `first`
/// on.
struct Part {
  const std::vector<std::int64_t>& whole;
  std::size_t axis;
  std::int64_t first, extent;
};

/// Extents of a part in which both the part and its place in the whole have a view. Along the last three axes these
/// are those of the image.
Extents part_extents(const Part& p) {
  const std::size_t rank = p.whole.size();
  const auto& s = p.whole;
  if (p.axis + 1 == rank)
    return {rank < 3 ? product_of(s, 0, rank - 1) : product_of(s, 0, rank - 2), rank < 3 ? 1 : s[rank - 2], p.extent};
  if (p.axis + 2 == rank && rank >= 3) return {product_of(s, 0, rank - 2), p.extent, s[rank - 1]};
  const std::int64_t outer = product_of(s, 0, p.axis);
  if (outer > 1) return {outer, 1, p.extent * product_of(s, p.axis + 1, rank)};
  if (rank < 3) return {p.extent, 1, product_of(s, p.axis + 1, rank)};
  return {p.extent * product_of(s, p.axis + 1, rank - 2), s[rank - 2], s[rank - 1]};
}

/// The view of a part's place in the whole. Its offset: the part's first element.
dse_view place_in_whole(const Part& p, const Extents& e, std::int64_t elem) {
  const std::size_t rank = p.whole.size();
  const auto& s = p.whole;
  const std::int64_t inner = product_of(s, p.axis + 1, rank);
  dse_view v = dense_view(e, elem);
  if (p.axis + 1 == rank) {
    v.stride_w = static_cast<std::int32_t>(s[rank - 1] * elem);
    v.stride_h = static_cast<std::int32_t>(e.w * s[rank - 1] * elem);
  } else if ((p.axis + 2 == rank && rank >= 3) || product_of(s, 0, p.axis) > 1) {
    v.stride_h = static_cast<std::int32_t>(s[p.axis] * inner * elem);
  }
  return v;
}

/// Makes `k` a requantisation from the quantisation of `in` to that of `out`.
bool set_requantize(Derivation& d, dse_op& k, int in, int out) {
  if (!d.quantized(in, "input", narrow_types) || !d.quantized(out, "output", narrow_types)) return false;
  const double real = static_cast<double>(scale_of(d.tensor(in))) / static_cast<double>(scale_of(d.tensor(out)));
  k.kind = DSE_REQUANTIZE;
  return set_requantization(d, k, d.tensor(in), d.tensor(out), real);
}

/// Appends the call that moves a part. `joining`: from the part `in` into the whole `out`, else the other way.
bool add_part(Derivation& d, const Part& p, int in, int out, bool joining) {
  const Tensor& from = d.tensor(in);
  const Tensor& to = d.tensor(out);
  const Extents e = part_extents(p);
  KernelCall call;
  dse_op& k = call.op;
  set_extents(k, {e.h, e.w, e.c}, {e.h, e.w, e.c});
  k.rounding = static_cast<std::int32_t>(d.op.options.rounding);
  set_types(d, k);
  k.kind = DSE_COPY;
  // Tensors without scales (shapes, indices) are moved as they are.
  const bool scaled = !from.quantization.scale.empty() && !to.quantization.scale.empty();
  if (from.type != to.type || (scaled && !same_scales(from, to))) {
    const Rounding r = d.op.options.rounding;
    if (r == Rounding::tflite || r == Rounding::single)
      return d.fail(fmt::format("'{}' ({}) and '{}' ({}) are quantised differently ({})", from.name, name_of(from.type),
                                to.name, name_of(to.type), apart_text(from, to)),
                    "quantise the parts alike");
    if (!set_requantize(d, k, in, out)) return false;
    k.act_min = type_range(to.type).min, k.act_max = type_range(to.type).max;
  }
  call.tile = {{0, k.out_h}, {0, k.out_w}, {0, k.out_c}, {0, k.in_c}, DSE_FIRST | DSE_LAST};
  const std::int64_t elem = size_of((joining ? to : from).type);
  const dse_view part = dense_view(e, size_of((joining ? from : to).type)), place = place_in_whole(p, e, elem);
  const std::int64_t offset = p.first * product_of(p.whole, p.axis + 1, p.whole.size()) * elem;
  call.operands[DSE_IN0] = joining ? bound(in, part) : bound(in, place, offset);
  call.operands[DSE_OUT] = joining ? bound(out, place, offset) : bound(out, part);
  d.op.calls.push_back(call);
  return true;
}

}  // namespace

bool derive_parts(Derivation& d) {
  const OperatorKind kind = d.op.kind;
  const bool joining = family_of(kind) == OperatorFamily::concatenation;
  const bool stacking = kind == OperatorKind::pack || kind == OperatorKind::unpack;  // parts lack the axis
  const Tensor& whole = joining ? d.output() : d.input(0);
  if (d.op.options.activation != Activation::none) return d.fail("has a fused activation");
  const auto rank = static_cast<int>(whole.shape.size());
  if (rank < 1 || rank > 8) return d.fail(fmt::format("'{}' has {} dimensions", whole.name, rank));
  if (d.op.options.axis < 0 || d.op.options.axis >= rank)
    return d.fail(fmt::format("axis {} of a tensor of {} dimensions", d.op.options.axis, rank));
  const auto axis = static_cast<std::size_t>(d.op.options.axis);
  const auto& parts = joining ? d.op.inputs : d.op.outputs;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!has_bytes(d, joining ? i : 0)) return false;
    const Tensor& part = d.tensor(parts[i]);
    std::vector<std::int64_t> shape = part.shape;
    if (stacking && axis <= shape.size()) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    const std::int64_t extent = axis < shape.size() ? shape[axis] : 0;
    if (axis < shape.size()) shape[axis] = whole.shape[axis];
    if (shape != whole.shape || extent > whole.shape[axis] - first)
      return d.fail(fmt::format("'{}' of shape {} is no part of '{}' of shape {} along axis {}", part.name,
                                text_of(part.shape), whole.name, text_of(whole.shape), axis));
    const Part p{whole.shape, axis, first, extent};
    if (!add_part(d, p, joining ? parts[i] : d.op.inputs[0], joining ? d.op.outputs[0] : parts[i], joining))
      return false;
    first += extent;
  }
  if (first != whole.shape[axis])
    return d.fail(fmt::format("the parts make {} of {} elements along axis {} of '{}'", first, whole.shape[axis], axis,
                              whole.name));
  return true;
}

}  // namespace dse::nn
