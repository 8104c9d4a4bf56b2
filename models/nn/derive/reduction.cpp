// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, ARG_MAX, ARG_MIN.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/nn/graph/calls.h"
#include "models/nn/graph/check/apart.h"
#include "models/nn/quantize.h"

namespace dse::nn {
namespace {

/// Neighbouring dimensions that are all kept or all reduced, as one.
struct Group {
  std::int64_t extent, stride;
  bool reduced;
};

/// @returns the groups from the outermost on, without those of one element.
std::vector<Group> groups_of(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& axes) {
  const auto strides = strides_of(shape);
  std::vector<Group> out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    if (!out.empty() && out.back().reduced == reduced)
      out.back() = {out.back().extent * shape[i], strides[i], reduced};
    else
      out.push_back({shape[i], strides[i], reduced});
  }
  return out;
}

bool check_axes(Derivation& d) {
  const auto& in = d.input(0).shape;
  const auto& axes = d.op.options.axes;
  if (in.size() > 8) return d.fail(fmt::format("input '{}' has {} dimensions", d.input(0).name, in.size()));
  std::vector<std::int64_t> kept, dropped;
  for (const auto a : axes)
    if (a < 0 || a >= static_cast<std::int64_t>(in.size()))
      return d.fail(fmt::format("axis {} of a tensor of {} dimensions", a, in.size()));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
    kept.push_back(reduced ? 1 : in[i]);
    if (!reduced) dropped.push_back(in[i]);
  }
  return d.output().shape == dropped || d.output_is(kept);
}

/// m1 and s1: what brings a sum of `n` raw differences to the output's scale.
bool set_mean(Derivation& d, dse_op& k, std::int64_t n) {
  const Tensor &in = d.input(0), &out = d.output();
  const bool mean = d.op.kind == OperatorKind::mean;
  const Rounding rounding = d.op.options.rounding;
  const DataType other = rounding == Rounding::onnx ? DataType::uint8 : DataType::int16;
  if (!d.quantized(d.op.inputs[0], "input", {DataType::int8, other}) ||
      !d.quantized(d.op.outputs[0], "output", {DataType::int8, other}))
    return false;
  k.in_zero = zero_of(in), k.out_zero = zero_of(out);
  if (rounding == Rounding::qformat) {
    if (!mean) return d.fail("a sum in Q formats is not defined", "sum in an affine format");
    if (!same_scales(in, out))
      return d.fail(fmt::format("input '{}' and output '{}' have different formats", in.name, out.name));
    return true;
  }
  const double real = static_cast<double>(scale_of(in)) / static_cast<double>(scale_of(out));
  Multiplier m = std::isfinite(real) ? quantize_multiplier(real) : Multiplier{0, 99};
  if (m.shift > 30) return d.fail(fmt::format("scale {} cannot be brought to scale {}", scale_of(in), scale_of(out)));
  if (rounding == Rounding::onnx) {
    // Beyond, the exact quotient needs more than 64 bits.
    if (n > std::int64_t{1} << 23) return d.fail(fmt::format("reduces {} elements, at most 2^23 are supported", n));
  } else if (mean) {
    int fold = 0;  // floor(log2 n), as far as the shift's range goes
    while (fold < 32 && n >> (fold + 1) > 0) ++fold;
    fold = std::min(fold, 31 + m.shift);
    m.multiplier = static_cast<std::int32_t>((static_cast<std::int64_t>(m.multiplier) << fold) / n);
    m.shift -= fold;
  }
  k.m1 = m.multiplier, k.s1 = m.shift;
  return true;
}

/// Extents of the window that a reduction over rows, columns or both of one image is.
std::optional<Tensor::Image> window_of(const Tensor& in, const Tensor& out, const std::vector<std::int64_t>& axes) {
  const auto rank = in.shape.size();
  if (rank < 3 || (in.type != DataType::int8 && in.type != DataType::uint8 && in.type != DataType::int16))
    return std::nullopt;
  const auto reduced = [&](std::size_t d) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
  };
  const auto image = in.image();
  bool rows = true, no_rows = true;
  for (std::size_t d = 0; d + 2 < rank; ++d)
    if (in.shape[d] > 1) (reduced(d) ? no_rows : rows) = false;
  const bool columns = reduced(rank - 2);
  if ((!rows && !no_rows) || (reduced(rank - 1) && image.c > 1)) return std::nullopt;
  const Tensor::Image window{rows ? image.h : 1, columns ? image.w : 1, 1};
  if (window.h > max_window || window.w > max_window) return std::nullopt;
  const auto made = out.image();
  const bool same = made.h == image.h / window.h && made.w == image.w / window.w && made.c == image.c;
  return same ? std::optional(window) : std::nullopt;
}

