// Operators of ONNX that move values or reduce along axes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

/// A list that is an attribute in old files and input `input` in new ones; nothing when it is left out.
/// @returns false when it is there but not constant (`n` is then unsupported).
bool list_of(Reader& r, Node& n, const char* attribute, std::size_t input,
             std::optional<std::vector<std::int64_t>>& list) {
  n.op.inputs = {n.inputs[0]};
  n.operands_set = true;
  if (!n.has(input)) {
    list = n.integers(attribute);
    return true;
  }
  list = r.integers(n.inputs[input]);
  if (list) return true;
  n.unsupported(fmt::format("its input {} is not constant", input));
  return false;
}

std::int64_t product(const Shape& s, std::size_t from, std::size_t to) {
  std::int64_t p = 1;
  for (std::size_t i = from; i < to; ++i) p *= s[i];
  return p;
}

}  // namespace

bool convert_reshape(Reader& r, Node& n) {
  std::optional<Shape> wanted;
  if (!list_of(r, n, "shape", 1, wanted)) return true;
  if (!wanted) return n.fail("has no shape");
  const Shape& in = r.shape(n, 0);
  const bool zero_is_zero = n.flag("allowzero", false);
  Shape out = *wanted;
  std::size_t open = out.size();
  std::int64_t known = 1;
  for (std::size_t d = 0; d < out.size(); ++d) {
    if (out[d] == 0 && !zero_is_zero) {
      if (d >= in.size())
        return n.fail(fmt::format("{} copies an extent that {} has not", text_of(*wanted), text_of(in)));
      out[d] = in[d];
    }
    if (out[d] == -1 && open == out.size()) {
      open = d;
      continue;
    }
    if (out[d] < 1 || out[d] > max_constant_elements / known)
      return n.fail(fmt::format("{} cannot become {}", text_of(in), text_of(*wanted)));
    known *= out[d];
  }
  const std::int64_t elements = product(in, 0, in.size());
  if (open < out.size()) out[open] = elements / known;
  if (open < out.size() ? elements % known != 0 : elements != known)
    return n.fail(fmt::format("{} cannot become {}", text_of(in), text_of(*wanted)));
  n.shapes = {out};
  return true;
}

