#include "one_operator.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace dse::nn::random_ops {
namespace {

DataType type_of(Type t) {
  constexpr DataType types[] = {DataType::int8,  DataType::uint8,   DataType::int16,  DataType::int32,
                                DataType::int64, DataType::float32, DataType::boolean};
  return types[static_cast<int>(t)];
}

OperatorKind kind_of(const std::string& name) {
  if (name == "PADV2") return OperatorKind::pad;
  for (int k = 0; k < operator_kinds; ++k)
    if (name == name_of(static_cast<OperatorKind>(k))) return static_cast<OperatorKind>(k);
  throw std::invalid_argument(name);
}

int add_tensor(Network& n, const oracle::Tensor& from, TensorKind kind, const std::string& name) {
  nn::Tensor t;
  t.name = name;
  t.shape = from.shape;
  t.type = type_of(from.type);
  t.kind = kind;
  t.quantization.scale = from.scale;
  t.quantization.zero_point = from.zero;
  t.quantization.axis = from.axis;
  if (kind == TensorKind::constant) t.data = from.bytes();
  n.tensors.push_back(std::move(t));
  return static_cast<int>(n.tensors.size()) - 1;
}

OperatorOptions common_options(const Options& o) {
  OperatorOptions r;
  r.stride_h = o.stride_h, r.stride_w = o.stride_w, r.dilation_h = o.dilation_h, r.dilation_w = o.dilation_w;
  r.same_padding = o.padding == oracle::Padding::same;
  r.explicit_padding = o.padding == oracle::Padding::given;
  r.pad_top = o.pad_top, r.pad_left = o.pad_left, r.pad_bottom = o.pad_bottom, r.pad_right = o.pad_right;
  r.filter_h = o.filter_h, r.filter_w = o.filter_w;
  r.count_include_pad = o.count_include_pad;
  r.activation = static_cast<nn::Activation>(o.activation);
  r.rounding = static_cast<Rounding>(o.mode);
  r.correction = o.correct_then_round ? Correction::correct_then_round : Correction::round_then_correct;
  r.depth_multiplier = o.depth_multiplier;
  r.clip_min = o.clip_min, r.clip_max = o.clip_max;
  r.beta = o.beta, r.alpha = o.alpha, r.cell_clip = o.cell_clip;
  r.adj_x = o.adj_x, r.adj_y = o.adj_y, r.keep_dims = o.keep_dims, r.time_major = o.time_major, r.rank = o.rank;
  r.align_corners = o.align_corners, r.half_pixel_centers = o.half_pixel_centers;
  r.mirror_symmetric = o.symmetric;
  return r;
}

int not_negative(std::int64_t axis, std::size_t rank) {
  return static_cast<int>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

/// begin, end and strides with masks and negative indices resolved.
void slice_options(const Case& c, OperatorOptions& r) {
  const auto& shape = c.in[0].tensor.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t n = shape[i], by = c.in[3].tensor.q[i];
    std::int64_t from = c.in[1].tensor.q[i], to = c.in[2].tensor.q[i];
    from = c.o.begin_mask >> i & 1 ? (by > 0 ? 0 : n - 1) : from < 0 ? from + n : from;
    to = c.o.end_mask >> i & 1 ? (by > 0 ? n : -1) : to < 0 ? to + n : to;
    if (c.o.shrink_axis_mask >> i & 1) to = from + 1;
    r.begin.push_back(from), r.end.push_back(to), r.strides.push_back(by);
  }
}

/// What TFLite gives as constant tensors and a network as options. @returns the inputs that remain, in our order.
std::vector<std::size_t> take_parameters(const Case& c, OperatorOptions& r) {
  const std::string& k = c.kind;
  const auto values = [&](std::size_t i) -> const auto& { return c.in.at(i).tensor.q; };
  const std::size_t rank = c.in.at(0).tensor.shape.size();
  if (k == "CONV_2D") r.groups = static_cast<int>(c.in[0].tensor.shape[3] / c.in[1].tensor.shape[3]);
  if (k == "TRANSPOSE_CONV") return {2, 1, 3};
  if (k == "MEAN" || k == "SUM" || k == "REDUCE_MAX" || k == "REDUCE_MIN" || k == "EXPAND_DIMS") {
    const std::size_t of = k == "EXPAND_DIMS" ? c.out[0].shape.size() : rank;
    for (const auto a : values(1)) r.axes.push_back(not_negative(a, of));
    std::sort(r.axes.begin(), r.axes.end());
    return {0};
  }
  if (k == "SQUEEZE") return r.axes = {c.o.axis}, std::vector<std::size_t>{0};
  if (k == "ARG_MAX" || k == "ARG_MIN") return r.axis = not_negative(values(1)[0], rank), std::vector<std::size_t>{0};
  if (k == "SPLIT") {
    r.axis = not_negative(values(0)[0], c.in[1].tensor.shape.size());
    for (const auto& t : c.out) r.sizes.push_back(t.shape[static_cast<std::size_t>(r.axis)]);
    return {1};
  }
  if (k == "CONCATENATION" || k == "PACK") r.axis = not_negative(c.o.axis, c.out[0].shape.size());
  if (k == "UNPACK") r.axis = not_negative(c.o.axis, rank);
  if (k == "SOFTMAX" || k == "LOG_SOFTMAX") r.axis = static_cast<int>(rank) - 1;
  if (k == "TRANSPOSE") return r.permutation = values(1), std::vector<std::size_t>{0};
  if (k == "PAD" || k == "PADV2" || k == "MIRROR_PAD") {
    for (std::size_t i = 0; i < rank; ++i)
      r.pad_before.push_back(values(1)[2 * i]), r.pad_after.push_back(values(1)[2 * i + 1]);
    return k == "PADV2" ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0};
  }
  if (k == "STRIDED_SLICE") return slice_options(c, r), std::vector<std::size_t>{0};
  if (k == "RESHAPE" || k == "RESIZE_BILINEAR" || k == "RESIZE_NEAREST_NEIGHBOR") return {0};
  std::vector<std::size_t> all(c.in.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

}  // namespace

Network network_of(const Case& c) {
  Network n;
  n.name = "one operator";
  Operator op;
  op.kind = kind_of(c.kind);
  op.type = c.kind;
  op.options = common_options(c.o);
  for (const std::size_t i : take_parameters(c, op.options)) {
    const Argument& a = c.in.at(i);
    if (a.absent) {
      op.inputs.push_back(-1);
      continue;
    }
    const TensorKind kind = a.constant ? TensorKind::constant : a.variable ? TensorKind::variable : TensorKind::input;
    const int t = add_tensor(n, a.tensor, kind, "in" + std::to_string(i));
    if (kind == TensorKind::input) n.inputs.push_back(t);
    op.inputs.push_back(t);
  }
  if (!c.o.correction.empty()) {
    auto& factors = n.tensors.at(static_cast<std::size_t>(op.inputs.at(1))).quantization.correction;
    for (const auto f : c.o.correction) factors.push_back(static_cast<std::int32_t>(f));
  }
  for (const auto& t : c.out) op.outputs.push_back(add_tensor(n, t, TensorKind::activation, "out"));
  n.outputs = op.outputs;
  n.operators.push_back(std::move(op));
  return n;
}

}  // namespace dse::nn::random_ops
