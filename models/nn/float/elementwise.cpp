// Element-wise operators in float32.
#include <algorithm>
#include <cmath>

#include "models/nn/float/operands.h"

namespace dse::nn::floating {
namespace {

template <class F>
void each(Call& c, F&& f) {
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t i = 0, n = c.out_size(); i < n; ++i) y[i] = f(x[i]);
  c.activate();
}

float clamp(float x, float lo, float hi) { return std::min(std::max(x, lo), hi); }

/// y = f(a, b), both stretched to the output's shape.
template <class F>
void broadcast(Call& c, const float* a, const Shape& shape_a, const float* b, const Shape& shape_b, F&& f) {
  float* y = c.out();
  const std::int64_t n = c.out_size();
  if (shape_a == shape_b && shape_a == c.out_shape()) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
    return;
  }
  Walk walk(c.out_shape(), broadcast_strides(shape_a, c.out_shape()), broadcast_strides(shape_b, c.out_shape()));
  for (std::int64_t i = 0; i < n; ++i, walk.next()) y[i] = f(a[walk.a], b[walk.b]);
}

void sum_of_all(Call& c) {
  const Shape& out = c.out_shape();
  std::fill_n(c.out(), c.out_size(), 0.0f);
  for (std::size_t i = 0; i < c.op.inputs.size(); ++i)
    broadcast(c, c.out(), out, c.in(i), c.shape(i), [](float a, float b) { return a + b; });
}

}  // namespace

void unary(Call& c) {
  const float alpha = c.o.alpha, beta = c.o.beta, lo = c.o.clip_min, hi = c.o.clip_max;
  switch (c.op.kind) {
    case OperatorKind::relu:
      return each(c, [](float x) { return std::max(x, 0.0f); });
    case OperatorKind::relu6:
      return each(c, [](float x) { return clamp(x, 0, 6); });
    case OperatorKind::relu_n1_to_1:
      return each(c, [](float x) { return clamp(x, -1, 1); });
    case OperatorKind::clip:
      return each(c, [=](float x) { return clamp(x, lo, hi); });
    case OperatorKind::logistic:
      return each(c, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case OperatorKind::tanh:
      return each(c, [](float x) { return std::tanh(x); });
    case OperatorKind::hard_swish:
      return each(c, [](float x) { return x * clamp(x + 3.0f, 0, 6) / 6.0f; });
    case OperatorKind::hard_sigmoid:
      return each(c, [=](float x) { return clamp(alpha * x + beta, 0, 1); });
    case OperatorKind::leaky_relu:
      return each(c, [=](float x) { return x < 0 ? alpha * x : x; });
    case OperatorKind::elu:
      // TensorFlow Lite has no alpha: its files leave the option 0, and 1 is meant.
      return each(c, [a = alpha == 0 ? 1.0f : alpha](float x) { return x < 0 ? a * std::expm1(x) : x; });
    case OperatorKind::abs:
      return each(c, [](float x) { return std::abs(x); });
    default:
      return each(c, [](float x) { return -x; });
  }
}

void binary(Call& c) {
  if (c.op.kind == OperatorKind::add_n) {
    sum_of_all(c);
    return c.activate();
  }
  const auto apply = [&](auto f) { broadcast(c, c.in(0), c.shape(0), c.in(1), c.shape(1), f); };
  switch (c.op.kind) {
    case OperatorKind::add:
      apply([](float a, float b) { return a + b; });
      break;
    case OperatorKind::sub:
      apply([](float a, float b) { return a - b; });
      break;
    case OperatorKind::mul:
      apply([](float a, float b) { return a * b; });
      break;
    case OperatorKind::div:
      apply([](float a, float b) { return a / b; });
      break;
    case OperatorKind::maximum:
      apply([](float a, float b) { return std::max(a, b); });
      break;
    case OperatorKind::minimum:
      apply([](float a, float b) { return std::min(a, b); });
      break;
    case OperatorKind::squared_difference:
      apply([](float a, float b) { return (a - b) * (a - b); });
      break;
    default:  // prelu
      apply([](float a, float b) { return a < 0 ? a * b : a; });
      break;
  }
  c.activate();
}

}  // namespace dse::nn::floating
