// Two operands, broadcast either way.
#include <algorithm>
#include <cmath>

#include "cases.h"

namespace dse::nn::random_ops {
namespace {

/// The shape with some dimensions one, or leading ones missing.
Shape part_of(Draw& d, Shape s) {
  switch (d.small(0, 5)) {
    case 0:
      return {s.back()};
    case 1:
      return Shape(s.size(), 1);
    case 2:
      for (auto& e : s)
        if (d.chance(50)) e = 1;
      return s;
    default:
      return s;
  }
}

}  // namespace

bool draw_binary(Draw& d, Case& c) {
  const std::string& k = c.kind;
  const bool plain = k == "MAXIMUM" || k == "MINIMUM", squared = k == "SQUARED_DIFFERENCE";
  if (k != "ADD" && k != "SUB" && k != "MUL" && k != "DIV" && !plain && !squared) return false;
  const Type t = squared || k == "DIV" ? Type::i8 : d.activations(true, d.mode == Mode::onnx);
  Shape whole = d.image();
  if (d.chance(30)) whole.erase(whole.begin(), whole.begin() + d.in(1, 3));
  Tensor a = d.tensor(whole, t), b = d.tensor(part_of(d, whole), t);
  if (d.chance(20)) std::swap(a.shape, b.shape);
  float about = std::max(a.s(), b.s());
  if (t == Type::i16) about *= 256;  // tensor() takes it back
  if (k == "MUL") about = a.s() * b.s() * (t == Type::i16 ? 5e6f : 60);
  if (squared) about = about * about * 150;
  Tensor y = d.tensor(whole, t, about);
  if (plain) b.scale = y.scale = a.scale, b.zero = y.zero = a.zero;
  if (!plain && !squared) c.o.activation = d.activation();
  Argument second = d.chance(30) ? d.constant(b) : d.input(b);
  if (k == "DIV") {
    y.scale = {a.s() / b.s() * d.geometric(0.01f, 1)};
    for (auto& q : second.tensor.q)
      if (q == b.z()) q += q < 127 ? 1 : -1;
  }
  c.in = {d.input(a), std::move(second)};
  c.out = {y};
  return true;
}

}  // namespace dse::nn::random_ops
