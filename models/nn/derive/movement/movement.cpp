// TRANSPOSE, SLICE, STRIDED_SLICE, PAD, PADV2, MIRROR_PAD: raw values to other places.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/graph/calls.h"
#include "models/nn/graph/check/apart.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

constexpr std::size_t max_rank = 6;  // DSE_FLAT_RANK

/// A dimension of the output and the step that it makes in the input, in elements.
struct Axis {
  std::int64_t extent, stride;
};

/// Drops axes of one element and merges neighbours that are one walk.
std::vector<Axis> merged(const std::vector<Axis>& axes) {
  std::vector<Axis> out;
  for (const Axis& a : axes) {
    if (a.extent == 1) continue;
    if (!out.empty() && out.back().stride == a.extent * a.stride)
      out.back() = {out.back().extent * a.extent, a.stride};
    else
      out.push_back(a);
  }
  if (out.empty()) out.push_back({1, 1});
  return out;
}

bool transpose_axes(Derivation& d, std::vector<Axis>& axes) {
  const auto& in = d.input(0).shape;
  const auto& perm = d.op.options.permutation;
  std::vector<bool> used(in.size());
  if (perm.size() != in.size())
    return d.fail(fmt::format("permutation {} of a tensor of {} dimensions", text_of(perm), in.size()));
  const auto strides = strides_of(in);
  std::vector<std::int64_t> shape;
  for (const auto p : perm) {
    if (p < 0 || p >= static_cast<std::int64_t>(in.size()) || used[static_cast<std::size_t>(p)])
      return d.fail(fmt::format("{} is not a permutation of {} dimensions", text_of(perm), in.size()));
    used[static_cast<std::size_t>(p)] = true;
    shape.push_back(in[static_cast<std::size_t>(p)]);
    axes.push_back({shape.back(), strides[static_cast<std::size_t>(p)]});
  }
  return d.output_is(shape);
}

/// The extents that are not 1: what is left to compare when dimensions are dropped and added.
std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

bool slice_axes(Derivation& d, std::vector<Axis>& axes, std::int64_t& offset) {
  const OperatorOptions& o = d.op.options;
  const auto& in = d.input(0).shape;
  const std::size_t rank = in.size();
  if (o.begin.size() != rank || o.end.size() != rank || (!o.strides.empty() && o.strides.size() != rank))
    return d.fail(fmt::format("slice {} to {} of a tensor of {} dimensions", text_of(o.begin), text_of(o.end), rank));
  const auto strides = strides_of(in);
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = o.begin[i], end = o.end[i], step = o.strides.empty() ? 1 : o.strides[i];
    const bool inside = begin >= 0 && begin < in[i] && end >= -1 && end <= in[i];
    const bool moves = step != 0 && step >= -max_elements && step <= max_elements;
    const std::int64_t way = !inside || !moves ? 0 : step > 0 ? end - begin : begin - end;
    if (way <= 0)
      return d.fail(fmt::format("slice from {} to {} by {} of {} elements along axis {}", begin, end, step, in[i], i));
    shape.push_back((way + std::abs(step) - 1) / std::abs(step));
    axes.push_back({shape.back(), step * strides[i]});
    offset += begin * strides[i];
  }
  if (without_ones(shape) == without_ones(d.output().shape)) return true;
  return d.output_is(shape);
}

/// The constant around a padded tensor, as a raw value.
bool pad_value(Derivation& d, std::int64_t& value) {
  const Tensor& out = d.output();
  const bool scaled = out.quantization.scale.size() == 1 && out.quantization.zero_point.size() == 1;
  if (d.has_input(1)) {
    const Tensor& v = d.input(1);
    if (v.kind != TensorKind::constant || v.fill)
      return d.fail(fmt::format("padding value '{}' is not constant", v.name));
    if (v.type != out.type || v.elements() != 1)
      return d.fail(fmt::format("padding value '{}' has type {} and shape {}, not one {}", v.name, name_of(v.type),
                                text_of(v.shape), name_of(out.type)));
    if (scaled && v.quantization.scale.size() == 1 && !same_scales(v, out))
      return d.fail(fmt::format("padding value '{}' and output '{}' are quantised differently ({})", v.name, out.name,
                                apart_text(v, out)));
    std::memcpy(&value, v.data.data(), v.data.size());
    return true;
  }
  const double real = static_cast<double>(d.op.options.clip_min);
  if (!std::isfinite(real)) return d.fail(fmt::format("padding value {}", real));
  // std::nearbyint rounds to even in the default environment, as the onnx mode does.
  const double raw = scaled ? std::nearbyint(real / static_cast<double>(scale_of(out))) + zero_of(out) : real;
  value = static_cast<std::int64_t>(
      std::clamp(raw, static_cast<double>(type_range(out.type).min), static_cast<double>(type_range(out.type).max)));
  return true;
}

