// Convolutions, pools and changes of size of ONNX.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

/// A list of `count` numbers in [lowest, max_window], or the default for each. One-dimensional windows have half as
/// many, which are those of the width.
bool window_list(Node& n, const char* name, std::size_t count, std::int64_t lowest, std::int64_t otherwise,
                 std::vector<int>& out) {
  auto list = n.integers(name).value_or(std::vector<std::int64_t>(n.flat ? count / 2 : count, otherwise));
  if (n.flat && list.size() == count / 2) {
    list.insert(list.begin(), otherwise);
    if (count == 4) list.insert(list.begin() + 2, otherwise);
  }
  if (list.size() != count) return n.fail(fmt::format("'{}' has {} entries, not {}", name, list.size(), count));
  out.clear();
  for (const auto v : list) {
    if (v < lowest || v > max_window)
      return n.fail(fmt::format("'{}' has an entry of {}, outside {} to {}", name, v, lowest, max_window));
    out.push_back(static_cast<int>(v));
  }
  return true;
}

/// Strides, dilations and paddings of a window of `kernel` over an image of `h` x `w`.
bool read_window(Node& n, const Shape& x, std::int64_t kernel_h, std::int64_t kernel_w) {
  OperatorOptions& o = n.op.options;
  o.channels_first = true;
  std::vector<int> strides, dilations, pads;
  if (!window_list(n, "strides", 2, 1, 1, strides) || !window_list(n, "dilations", 2, 1, 1, dilations) ||
      !window_list(n, "pads", 4, 0, 0, pads))
    return false;
  if (kernel_h < 1 || kernel_w < 1 || kernel_h > max_window || kernel_w > max_window)
    return n.fail(fmt::format("a kernel of {} x {}", kernel_h, kernel_w));
  o.stride_h = strides[0], o.stride_w = strides[1];
  o.dilation_h = dilations[0], o.dilation_w = dilations[1];
  o.explicit_padding = true;
  const std::string mode = n.text("auto_pad", "NOTSET");
  if (mode == "NOTSET") {
    o.pad_top = pads[0], o.pad_left = pads[1], o.pad_bottom = pads[2], o.pad_right = pads[3];
    return true;
  }
  if (mode == "VALID") return true;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") return n.fail(fmt::format("auto_pad '{}' is unknown", mode));
  const auto same = [&](std::int64_t in, std::int64_t kernel, int stride, int dilation, int& before, int& after) {
    const std::int64_t out = (in + stride - 1) / stride;
    const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in);
    if (total > max_window) return n.fail(fmt::format("auto_pad adds {} elements", total));
    const auto half = static_cast<int>(total / 2), rest = static_cast<int>(total) - half;
    before = mode == "SAME_UPPER" ? half : rest;
    after = mode == "SAME_UPPER" ? rest : half;
    return true;
  };
  return same(x[2], kernel_h, o.stride_h, o.dilation_h, o.pad_top, o.pad_bottom) &&
         same(x[3], kernel_w, o.stride_w, o.dilation_w, o.pad_left, o.pad_right);
}

bool read_groups(Node& n) {
  const std::int64_t groups = n.integer("group", 1);
  if (groups < 1 || groups > max_elements) return n.fail(fmt::format("{} groups", groups));
  n.op.options.groups = static_cast<int>(groups);
  return true;
}

bool kernel_matches(Node& n, const Shape& w) {
  const auto kernel = n.integers("kernel_shape");
  if (!kernel || *kernel == (n.flat ? Shape{w[3]} : Shape{w[2], w[3]})) return true;
  return n.fail(fmt::format("kernel_shape {} does not fit the weights {}", text_of(*kernel), text_of(w)));
}

}  // namespace

bool convert_conv(Reader& r, Node& n) {
  if (r.shape(n, 0).size() == 3 && r.shape(n, 1).size() == 3) {
    n.flat = true;
    for (std::size_t i = 0; i < 2; ++i) {
      n.inputs[i] = r.lifted(n.inputs[i]);
      if (n.operands_set) n.op.inputs[i] = n.inputs[i];
    }
  }
  const Shape &x = r.shape(n, 0), &w = r.shape(n, 1);
  if (x.size() != 4 || w.size() != 4)
    return n.unsupported(fmt::format("input {} and weights {} are not two-dimensional", text_of(x), text_of(w)));
  return read_groups(n) && kernel_matches(n, w) && read_window(n, x, w[2], w[3]);
}

