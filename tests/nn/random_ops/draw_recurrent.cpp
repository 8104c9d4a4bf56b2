// Operators with a state.
#include <cmath>

#include "cases.h"

namespace dse::nn::random_ops {
namespace {

Tensor weights(Draw& d, Shape shape, Type t, float about) {
  Tensor w = d.tensor(std::move(shape), t, about);
  w.zero = {0};
  return w;
}

Argument bias(Draw& d, std::int64_t n, float scale, std::int64_t reach) {
  Tensor b;
  b.shape = {n}, b.type = Type::i32, b.scale = {scale}, b.zero = {0};
  for (std::int64_t i = 0; i < n; ++i) b.q.push_back(d.in(-reach, reach));
  return d.constant(b);
}

Argument variable(Tensor t) { return {std::move(t), false, true}; }

void svdf(Draw& d, Case& c) {
  const std::int64_t batch = d.chance(70) ? 1 : 2, size = d.in(1, 12), units = d.in(1, 9), memory = d.in(1, 6);
  c.o.rank = d.small(1, 3);
  const std::int64_t filters = units * c.o.rank;
  const bool wide = d.chance(70);
  const Type st = wide ? Type::i16 : Type::i8;
  Argument x = d.input(d.tensor({batch, size}, Type::i8));
  Tensor feature = weights(d, {filters, size}, Type::i8, 0.01f);
  const float first = x.tensor.s() * feature.s() * std::sqrt(static_cast<float>(size)) * 5000;
  Tensor state = d.tensor({batch, filters * memory}, st, first / 60);
  if (wide) state.zero = {0};
  Tensor time = weights(d, {filters, memory}, st, 0.01f);
  const float product = state.s() * time.s();
  const float second = product * std::sqrt(static_cast<float>(memory * c.o.rank)) * 5000 * (wide ? 65536.0f : 1.0f);
  c.out = {d.tensor({batch, units}, Type::i8, second / 60)};
  Argument b = d.chance(70) ? bias(d, units, product, wide ? 1 << 24 : 5000) : d.absent();
  c.in = {std::move(x), d.constant(feature), d.constant(time), std::move(b), variable(state)};
}

void lstm(Draw& d, Case& c) {
  const std::int64_t batch = d.chance(60) ? 1 : d.in(2, 3), steps = d.in(1, 4), features = d.in(1, 6),
                     units = d.in(1, 6);
  c.o.time_major = d.chance(40);
  c.o.cell_clip = d.chance(40) ? d.real(0.2f, 8) : 0;
  const auto sequence = [&](std::int64_t n) {
    return c.o.time_major ? Shape{steps, batch, n} : Shape{batch, steps, n};
  };
  Tensor x = d.tensor(sequence(features), Type::i8, 0.02f);
  Tensor hidden = d.tensor({batch, units}, Type::i8, 1.0f / 128), cell = d.tensor({batch, units}, Type::i16, 1);
  cell.scale = {std::ldexp(1.0f, -d.small(9, 15))};
  c.in.assign(24, d.absent());
  for (std::size_t g = 0; g < 4; ++g) {
    Tensor wx = weights(d, {units, features}, Type::i8, 0.01f), wh = weights(d, {units, units}, Type::i8, 0.01f);
    if (d.chance(90)) c.in[12 + g] = bias(d, units, x.s() * wx.s(), 3000);
    c.in[1 + g] = d.constant(wx), c.in[5 + g] = d.constant(wh);
  }
  c.out = {hidden};
  c.out[0].shape = sequence(units);
  c.in[0] = d.input(x);
  c.in[18] = variable(hidden), c.in[19] = variable(cell);
}

}  // namespace

bool draw_recurrent(Draw& d, Case& c) {
  if (c.kind == "SVDF") return svdf(d, c), true;
  if (c.kind == "UNIDIRECTIONAL_SEQUENCE_LSTM") return lstm(d, c), true;
  return false;
}

}  // namespace dse::nn::random_ops
