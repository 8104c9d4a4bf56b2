// Shapes of operators that move or reduce along axes.
#include <fmt/format.h>

#include <algorithm>

#include "models/nn/shapes/infer_shapes_internal.h"

namespace dse::nn::shapes {
namespace {

bool has_axis(const Inference& f, std::size_t d) {
  const auto& axes = f.op.options.axes;
  return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
}

/// Equal but for dimensions of extent 1.
bool equal_without_ones(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
  a.erase(std::remove(a.begin(), a.end(), 1), a.end());
  b.erase(std::remove(b.begin(), b.end(), 1), b.end());
  return a == b;
}

}  // namespace

bool squeeze(Inference& f) {
  const auto& x = f.in(0);
  if (!f.axes_below(x.size())) return false;
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (!has_axis(f, d))
      out.push_back(x[d]);
    else if (x[d] != 1)
      return f.fail(fmt::format("axis {} of {} is not 1", d, text_of(x)));
  }
  return f.make(std::move(out));
}

bool expand_dims(Inference& f) {
  const auto& x = f.in(0);
  const std::size_t rank = x.size() + f.op.options.axes.size();
  if (!f.axes_below(rank)) return false;
  std::vector<std::int64_t> out;
  std::size_t from = 0;
  for (std::size_t d = 0; d < rank; ++d) out.push_back(has_axis(f, d) ? 1 : x[from++]);
  return f.make(std::move(out));
}

bool transpose(Inference& f) {
  const auto& x = f.in(0);
  const auto& p = f.op.options.permutation;
  if (p.size() != x.size())
    return f.fail(fmt::format("permutation {} does not fit the input {}", text_of(p), text_of(x)));
  std::vector<bool> seen(x.size());
  std::vector<std::int64_t> out;
  for (const auto axis : p) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(x.size()) || seen[static_cast<std::size_t>(axis)])
      return f.fail(fmt::format("{} is no permutation", text_of(p)));
    seen[static_cast<std::size_t>(axis)] = true;
    out.push_back(x[static_cast<std::size_t>(axis)]);
  }
  return f.make(std::move(out));
}

bool slice(Inference& f) {
  const auto& x = f.in(0);
  const auto& o = f.op.options;
  if (o.begin.size() != x.size() || o.end.size() != x.size() || o.strides.size() != x.size())
    return f.fail(fmt::format("begin, end or strides do not fit the input {}", text_of(x)));
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const std::int64_t b = o.begin[d], e = o.end[d], s = o.strides[d];
    // Bounds first, so that nothing below overflows.
    const bool up = s > 0;
    const bool fits = s != 0 && b >= 0 && b < x[d] && (up ? e > b && e <= x[d] : e >= -1 && e < b) &&
                      s >= -max_elements && s <= max_elements;
    if (!fits) return f.fail(fmt::format("elements {} to {} in steps of {} of an axis of {}", b, e, s, x[d]));
    out.push_back(up ? (e - b + s - 1) / s : (b - e - s - 1) / -s);
  }
  if (!f.known(0).empty() && f.known(0) != out && equal_without_ones(f.known(0), out)) return f.make(f.known(0));
  return f.make(std::move(out));
}

bool pad(Inference& f) {
  const auto& o = f.op.options;
  auto out = f.in(0);
  if (o.pad_before.size() != out.size() || o.pad_after.size() != out.size())
    return f.fail(fmt::format("paddings {} and {} do not fit the input {}", text_of(o.pad_before), text_of(o.pad_after),
                              text_of(out)));
  for (std::size_t d = 0; d < out.size(); ++d) {
    for (const auto p : {o.pad_before[d], o.pad_after[d]}) {
      if (p < 0 || p > max_elements) return f.fail(fmt::format("a padding of {}", p));
      if (f.op.kind == OperatorKind::mirror_pad && p > out[d] - (o.mirror_symmetric ? 0 : 1))
        return f.fail(fmt::format("{} mirrored elements of an axis of {}", p, out[d]));
    }
    out[d] += o.pad_before[d] + o.pad_after[d];
  }
  if (f.has(1) && f.elements(f.in(1)) != 1) return f.fail("the value of the padding is not one number");
  return f.make(std::move(out));
}

bool reduction(Inference& f) {
  const auto& x = f.in(0);
  if (!f.axes_below(x.size())) return false;
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (!has_axis(f, d))
      out.push_back(x[d]);
    else if (f.op.options.keep_dims)
      out.push_back(1);
  }
  return f.make(std::move(out));
}

bool arg_extreme(Inference& f) {
  auto out = f.in(0);
  if (!f.axis_below(f.op.options.axis, out.size())) return false;
  if (f.op.options.keep_dims)
    out[static_cast<std::size_t>(f.op.options.axis)] = 1;
  else
    out.erase(out.begin() + f.op.options.axis);
  return f.make(std::move(out));
}

}  // namespace dse::nn::shapes