bool convert_flatten(Reader& r, Node& n) {
  const Shape& in = r.shape(n, 0);
  std::int64_t axis = n.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(in.size());
  if (axis < -rank || axis > rank) return n.fail(fmt::format("axis {} is outside the {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  const auto at = static_cast<std::size_t>(axis);
  n.shapes = {{product(in, 0, at), product(in, at, in.size())}};
  return true;
}

bool convert_transpose(Reader& r, Node& n) {
  Shape reversed(r.shape(n, 0).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  n.op.options.permutation = n.integers("perm").value_or(reversed);
  return true;
}

bool convert_squeeze(Reader& r, Node& n) {
  std::optional<Shape> axes;
  if (!list_of(r, n, "axes", 1, axes)) return true;
  const Shape& in = r.shape(n, 0);
  if (!axes) {
    axes.emplace();
    for (std::size_t d = 0; d < in.size(); ++d)
      if (in[d] == 1) axes->push_back(static_cast<std::int64_t>(d));
  }
  if (!normalise_axes(n, *axes, in.size())) return false;
  n.op.options.axes = *axes;
  return true;
}

bool convert_unsqueeze(Reader& r, Node& n) {
  std::optional<Shape> axes;
  if (!list_of(r, n, "axes", 1, axes)) return true;
  if (!axes) return n.fail("has no axes");
  if (!normalise_axes(n, *axes, r.shape(n, 0).size() + axes->size())) return false;
  n.op.options.axes = *axes;
  return true;
}

bool convert_slice(Reader& r, Node& n) {
  std::optional<Shape> starts, ends, axes, steps;
  if (!list_of(r, n, "starts", 1, starts) || !list_of(r, n, "ends", 2, ends) || !list_of(r, n, "axes", 3, axes) ||
      !list_of(r, n, "steps", 4, steps))
    return true;
  const Shape& in = r.shape(n, 0);
  if (!starts || !ends || starts->size() != ends->size()) return n.fail("its starts and ends do not belong together");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps.emplace(starts->size(), 1);
  if (axes->size() != starts->size() || steps->size() != starts->size())
    return n.fail("its axes or steps do not belong to its starts");
  OperatorOptions& o = n.op.options;
  o.begin.assign(in.size(), 0);
  o.end = in;
  o.strides.assign(in.size(), 1);
  std::vector<bool> seen(in.size());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    if (!normalise_axis(n, (*axes)[i], in.size())) return false;
    const auto d = static_cast<std::size_t>((*axes)[i]);
    if (seen[d]) return n.fail("an axis is named twice");
    seen[d] = true;
    const std::int64_t size = in[d], step = (*steps)[i];
    const auto from_end = [&](std::int64_t v) { return v < 0 ? std::max(v, -2 * size) + size : v; };
    if (step == 0) return n.fail("a step of 0");
    o.strides[d] = std::clamp<std::int64_t>(step, -max_elements, max_elements);
    if (step > 0) {
      o.begin[d] = std::clamp<std::int64_t>(from_end((*starts)[i]), 0, size);
      o.end[d] = std::clamp<std::int64_t>(from_end((*ends)[i]), 0, size);
    } else {
      o.begin[d] = std::clamp<std::int64_t>(from_end((*starts)[i]), -1, size - 1);
      o.end[d] = std::clamp<std::int64_t>(from_end((*ends)[i]), -1, size - 1);
    }
  }
  return true;
}

bool convert_split(Reader& r, Node& n) {
  std::optional<Shape> sizes;
  if (!list_of(r, n, "split", 1, sizes)) return true;
  const Shape& in = r.shape(n, 0);
  std::int64_t axis = n.integer("axis", 0);
  if (!normalise_axis(n, axis, in.size())) return false;
  n.op.options.axis = static_cast<int>(axis);
  if (!sizes) {
    // Equal parts; from opset 18 on the last one may be smaller.
    const std::int64_t parts = n.proto->output_size(), extent = in[static_cast<std::size_t>(axis)];
    const std::int64_t part = (extent + parts - 1) / parts;
    sizes.emplace(static_cast<std::size_t>(parts), part);
    sizes->back() = extent - part * (parts - 1);
  }
  n.op.options.sizes = *sizes;
  return true;
}

bool convert_pad(Reader& r, Node& n) {
  std::optional<Shape> pads, axes;
  const Shape in = r.shape(n, 0);
  if (!list_of(r, n, "pads", 1, pads) || !list_of(r, n, "axes", 3, axes)) return true;
  if (!pads) return n.fail("has no pads");
  if (!axes) {
    axes.emplace(in.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (pads->size() != 2 * axes->size())
    return n.fail(fmt::format("{} pads for {} axes of {}", pads->size(), axes->size(), text_of(in)));
  OperatorOptions& o = n.op.options;
  o.pad_before.assign(in.size(), 0);
  o.pad_after.assign(in.size(), 0);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    if (!normalise_axis(n, (*axes)[i], in.size())) return false;
    const auto d = static_cast<std::size_t>((*axes)[i]);
    o.pad_before[d] = (*pads)[i];
    o.pad_after[d] = (*pads)[i + axes->size()];
    if (o.pad_before[d] < 0 || o.pad_after[d] < 0) return n.unsupported("negative pads");
  }
  const std::string mode = n.text("mode", "constant");
  if (mode == "reflect") {
    n.op.kind = OperatorKind::mirror_pad;
    return true;
  }
  if (mode != "constant") return n.unsupported(fmt::format("mode '{}'", mode));
  o.clip_min = n.number("value", 0);
  if (!n.has(2)) return true;
  if (const auto value = r.numbers(n.inputs[2]); value && value->size() == 1) {
    o.clip_min = value->front();
    return true;
  }
  // A value of the data's own integer type stays an operand.
  if (!r.is_constant(n.inputs[2]) || r.tensor(n.inputs[2]).elements() != 1)
    return n.unsupported("its value is not a constant number");
  n.op.inputs.push_back(n.inputs[2]);
  return true;
}

bool convert_concat(Reader& r, Node& n) {
  std::int64_t axis = n.integer("axis", n.opset < 4 ? 1 : 0);
  if (!n.attribute("axis") && n.opset >= 4) return n.fail("has no axis");
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    if (!n.has(i)) return n.fail(fmt::format("its input {} is left out", i));
  if (!normalise_axis(n, axis, r.shape(n, 0).size())) return false;
  n.op.options.axis = static_cast<int>(axis);
  return true;
}

bool convert_reduce(Reader& r, Node& n) {
  std::optional<Shape> axes;
  if (!list_of(r, n, "axes", 1, axes)) return true;
  const Shape& in = r.shape(n, 0);
  n.op.options.keep_dims = n.flag("keepdims", true);
  if (!axes || axes->empty()) {
    axes.emplace();
    if (!n.flag("noop_with_empty_axes", false)) {
      axes->resize(in.size());
      std::iota(axes->begin(), axes->end(), 0);
    }
  }
  if (!normalise_axes(n, *axes, in.size())) return false;
  n.op.options.axes = *axes;
  if (axes->empty()) n.op.kind = OperatorKind::identity;
  return true;
}

bool convert_arg(Reader& r, Node& n) {
  std::int64_t axis = n.integer("axis", 0);
  if (!normalise_axis(n, axis, r.shape(n, 0).size())) return false;
  n.op.options.axis = static_cast<int>(axis);
  n.op.options.keep_dims = n.flag("keepdims", true);
  n.type = DataType::int64;
  if (n.flag("select_last_index", false)) return n.unsupported("the last of equal elements");
  return true;
}

bool convert_expand(Reader& r, Node& n) {
  std::optional<Shape> wanted;
  if (!list_of(r, n, "shape", 1, wanted)) return true;
  if (!wanted) return n.fail("has no shape");
  const Shape& in = r.shape(n, 0);
  const std::size_t lead = in.size() - std::min(in.size(), wanted->size());
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const bool stretched = in.size() < wanted->size() || ((*wanted)[i] != 1 && (*wanted)[i] != in[lead + i]);
    if (stretched) return n.unsupported(fmt::format("{} stretched to {}", text_of(in), text_of(*wanted)));
  }
  return true;
}

}  // namespace dse::nn::onnx_import