bool convert_conv_transpose(Reader& r, Node& n) {
  const Shape &x = r.shape(n, 0), &w = r.shape(n, 1);
  if (x.size() != 4 || w.size() != 4)
    return n.unsupported(fmt::format("input {} and weights {} are not two-dimensional", text_of(x), text_of(w)));
  const std::string mode = n.text("auto_pad", "NOTSET");
  // auto_pad pads so that the output is stride times the input, unless output_shape says otherwise.
  std::vector<int> extra, pads;
  OperatorOptions& o = n.op.options;
  if (!read_groups(n) || !kernel_matches(n, w) || !window_list(n, "output_padding", 2, 0, 0, extra) ||
      !window_list(n, "pads", 4, 0, 0, pads))
    return false;
  if (!read_window(n, {1, 1, 1, 1}, w[2], w[3])) return false;
  if (w[1] > max_elements / o.groups) return n.fail(fmt::format("weights {} in {} groups", text_of(w), o.groups));
  auto wanted = n.integers("output_shape");
  if (wanted && wanted->size() != 2) return n.fail(fmt::format("output_shape has {} entries, not 2", wanted->size()));
  if (!wanted && mode.rfind("SAME_", 0) == 0) wanted = Shape{x[2] * o.stride_h, x[3] * o.stride_w};
  Shape out{x[0], w[1] * o.groups, 0, 0};
  for (std::size_t d = 0; d < 2; ++d) {
    const int stride = d == 0 ? o.stride_h : o.stride_w, dilation = d == 0 ? o.dilation_h : o.dilation_w;
    int& before = d == 0 ? o.pad_top : o.pad_left;
    int& after = d == 0 ? o.pad_bottom : o.pad_right;
    const std::int64_t whole = stride * (x[2 + d] - 1) + extra[d] + (w[2 + d] - 1) * dilation + 1;
    if (wanted) {
      const std::int64_t total = whole - (*wanted)[d];
      if ((*wanted)[d] < 1 || total < 0 || total > max_window)
        return n.unsupported(fmt::format("an output of {} elements of at most {}", (*wanted)[d], whole));
      const int half = static_cast<int>(total / 2), rest = static_cast<int>(total) - half;
      before = mode == "SAME_UPPER" ? half : rest;
      after = mode == "SAME_UPPER" ? rest : half;
    }
    out[2 + d] = whole - before - after;
  }
  n.shapes = {out};
  return true;
}

bool convert_pool(Reader& r, Node& n) {
  auto kernel = n.integers("kernel_shape");
  if (!kernel) return n.fail("has no kernel_shape");
  if (r.shape(n, 0).size() == 3 && kernel->size() == 1) {
    n.flat = true;
    n.inputs[0] = r.lifted(n.inputs[0]);
    if (n.operands_set) n.op.inputs[0] = n.inputs[0];
    kernel->insert(kernel->begin(), 1);
  }
  const Shape& x = r.shape(n, 0);
  if (x.size() != 4 || kernel->size() != 2)
    return n.unsupported(fmt::format("input {} and kernel {} are not two-dimensional", text_of(x), text_of(*kernel)));
  OperatorOptions& o = n.op.options;
  if (!read_window(n, x, (*kernel)[0], (*kernel)[1])) return false;
  o.filter_h = static_cast<int>((*kernel)[0]), o.filter_w = static_cast<int>((*kernel)[1]);
  o.ceil_mode = n.flag("ceil_mode", false);
  o.count_include_pad = n.op.kind == OperatorKind::average_pool_2d && n.flag("count_include_pad", false);
  if (o.dilation_h != 1 || o.dilation_w != 1) return n.unsupported("a pool with dilations");
  return true;
}

bool convert_global_pool(Reader&, Node& n) {
  n.op.options.channels_first = true;
  return true;
}

