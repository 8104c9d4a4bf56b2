// SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM: 2.17, 2.18.
#include <algorithm>
#include <cmath>

#include "families.h"

namespace dse::nn::oracle {
namespace {

/// Contents of a variable: int8 starts at its zero point, other types at zero.
std::vector<std::int64_t>& contents(const Call& c, const char* name, const Tensor& variable) {
  if (!c.state) c.refuse("no state");
  auto& v = (*c.state)[name];
  if (v.empty()) v.assign(static_cast<std::size_t>(variable.elements()), variable.type == Type::i8 ? variable.z() : 0);
  return v;
}

/// inputs: x [batch, size], feature weights [filters, size], time weights [filters, memory], bias, state.
void svdf(const Call& c) {
  const Tensor &x = c.x(0), &feature = c.x(1), &time = c.x(2), &variable = c.x(4);
  Tensor& y = c.y();
  const std::int64_t batches = x.dim(0), size = x.dim(1), filters = feature.dim(0), memory = time.dim(1);
  const float p1 = x.s() * feature.s(), r1 = p1 / variable.s(), p2 = variable.s() * time.s(), r2 = p2 / y.s();
  const Multiplier m1 = quantize_multiplier(static_cast<double>(r1), c.o.mode);
  const Multiplier m2 = quantize_multiplier(static_cast<double>(r2), c.o.mode);
  auto& state = contents(c, "activation", variable);
  std::copy(state.begin() + 1, state.end(), state.begin());
  const auto slot = [&](std::int64_t b, std::int64_t f, std::int64_t t) -> std::int64_t& {
    return state.at(static_cast<std::size_t>((b * filters + f) * memory + t));
  };
  const std::int64_t lo = lowest(variable.type), hi = highest(variable.type);
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t f = 0; f < filters; ++f) {
      Wide acc = 0;
      for (std::int64_t i = 0; i < size; ++i) acc += Wide{at(feature, f, i)} * (at(x, b, i) - x.z());
      // The sum with the zero point is cut to the type's bits, not clamped.
      const Wide v = Wide{clamp(mbqm32(fits32(acc), m1, c.o.mode), lo, hi)} + variable.z() - lo,
                 span = Wide{hi} - lo + 1;
      slot(b, f, memory - 1) = static_cast<std::int64_t>(v - floor_div(v, span) * span) + lo;
    }
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t u = 0; u < filters / c.o.rank; ++u) {
      Wide acc = c.has(3) ? c.x(3).q.at(static_cast<std::size_t>(u)) : 0;
      for (std::int64_t f = u * c.o.rank; f < (u + 1) * c.o.rank; ++f)
        for (std::int64_t t = 0; t < memory; ++t) acc += Wide{at(time, f, t)} * (slot(b, f, t) - variable.z());
      y.q.push_back(clamp(Wide{mbqm32(fits32(acc), m2, c.o.mode)} + y.z(), lowest(y.type), highest(y.type)));
    }
}

struct Lstm {
  const Call& c;
  const Tensor &x, &hidden, &cell;
  std::vector<std::int64_t>&h, &s;
  std::int64_t units, features;

  explicit Lstm(const Call& call)
      : c(call),
        x(c.x(0)),
        hidden(c.x(18)),
        cell(c.x(19)),
        h(contents(c, "hidden", hidden)),
        s(contents(c, "cell", cell)),
        units(cell.shape.back()),
        features(x.shape.back()) {}

  static std::int64_t clamp16(Wide v) { return clamp(v, -32768, 32767); }

  /// Pre-activation of gate g (input, forget, cell, output) in Q3.12.
  std::int64_t gate(std::size_t g, std::int64_t u, std::int64_t batch, const std::int64_t* now,
                    const std::vector<std::int64_t>& before) const {
    const Tensor &wx = c.x(1 + g), &wh = c.x(5 + g);
    const auto at_scale = [&](float product) {
      return quantize_multiplier(static_cast<double>(product) / std::ldexp(1.0, -12), c.o.mode);
    };
    const float px = x.s() * wx.s(), ph = hidden.s() * wh.s();
    Wide a = c.has(12 + g) ? c.x(12 + g).q.at(static_cast<std::size_t>(u)) : 0, b = 0;
    for (std::int64_t i = 0; i < features; ++i) a += Wide{at(wx, u, i)} * (now[i] - x.z());
    for (std::int64_t i = 0; i < units; ++i)
      b += Wide{at(wh, u, i)} * (before.at(static_cast<std::size_t>(batch * units + i)) - hidden.z());
    const std::int64_t from_x = clamp16(mbqm32(fits32(a), at_scale(px), c.o.mode));
    const std::int64_t from_h = clamp16(mbqm32(fits32(b), at_scale(ph), c.o.mode));
    return clamp16(from_x + from_h);
  }

  void step(std::int64_t batch, const std::int64_t* now, std::int64_t* out) {
    const auto before = h;
    bool exact = false;
    const double sc = static_cast<double>(cell.s());
    const int shift = 12 + log2_rounded(cell.s(), exact);
    const Multiplier keep = quantize_multiplier(std::ldexp(sc, -15) / sc, c.o.mode);
    const Multiplier enter = quantize_multiplier(std::ldexp(1.0, -30) / sc, c.o.mode);
    const Multiplier leave = quantize_multiplier(std::ldexp(1.0, -30) / static_cast<double>(hidden.s()), c.o.mode);
    for (std::int64_t u = 0; u < units; ++u) {
      const std::int64_t i = logistic16(gate(0, u, batch, now, before), 3, 0);
      const std::int64_t f = logistic16(gate(1, u, batch, now, before), 3, 0);
      const std::int64_t g = tanh16(gate(2, u, batch, now, before), 3, 0);
      const std::int64_t o = logistic16(gate(3, u, batch, now, before), 3, 0);
      auto& state = s.at(static_cast<std::size_t>(batch * units + u));
      state = clamp16(clamp16(mbqm32(f * state, keep, c.o.mode)) + clamp16(mbqm32(i * g, enter, c.o.mode)));
      if (c.o.cell_clip > 0) {
        const double units_of_cell = static_cast<double>(c.o.cell_clip) / sc;
        const auto clip = static_cast<std::int64_t>(std::clamp(units_of_cell, -32768.0, 32767.0));
        state = clamp(state, -clip, clip);
      }
      const std::int64_t t = shift >= 0 ? tanh16(state, std::int64_t{3} << shift, 0) : tanh16(state, 3, -shift);
      const std::int64_t q = clamp(Wide{mbqm32(t * o, leave, c.o.mode)} + hidden.z(), -128, 127);
      h.at(static_cast<std::size_t>(batch * units + u)) = out[u] = q;
    }
  }

  void run() {
    const std::int64_t batches = x.dim(c.o.time_major ? 1 : 0), steps = x.dim(c.o.time_major ? 0 : 1);
    Tensor& y = c.y();
    y.q.resize(static_cast<std::size_t>(batches * steps * units));
    // Batches do not see each other: any order of (batch, step) with rising steps gives the same.
    for (std::int64_t b = 0; b < batches; ++b)
      for (std::int64_t t = 0; t < steps; ++t) {
        const std::int64_t at = c.o.time_major ? t * batches + b : b * steps + t;
        step(b, x.q.data() + at * features, y.q.data() + at * units);
      }
  }
};

}  // namespace

bool run_recurrent(const Call& c) {
  if (c.kind == "SVDF") return svdf(c), true;
  if (c.kind == "UNIDIRECTIONAL_SEQUENCE_LSTM") return Lstm(c).run(), true;
  return false;
}

}  // namespace dse::nn::oracle
