// The operators that random_any_network draws.
#include <algorithm>
#include <cmath>

#include "tests/support/graphs/any_builder.h"

namespace dse::test {

using nn::OperatorKind;
using nn::TensorKind;

void AnyBuilder::step() {
  const auto back = std::min<std::size_t>(live_.size(), static_cast<std::size_t>(reach_));
  from_ = live_[live_.size() - 1 - random_() % back];
  const auto s = shape();
  switch (pick(random_, 0, 17)) {
    case 0:
    case 1:
      return convolution();
    case 2:
    case 3:
      return depthwise();
    case 4:
      return pool();
    case 5:
      return curve();
    case 6:
    case 7:
      return join_or(OperatorKind::add);
    case 8:
      return join_or(pick(random_, 0, 1) ? OperatorKind::mul : OperatorKind::sub);
    case 9:
      return concatenation();
    case 10:
      return pick(random_, 0, 1) ? slice() : split();
    case 11:
      return pad();
    case 12:
      return fold();
    case 13:
      return s[1] * s[2] <= 64 ? resize() : pool();
    case 14:
      return pick(random_, 0, 1) ? transpose() : line();
    case 15:
      return pick(random_, 0, 1) ? extreme() : softmax();
    case 16:
      return transposed();
    default:
      return remember();
  }
}

void AnyBuilder::convolution() {
  const auto s = shape();
  nn::OperatorOptions o;
  o.same_padding = true;
  o.activation = static_cast<nn::Activation>(pick(random_, 0, 2));
  o.stride_h = s[1] > 4 ? pick(random_, 1, 2) : 1, o.stride_w = s[2] > 4 ? o.stride_h : 1;
  const std::int64_t k = 2 * pick(random_, 0, 1) + 1;
  o.groups = s[3] % 2 == 0 && pick(random_, 0, 7) == 0 ? 2 : 1;
  const std::int64_t channels = o.groups * pick(random_, 1, 24 / o.groups);
  auto inputs = weighted(from_, {channels, k, k, s[3] / o.groups}, 0);
  emit(OperatorKind::conv_2d, inputs,
       fresh({1, (s[1] + o.stride_h - 1) / o.stride_h, (s[2] + o.stride_w - 1) / o.stride_w, channels}), o);
}
void AnyBuilder::depthwise() {
  const auto s = shape();
  nn::OperatorOptions o;
  o.same_padding = true;
  o.depth_multiplier = s[3] <= 8 ? pick(random_, 1, 3) : 1;
  const std::int64_t channels = s[3] * o.depth_multiplier;
  auto inputs = weighted(from_, {1, 3, 3, channels}, 3);
  emit(OperatorKind::depthwise_conv_2d, inputs, fresh({1, s[1], s[2], channels}), o);
}
/// Twice as large.
void AnyBuilder::transposed() {
  const auto s = shape();
  if (type_ != nn::DataType::int8 || s[1] * s[2] > 64) return depthwise();
  nn::OperatorOptions o;
  o.same_padding = true, o.stride_h = o.stride_w = 2;
  const std::int64_t channels = pick(random_, 1, 12);
  const auto inputs = weighted(from_, {channels, 3, 3, s[3]}, 0);
  emit(OperatorKind::transpose_conv, inputs, fresh({1, 2 * s[1], 2 * s[2], channels}), o);
}
void AnyBuilder::pool() {
  const auto s = shape();
  nn::OperatorOptions o;
  o.same_padding = true, o.filter_h = o.filter_w = pick(random_, 2, 3);
  o.stride_h = s[1] > 4 ? 2 : 1, o.stride_w = s[2] > 4 ? 2 : 1;
  emit(pick(random_, 0, 1) ? OperatorKind::max_pool_2d : OperatorKind::average_pool_2d, {from_},
       like(from_, {1, (s[1] + o.stride_h - 1) / o.stride_h, (s[2] + o.stride_w - 1) / o.stride_w, s[3]}), o);
}
void AnyBuilder::curve() {
  const int what = pick(random_, 0, 3);
  nn::OperatorOptions o;
  o.alpha = 0.1f;
  if (bytes() || what == 0) return (void)emit(OperatorKind::relu, {from_}, fresh(shape()));
  if (what == 1) return (void)emit(OperatorKind::leaky_relu, {from_}, fresh(shape()), o);
  if (what == 2 && !wide()) return (void)emit(OperatorKind::hard_swish, {from_}, fresh(shape()));
  emit(OperatorKind::logistic, {from_}, shares(shape()));
}
/// With another of its shape, one that is stretched over it, or a constant.
void AnyBuilder::join_or(OperatorKind kind) {
  const auto s = shape();
  int other = another([&](const nn::Tensor& t) { return t.shape == s; });
  if (other < 0)
    other = another([&](const nn::Tensor& t) { return t.shape[1] * t.shape[2] == 1 && t.shape[3] == s[3]; });
  if (other < 0) {
    const Shape shapes[] = {s, {1, 1, 1, s[3]}, {s[3]}, {1, 1, s[2], 1}};
    other = add(shapes[pick(random_, 0, 3)], TensorKind::constant);
  }
  emit(kind, pick(random_, 0, 3) ? std::vector{from_, other} : std::vector{other, from_}, fresh(s));
}
/// The larger, or smaller, of two of one scale.
void AnyBuilder::extreme() {
  const auto s = shape();
  const int other = like(from_, pick(random_, 0, 1) ? s : Shape{1, 1, 1, s[3]}, TensorKind::constant);
  emit(pick(random_, 0, 1) ? OperatorKind::maximum : OperatorKind::minimum, {from_, other}, like(from_, s));
}
void AnyBuilder::concatenation() {
  const auto s = shape();
  const auto fits = [&](const nn::Tensor& t) {
    return t.shape[1] == s[1] && t.shape[2] == s[2] && t.shape[3] + s[3] <= 24;
  };
  const int other = another(fits);
  if (other < 0) return convolution();
  const auto c = at(other).shape[3];
  int same = other;  // brought to one scale
  if (bytes()) {
    nn::OperatorOptions o;
    const auto inputs = weighted(other, {c, 1, 1, c}, 0);
    same = emit(OperatorKind::conv_2d, inputs, like(from_, at(other).shape), o);
  } else if (!same_scales(at(other), at(from_))) {
    same = emit(OperatorKind::quantize, {other}, like(from_, at(other).shape));
  }
  nn::OperatorOptions o;
  o.axis = 3;
  emit(OperatorKind::concatenation, {from_, same}, like(from_, {1, s[1], s[2], s[3] + c}), o);
}
void AnyBuilder::slice() {
  auto s = shape();
  nn::OperatorOptions o;
  o.begin = {0, 0, 0, 0}, o.end = s, o.strides = {1, 1, 1, 1};
  const auto axis = static_cast<std::size_t>(pick(random_, 1, 3));
  if (s[axis] < 2) return depthwise();
  o.begin[axis] = pick(random_, 0, static_cast<int>(s[axis] / 2));
  o.end[axis] = std::max<std::int64_t>(o.begin[axis] + 1, s[axis] - pick(random_, 0, 1));
  s[axis] = o.end[axis] - o.begin[axis];
  emit(OperatorKind::strided_slice, {from_}, like(from_, s), o);
}
/// Into two, along any axis of the image.
void AnyBuilder::split() {
  const auto s = shape();
  const auto axis = static_cast<std::size_t>(pick(random_, 1, 3));
  if (s[axis] < 2) return depthwise();
  nn::OperatorOptions o;
  o.axis = static_cast<int>(axis);
  const std::int64_t first = pick(random_, 1, static_cast<int>(s[axis]) - 1);
  o.sizes = {first, s[axis] - first};
  auto part = s;
  part[axis] = o.sizes[0];
  const int a = like(from_, part);
  part[axis] = o.sizes[1];
  const int b = like(from_, part);
  emit(OperatorKind::split, {from_}, a, o);
  n_.operators.back().outputs.push_back(b);
  live_.push_back(b);
}
void AnyBuilder::pad() {
  auto s = shape();
  if (s[1] > 14 || s[2] > 14) return pool();
  nn::OperatorOptions o;
  o.pad_before = {0, pick(random_, 0, 1), 1, 0}, o.pad_after = {0, 1, pick(random_, 0, 1), 0};
  for (std::size_t d = 0; d < 4; ++d) s[d] += o.pad_before[d] + o.pad_after[d];
  emit(OperatorKind::pad, {from_}, like(from_, s), o);
}
void AnyBuilder::resize() {
  if (wide()) return pool();
  const auto s = shape();
  const bool lines = pick(random_, 0, 1) && !bytes();
  emit(lines ? OperatorKind::resize_bilinear : OperatorKind::resize_nearest_neighbor, {from_},
       like(from_, {1, 2 * s[1], 2 * s[2], s[3]}));
}
/// Rows become columns.
void AnyBuilder::transpose() {
  const auto s = shape();
  nn::OperatorOptions o;
  o.permutation = {0, 2, 1, 3};
  emit(OperatorKind::transpose, {from_}, like(from_, {1, s[2], s[1], s[3]}), o);
}
void AnyBuilder::softmax() {
  nn::OperatorOptions o;
  o.axis = 3;
  emit(OperatorKind::softmax, {from_}, shares(shape()), o);
}
/// The mean of each channel, through a shape of two dimensions.
void AnyBuilder::fold() {
  if (bytes()) return pool();
  const auto s = shape();
  nn::OperatorOptions o;
  o.axes = {1, 2}, o.keep_dims = true;
  const int mean = inside(OperatorKind::mean, {from_}, fresh({1, 1, 1, s[3]}), o);
  const int flat = inside(OperatorKind::reshape, {mean}, like(mean, {1, s[3]}));
  const auto inputs = weighted(flat, {s[3], s[3]}, 0);
  const int dense = inside(OperatorKind::fully_connected, inputs, fresh({1, s[3]}));
  emit(OperatorKind::reshape, {dense}, like(dense, {1, 1, 1, s[3]}));
}
/// Something of one dimension less.
void AnyBuilder::line() {
  const auto s = shape();
  const Shape flat = {1, s[1] * s[2], s[3]};
  int now = inside(OperatorKind::reshape, {from_}, like(from_, flat));
  if (pick(random_, 0, 1)) {
    now = inside(OperatorKind::add, {now, add({s[3]}, TensorKind::constant)}, fresh(flat));
  } else {
    nn::OperatorOptions o;
    o.begin = {0, 0, 0}, o.end = flat, o.strides = {1, 1, 1};
    now = inside(OperatorKind::strided_slice, {now}, like(now, flat), o);
  }
  emit(OperatorKind::reshape, {now}, like(now, s));
}
/// Added to a variable that it is written to: before it is read, or afterwards.
void AnyBuilder::remember() {
  const auto s = shape();
  const int now = from_, state = like(now, s, TensorKind::variable);
  const bool first = pick(random_, 0, 3) > 0;
  int before = -1;
  if (first) before = emit(OperatorKind::read_variable, {state}, like(now, s));
  emit(OperatorKind::assign_variable, {now}, state);
  if (!first) before = emit(OperatorKind::read_variable, {state}, like(now, s));
  emit(OperatorKind::add, {now, before}, fresh(s));
}

}  // namespace dse::test
