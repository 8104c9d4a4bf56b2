// One input, one output of its shape.
#include <algorithm>
#include <cmath>

#include "cases.h"

namespace dse::nn::random_ops {
namespace {

/// Fixed by the operator: 1/256 and -128, or 2^-15 and 0.
void fixed_output(Tensor& y, int bits8, int bits16, std::int64_t zero8) {
  const bool wide = y.type == Type::i16;
  y.scale = {std::ldexp(1.0f, wide ? -bits16 : -bits8)};
  y.zero = {wide ? 0 : zero8};
}

void quantize(Draw& d, Case& c) {
  struct Pair {
    Type from, to;
  };
  Pair p{Type::i8, Type::i8};
  if (d.mode == Mode::qformat) {
    p = d.one_of<Pair>({{Type::i8, Type::i8}, {Type::i8, Type::i16}, {Type::i16, Type::i8}, {Type::i16, Type::i16}});
  } else if (d.mode == Mode::onnx) {
    p = d.one_of<Pair>({{Type::i8, Type::i8},
                        {Type::i8, Type::u8},
                        {Type::u8, Type::i8},
                        {Type::u8, Type::u8},
                        {Type::f32, Type::i8},
                        {Type::f32, Type::u8}});
  } else {
    p = d.one_of<Pair>({{Type::f32, Type::i8},
                        {Type::f32, Type::i16},
                        {Type::i8, Type::i8},
                        {Type::i8, Type::u8},
                        {Type::i8, Type::i16},
                        {Type::i8, Type::i32},
                        {Type::u8, Type::i8},
                        {Type::i16, Type::i8},
                        {Type::i16, Type::i16},
                        {Type::i16, Type::i32},
                        {Type::i32, Type::i8},
                        {Type::i32, Type::i16}});
  }
  const Shape shape = d.image();
  Tensor x = d.tensor(shape, p.from), y = d.tensor(shape, p.to);
  if (p.from == Type::i32) x.scale = {d.geometric(1e-6f, 1e-4f)}, x.zero = {0};
  if (p.to == Type::i32) y.scale = {d.geometric(1e-6f, 1e-4f)}, y.zero = {0};
  if (p.from != Type::f32 && p.from != Type::i32 && p.to != Type::i32 && d.mode != Mode::qformat && d.chance(50))
    y.scale = {x.s() * (x.type == Type::i16 ? 256.0f : 1.0f) / (y.type == Type::i16 ? 256.0f : 1.0f) *
               d.geometric(0.5f, 2)};
  if (p.from != Type::f32 && d.mode != Mode::qformat && d.chance(20)) y.scale = {x.s()};
  // What SOFTMAX makes in int16 has a zero point.
  if (p.from == Type::i16 && d.mode != Mode::qformat && d.chance(20)) x.scale = {1.0f / 65535}, x.zero = {-32768};
  c.in = {d.input(x)};
  if (p.from == Type::f32)  // ties, too
    for (auto& v : c.in[0].tensor.f)
      if (d.chance(20)) v = (static_cast<float>(d.in(-100, 100)) + 0.5f) * y.s();
  c.out = {y};
}

}  // namespace

bool draw_unary(Draw& d, Case& c) {
  const std::string& k = c.kind;
  if (k == "QUANTIZE") return quantize(d, c), true;
  if (k == "DEQUANTIZE") {
    Tensor x = d.tensor(d.image(), d.activations(true, true)), y;
    y.shape = x.shape, y.type = Type::f32;
    c.in = {d.input(x)}, c.out = {y};
    return true;
  }
  const auto among = [&](std::initializer_list<const char*> names) {
    return std::count(names.begin(), names.end(), k) > 0;
  };
  const bool sigmoid = among({"LOGISTIC", "TANH"}), softmax = k == "SOFTMAX", byte_table = d.mode == Mode::onnx;
  if (!sigmoid && !softmax &&
      !among({"RELU", "RELU6", "LEAKY_RELU", "PRELU", "HARD_SWISH", "ELU", "ABS", "L2_NORMALIZATION", "RELU_N1_TO_1",
              "LOG_SOFTMAX", "CLIP", "NEG", "HARD_SIGMOID"}))
    return false;
  const bool wide = sigmoid || softmax || among({"RELU", "LEAKY_RELU", "ABS"});
  const Shape shape = d.chance(30) ? Shape{d.in(1, 6), d.in(1, 40)} : d.image();
  const Type t = d.activations(wide && !byte_table, byte_table || softmax);
  Tensor x = d.tensor(shape, t), y = x;
  const float ratio = t == Type::i16 ? 256.0f : 1.0f;
  if (k != "RELU6" || byte_table) y = d.tensor(shape, t, x.s() * ratio);
  if (k == "LEAKY_RELU") c.o.alpha = d.chance(15) ? d.real(-2, 2) : d.real(0, 1);
  if (sigmoid && !byte_table) {
    if (t == Type::i16)
      x.scale = {d.chance(40) ? std::ldexp(1.0f, -d.small(10, 13)) : d.geometric(1e-5f, 1e-3f)};
    else
      x.scale = {d.geometric(0.005f, 0.3f)};
    fixed_output(y, k == "TANH" ? 7 : 8, 15, k == "TANH" ? 0 : -128);
  }
  if (softmax) {
    x.scale = {t == Type::i16 ? d.geometric(1e-5f, 1e-3f) : d.geometric(0.005f, 0.3f)};
    c.o.beta = d.chance(70) ? 1.0f : d.geometric(0.25f, 4.0f);
    fixed_output(y, 8, 15, t == Type::u8 ? 0 : -128);
    if (t == Type::i8 && d.chance(20))
      y.type = Type::i16, y.scale = {d.chance(50) ? 1.0f / 65536 : 1.0f / 65535}, y.zero = {-32768};
  }
  if (d.mode == Mode::qformat && (sigmoid || softmax)) {
    x.scale = {std::ldexp(1.0f, -(t == Type::i16 ? d.small(9, 16) : d.small(1, 8)))};
    y.type = t, y.zero = {0};
    y.scale = {std::ldexp(1.0f, -(t == Type::i16 ? 15 : d.small(4, 8)))};
  }
  if (k == "L2_NORMALIZATION") y.scale = {1.0f / 128}, y.zero = {0};
  if (k == "LOG_SOFTMAX") y.scale = {1.0f / 16}, y.zero = {127}, x.scale = {d.geometric(0.005f, 0.3f)};
  if (k == "ELU") c.o.alpha = d.chance(50) ? 1.0f : d.real(0.1f, 2);
  if (k == "CLIP") c.o.clip_min = d.real(-4, 1), c.o.clip_max = d.real(1, 6);
  if (k == "HARD_SIGMOID") c.o.alpha = d.real(0.05f, 0.5f), c.o.beta = d.real(0.2f, 0.8f);
  if (k == "HARD_SWISH" && y.s() < x.s() / 100) y.scale = x.scale;
  c.in = {d.input(x)};
  if (k == "PRELU") {
    Tensor alpha = d.tensor(d.chance(60) ? Shape{shape.back()} : Shape(shape.size(), 1), Type::i8, 0.01f);
    c.in.push_back(d.constant(alpha));
  }
  c.out = {y};
  return true;
}

}  // namespace dse::nn::random_ops