namespace {

/// Which element of `in` nearest-neighbour resizing to `out` elements takes for element x. A floor of a quotient of
/// whole numbers, so that nothing is rounded.
std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

struct Resizing {
  std::string mode, transform, nearest;
};

std::int64_t nearest_index(const Resizing& how, std::int64_t x, std::int64_t in, std::int64_t out) {
  // The original coordinate as a fraction a / b.
  std::int64_t a = x * in, b = out;
  if (how.transform == "align_corners") {
    a = x * (in - 1), b = std::max<std::int64_t>(1, out - 1);
  } else if (how.transform != "asymmetric") {  // half_pixel; pytorch's differs for one element only
    a = (2 * x + 1) * in - out, b = 2 * out;
    if (how.transform == "pytorch_half_pixel" && out == 1) a = 0, b = 1;
  }
  std::int64_t i = 0;
  if (how.nearest == "floor")
    i = floor_of(a, b);
  else if (how.nearest == "ceil")
    i = -floor_of(-a, b);
  else if (how.nearest == "round_prefer_ceil")
    i = floor_of(2 * a + b, 2 * b);
  else  // round_prefer_floor
    i = -floor_of(-(2 * a - b), 2 * b);
  return std::clamp<std::int64_t>(i, 0, in - 1);
}

/// What resize_nearest_neighbor does with these options.
std::int64_t plain_index(bool align_corners, bool half_pixel, std::int64_t x, std::int64_t in, std::int64_t out) {
  std::int64_t i = 0;
  if (align_corners)
    i = out > 1 ? floor_of(2 * x * (in - 1) + (out - 1), 2 * (out - 1)) : 0;
  else
    i = half_pixel ? floor_of((2 * x + 1) * in, 2 * out) : x * in / out;
  return std::min(i, in - 1);
}

bool set_nearest(Node& n, const Resizing& how, const Shape& in, const Shape& out) {
  constexpr std::pair<bool, bool> ways[] = {{false, false}, {false, true}, {true, false}};
  for (const auto& [align, half] : ways) {
    bool equal = true;
    for (std::size_t d = 2; d < 4; ++d)
      for (std::int64_t x = 0; equal && x < out[d]; ++x)
        equal = nearest_index(how, x, in[d], out[d]) == plain_index(align, half, x, in[d], out[d]);
    if (!equal) continue;
    n.op.options.align_corners = align, n.op.options.half_pixel_centers = half;
    return true;
  }
  return n.unsupported(fmt::format("nearest elements by '{}' and '{}' from {} to {}", how.transform, how.nearest,
                                   text_of(in), text_of(out)));
}

bool resize_to(Reader& r, Node& n, const Resizing& how, const Shape& out) {
  const Shape& in = r.shape(n, 0);
  n.op.options.channels_first = true;
  n.op.inputs = {n.inputs[0]};
  n.operands_set = true;
  if (in.size() != 4 || out.size() != 4 || out[0] != in[0] || out[1] != in[1] || out[2] > max_window ||
      out[3] > max_window || out[2] < 1 || out[3] < 1 || in[2] > max_window || in[3] > max_window)
    return n.unsupported(fmt::format("from {} to {}", text_of(in), text_of(out)));
  n.shapes = {out};
  static constexpr const char* transforms[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
  if (std::find(std::begin(transforms), std::end(transforms), how.transform) == std::end(transforms))
    return n.unsupported(fmt::format("coordinates by '{}'", how.transform));
  if (how.mode == "nearest") {
    n.op.kind = OperatorKind::resize_nearest_neighbor;
    return set_nearest(n, how, in, out);
  }
  if (how.mode != "linear") return n.unsupported(fmt::format("interpolation '{}'", how.mode));
  if (how.transform == "pytorch_half_pixel" && (out[2] == 1 || out[3] == 1))
    return n.unsupported("coordinates by 'pytorch_half_pixel' for one element");
  n.op.options.align_corners = how.transform == "align_corners";
  n.op.options.half_pixel_centers = how.transform == "half_pixel" || how.transform == "pytorch_half_pixel";
  return true;
}

/// in * scale, which must be whole: otherwise the coordinates would use another ratio than the shapes have.
bool scaled(Reader& r, Node& n, const std::vector<float>& scales, Shape& out) {
  const Shape& in = r.shape(n, 0);
  if (scales.size() != in.size()) return n.fail(fmt::format("{} scales for the input {}", scales.size(), text_of(in)));
  for (std::size_t d = 0; d < in.size(); ++d) {
    const double extent = static_cast<double>(in[d]) * static_cast<double>(scales[d]);
    if (!(extent > 0 && extent < 1e8)) return n.fail(fmt::format("scale {}", scales[d]));
    out.push_back(static_cast<std::int64_t>(std::floor(extent)));
    // float32 cannot say 1/3: allow for its rounding, but for no fraction of an element.
    const double nearest = std::round(extent);
    if (std::abs(extent - nearest) < 1e-4)
      out.back() = static_cast<std::int64_t>(nearest);
    else
      return n.unsupported(fmt::format("scale {} of {} elements", scales[d], in[d]));
  }
  return true;
}

}  // namespace

bool convert_resize(Reader& r, Node& n) {
  const bool old = n.opset < 11;
  Resizing how{n.text("mode", "nearest"), n.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
               n.text("nearest_mode", old ? "floor" : "round_prefer_floor")};
  const std::size_t scales_at = old ? 1 : 2;
  Shape out;
  if (n.has(3) && r.tensor(n.inputs[3]).elements() > 0) {
    const auto sizes = r.integers(n.inputs[3]);
    if (!sizes) return n.unsupported("sizes that are not constant");
    out = *sizes;
  } else {
    const auto scales = n.has(scales_at) ? r.numbers(n.inputs[scales_at]) : std::nullopt;
    if (!scales) return n.unsupported("scales that are not constant");
    if (!scaled(r, n, *scales, out)) return false;
    if (!n.op.unsupported.empty()) return true;
  }
  if (n.attribute("axes") || n.flag("antialias", false) || n.flag("exclude_outside", false) ||
      n.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    return n.unsupported("axes, antialias, exclude_outside or keep_aspect_ratio_policy");
  return resize_to(r, n, how, out);
}

bool convert_upsample(Reader& r, Node& n) {
  const auto scales = n.has(1) ? r.numbers(n.inputs[1]) : n.numbers("scales");
  if (!scales) return n.unsupported("scales that are not constant");
  Shape out;
  if (!scaled(r, n, *scales, out)) return false;
  if (!n.op.unsupported.empty()) return true;
  return resize_to(r, n, {n.text("mode", "nearest"), "asymmetric", "floor"}, out);
}

}  // namespace dse::nn::onnx_import