/// A dimension of a padded tensor.
struct Border {
  std::int64_t before, extent, after;
  std::int64_t out() const { return before + extent + after; }
};

/// Merges dimensions without a border into the one in front of them, whose border then has their size.
std::vector<Border> merged(const std::vector<Border>& dims, bool mirror) {
  std::vector<Border> out;
  for (const Border& b : dims) {
    const bool bare = b.before == 0 && b.after == 0;
    // A mirrored border is turned round element by element: what is merged into it would be turned, too.
    const bool front_bare = !out.empty() && out.back().before == 0 && out.back().after == 0;
    if (!out.empty() && bare && (!mirror || front_bare))
      out.back() = {out.back().before * b.extent, out.back().extent * b.extent, out.back().after * b.extent};
    else if (!(bare && b.extent == 1))
      out.push_back(b);
  }
  if (out.empty()) out.push_back({0, 1, 0});
  return out;
}

}  // namespace

bool derive_gather(Derivation& d) {
  if (!same_type(d)) return false;
  std::vector<Axis> axes;
  std::int64_t offset = 0;
  if (d.op.kind == OperatorKind::transpose ? !transpose_axes(d, axes) : !slice_axes(d, axes, offset)) return false;
  axes = merged(axes);
  if (axes.size() > max_rank) return d.fail(fmt::format("{} dimensions cannot be merged to 6", axes.size()));
  dse_op& k = d.op.kernel;
  k.kind = DSE_GATHER;
  set_flat_extents(d, k, d.input(0).elements(), d.output().elements());
  set_types(d, k);
  k.arg[0] = static_cast<std::int32_t>(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    k.arg[1 + i] = static_cast<std::int32_t>(axes[i].extent);
    k.arg[7 + i] = static_cast<std::int32_t>(axes[i].stride);
  }
  k.arg[13] = static_cast<std::int32_t>(offset);
  add_flat_call(d);
  return true;
}

bool derive_pad(Derivation& d) {
  const bool mirror = d.op.kind == OperatorKind::mirror_pad;
  const auto &before = d.op.options.pad_before, &after = d.op.options.pad_after;
  const auto& in = d.input(0).shape;
  if (!same_type(d)) return false;
  if (before.size() != in.size() || after.size() != in.size())
    return d.fail(
        fmt::format("paddings {} and {} of a tensor of {} dimensions", text_of(before), text_of(after), in.size()));
  if (!d.input(0).quantization.scale.empty() && !d.output().quantization.scale.empty() &&
      !same_scales(d.input(0), d.output()))
    return d.fail(input_apart_text(d.input(0), d.output()));
  std::vector<Border> dims;
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int64_t limit = !mirror ? max_elements : d.op.options.mirror_symmetric ? in[i] : in[i] - 1;
    for (const auto pad : {before[i], after[i]})
      if (pad < 0 || pad > limit)
        return d.fail(fmt::format("padding {} along axis {} of extent {} is not within 0 to {}", pad, i, in[i], limit));
    dims.push_back({before[i], in[i], after[i]});
    shape.push_back(dims.back().out());
  }
  if (!d.output_is(shape)) return false;
  dims = merged(dims, mirror);
  if (dims.size() > max_rank) return d.fail(fmt::format("{} dimensions cannot be merged to 6", dims.size()));
  dse_op& k = d.op.kernel;
  k.kind = mirror ? DSE_MIRROR_PAD : DSE_PAD;
  set_flat_extents(d, k, d.input(0).elements(), d.output().elements());
  set_types(d, k);
  k.arg[0] = static_cast<std::int32_t>(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    k.arg[1 + i] = static_cast<std::int32_t>(dims[i].out());
    k.arg[7 + i] = static_cast<std::int32_t>(dims[i].extent);
    k.arg[13 + i] = static_cast<std::int32_t>(dims[i].before);
  }
  std::int64_t value = d.op.options.mirror_symmetric;
  if (!mirror && !pad_value(d, value)) return false;
  std::memcpy(&k.arg[19], &value, 8);
  add_flat_call(d);
  return true;
}

}  // namespace dse::nn