/// What a flat kernel walks over.
void set_walk(Derivation& d, dse_op& k) {
  set_flat_extents(d, k, d.input(0).elements(), d.output().elements());
  int kept = 0, reduced = 0;
  for (const Group& g : groups_of(d.input(0).shape, d.op.options.axes)) {
    const int extent = g.reduced ? 10 + reduced : 1 + kept, stride = g.reduced ? 14 + reduced : 5 + kept;
    k.arg[extent] = static_cast<std::int32_t>(g.extent);
    k.arg[stride] = static_cast<std::int32_t>(g.stride);
    ++(g.reduced ? reduced : kept);
  }
  k.arg[0] = kept, k.arg[9] = reduced;
}

}  // namespace

bool derive_reduction(Derivation& d) {
  if (!same_type(d) || !check_axes(d)) return false;
  const Tensor &in = d.input(0), &out = d.output();
  dse_op& k = d.op.kernel;
  const auto window = window_of(in, out, d.op.options.axes);
  const bool pooled = window && d.op.kind != OperatorKind::reduce_min;
  if (pooled) {
    // Reductions of images are pools, which are computed in tiles and by rows.
    set_extents(k, in.image(), out.image());
    k.rounding = static_cast<std::int32_t>(d.op.options.rounding);
    k.kernel_h = k.stride_h = static_cast<std::int32_t>(window->h);
    k.kernel_w = k.stride_w = static_cast<std::int32_t>(window->w);
  } else {
    set_walk(d, k);
  }
  set_types(d, k);
  if (d.op.kind == OperatorKind::mean || d.op.kind == OperatorKind::sum) {
    const bool mean = d.op.kind == OperatorKind::mean;
    const auto n = in.elements() / out.elements();
    k.kind = pooled ? DSE_AVERAGE_POOL_2D : DSE_MEAN;
    if (!set_mean(d, k, n)) return false;
    if (pooled)
      k.arg[1] = 1, k.arg[2] = mean;
    else
      k.arg[18] = static_cast<std::int32_t>(n), k.arg[19] = mean;
  } else {
    k.kind = pooled ? DSE_MAX_POOL_2D : d.op.kind == OperatorKind::reduce_max ? DSE_REDUCE_MAX : DSE_REDUCE_MIN;
    if (kernel_type(in.type) < 0 || in.type == DataType::int64)
      return d.fail(fmt::format("input '{}' has type {}", in.name, name_of(in.type)));
    if (!same_scales(in, out)) return d.fail(input_apart_text(in, out));
  }
  if (!pooled) add_flat_call(d);
  return true;
}

bool derive_arg_extreme(Derivation& d) {
  const Tensor &in = d.input(0), &out = d.output();
  if (!has_bytes(d, 0)) return false;
  if (kernel_type(in.type) < 0 || in.type == DataType::int64 || in.type == DataType::float32)
    return d.fail(fmt::format("input '{}' has type {}", in.name, name_of(in.type)));
  if (out.type != DataType::int32 && out.type != DataType::int64)
    return d.fail(fmt::format("output '{}' has type {}, not INT32 or INT64", out.name, name_of(out.type)));
  const int axis = d.op.options.axis;
  if (axis < 0 || axis >= static_cast<int>(in.shape.size()))
    return d.fail(fmt::format("axis {} of a tensor of {} dimensions", axis, in.shape.size()));
  std::vector<std::int64_t> kept = in.shape, dropped = in.shape;
  kept[static_cast<std::size_t>(axis)] = 1;
  dropped.erase(dropped.begin() + axis);
  if (out.shape != kept && !d.output_is(dropped)) return false;
  dse_op& k = d.op.kernel;
  k.kind = d.op.kind == OperatorKind::arg_max ? DSE_ARG_MAX : DSE_ARG_MIN;
  set_flat_extents(d, k, in.elements(), out.elements());
  set_types(d, k);
  k.arg[0] = static_cast<std::int32_t>(in.shape[static_cast<std::size_t>(axis)]);
  k.arg[1] = static_cast<std::int32_t>(product_of(in.shape, static_cast<std::size_t>(axis) + 1, in.shape.size()));
  add_flat_call(d);
  return true;
}

}  // namespace dse::nn
