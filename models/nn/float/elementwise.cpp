// Element-wise operators in float32.
#include <algorithm>
#include <cmath>

#include "base/diagnostics.h"
#include "models/nn/float/operands.h"

namespace dse::nn::floating {
namespace {

template <class F>
void each(Call& c, F&& f) {
  const float* x = c.in();
  float* y = c.out();
  for (std::int64_t i = 0, n = c.out_size(); i < n; ++i) y[i] = f(x[i]);
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

/// y = f(a, b) of the two operands.
template <class F>
void both(Call& c, F&& f) {
  broadcast(c, c.in(0), c.shape(0), c.in(1), c.shape(1), f);
}

using K = OperatorKind;
struct Arithmetic {
  OperatorKind kind;
  void (*run)(Call&);
  Real real = nullptr;
};

constexpr Arithmetic unaries[] = {
    {K::relu, [](Call& c) { each(c, [](float x) { return std::max(x, 0.0f); }); }},
    {K::relu6, [](Call& c) { each(c, [](float x) { return clamp(x, 0, 6); }); }},
    {K::relu_n1_to_1, [](Call& c) { each(c, [](float x) { return clamp(x, -1, 1); }); }},
    {K::clip, [](Call& c) { each(c, [lo = c.o.clip_min, hi = c.o.clip_max](float x) { return clamp(x, lo, hi); }); }},
    {K::logistic, [](Call& c) { each(c, [](float x) { return 1.0f / (1.0f + std::exp(-x)); }); },
     [](double x, double, double) { return 1.0 / (1.0 + std::exp(-x)); }},
    {K::tanh, [](Call& c) { each(c, [](float x) { return std::tanh(x); }); },
     [](double x, double, double) { return std::tanh(x); }},
    {K::hard_swish, [](Call& c) { each(c, [](float x) { return x * clamp(x + 3.0f, 0, 6) / 6.0f; }); },
     [](double x, double, double) { return x * std::clamp(x / 6.0 + 0.5, 0.0, 1.0); }},
    {K::hard_sigmoid,
     [](Call& c) { each(c, [a = c.o.alpha, b = c.o.beta](float x) { return clamp(a * x + b, 0, 1); }); },
     [](double x, double alpha, double beta) { return std::clamp(alpha * x + beta, 0.0, 1.0); }},
    {K::leaky_relu, [](Call& c) { each(c, [alpha = c.o.alpha](float x) { return x < 0 ? alpha * x : x; }); },
     [](double x, double alpha, double) { return x < 0 ? alpha * x : x; }},
    {K::elu,
     [](Call& c) {
       // TensorFlow Lite has no alpha: its files leave the option 0, and 1 is meant.
       each(c, [a = c.o.alpha == 0 ? 1.0f : c.o.alpha](float x) { return x < 0 ? a * std::expm1(x) : x; });
     },
     [](double x, double alpha, double) { return x < 0 ? alpha * std::expm1(x) : x; }},
    {K::abs, [](Call& c) { each(c, [](float x) { return std::abs(x); }); }},
    {K::neg, [](Call& c) { each(c, [](float x) { return -x; }); }},
};

constexpr Arithmetic binaries[] = {
    {K::add_n, sum_of_all},
    {K::add, [](Call& c) { both(c, [](float a, float b) { return a + b; }); }},
    {K::sub, [](Call& c) { both(c, [](float a, float b) { return a - b; }); }},
    {K::mul, [](Call& c) { both(c, [](float a, float b) { return a * b; }); }},
    {K::div, [](Call& c) { both(c, [](float a, float b) { return a / b; }); }},
    {K::maximum, [](Call& c) { both(c, [](float a, float b) { return std::max(a, b); }); }},
    {K::minimum, [](Call& c) { both(c, [](float a, float b) { return std::min(a, b); }); }},
    {K::squared_difference, [](Call& c) { both(c, [](float a, float b) { return (a - b) * (a - b); }); }},
    {K::prelu, [](Call& c) { both(c, [](float a, float b) { return a < 0 ? a * b : a; }); }},
};

template <std::size_t rows>
void run(const Arithmetic (&table)[rows], Call& c) {
  const Arithmetic* row = row_of(table, c.op.kind);
  ensure(row, "an element-wise operator without arithmetic in float");
  row->run(c);
  c.activate();
}

}  // namespace

void unary(Call& c) { run(unaries, c); }
void binary(Call& c) { run(binaries, c); }

Real real_function(OperatorKind unary) {
  const Arithmetic* row = row_of(unaries, unary);
  return row ? row->real : nullptr;
}

}  // namespace dse::nn::floating
