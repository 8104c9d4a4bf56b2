#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cases.h"

namespace dse::nn::random_ops {

std::int64_t Draw::in(std::int64_t lo, std::int64_t hi) {
  // Modulo: equal on every standard library, and the bias does not matter here.
  const auto span = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + (span ? random_() % span : random_()));
}

float Draw::real(float lo, float hi) { return lo + (hi - lo) * static_cast<float>(in(0, 1 << 24)) / 16777216.0f; }
float Draw::geometric(float lo, float hi) { return lo * std::pow(hi / lo, real(0, 1)); }

float Draw::scale(float about) {
  if (mode == Mode::qformat) return std::ldexp(1.0f, static_cast<int>(std::floor(std::log2(about))) + small(-1, 2));
  if (binary_)
    return std::ldexp(chance(25) ? 1.5f : 1.0f, static_cast<int>(std::floor(std::log2(about))) + small(-1, 1));
  if (chance(5)) return about * geometric(1.0f / 64, 64.0f);
  return about * geometric(0.4f, 2.5f);
}

std::int64_t Draw::zero(Type t) {
  if (mode == Mode::qformat || t == Type::i16) return 0;
  const auto lo = oracle::lowest(t), hi = oracle::highest(t);
  return chance(20) ? lo : chance(20) ? hi : in(lo, hi);
}

Tensor Draw::tensor(Shape shape, Type type, float about) {
  Tensor t;
  t.shape = std::move(shape);
  t.type = type;
  if (type == Type::f32) return t;
  if (type == Type::i16) about /= 256;
  t.scale = {scale(about)};
  t.zero = {zero(type)};
  return t;
}

void Draw::fill(Tensor& t) {
  const auto n = t.elements();
  if (t.type == Type::f32) {
    for (std::int64_t i = 0; i < n; ++i) t.f.push_back(real(-8, 8));
    return;
  }
  // Wide integers: values an int8 network has.
  const auto lo = std::max<std::int64_t>(oracle::lowest(t.type), -1 << 20),
             hi = std::min<std::int64_t>(oracle::highest(t.type), 1 << 20);
  const int all = chance(6) ? small(1, 2) : 0;
  for (std::int64_t i = 0; i < n; ++i) t.q.push_back(all == 1 ? lo : all == 2 ? hi : in(lo, hi));
}

Argument Draw::input(Tensor t) {
  fill(t);
  return {std::move(t)};
}
Argument Draw::constant(Tensor t) {
  if (t.q.empty()) fill(t);
  return {std::move(t), true};
}
Argument Draw::integers(const std::vector<std::int64_t>& values, Type type) {
  Tensor t;
  t.shape = {static_cast<std::int64_t>(values.size())};
  t.type = type;
  t.q = values;
  return {std::move(t), true};
}

Type Draw::activations(bool wide, bool bytes) {
  if (wide && mode != Mode::onnx && chance(35)) return Type::i16;
  if (bytes && (mode == Mode::onnx ? chance(50) : mode != Mode::qformat && chance(20))) return Type::u8;
  return Type::i8;
}

oracle::Activation Draw::activation() {
  using oracle::Activation;
  if (chance(50)) return Activation::none;
  return one_of({Activation::relu, Activation::relu6, Activation::relu_n1_to_1});
}

Shape Draw::image(int batch_to) {
  if (chance(10)) return {in(1, batch_to), 1, 1, in(1, 12)};
  if (chance(4)) return {1, in(1, 3), in(8, 40), in(1, 40)};  // rows beyond what kernels do at a time
  return {chance(60) ? 1 : in(1, batch_to), in(1, 7), in(1, 7), in(1, 9)};
}

Shape Draw::any_rank() {
  Shape s = image();
  if (chance(30)) s.erase(s.begin(), s.begin() + in(1, 3));
  if (s.size() == 4 && chance(10)) s.insert(s.begin(), in(1, 3));
  return s;
}

WindowAxis draw_axis(Draw& d, std::int64_t in, oracle::Padding padding, bool dilated) {
  WindowAxis a;
  a.kernel = d.chance(7) ? d.small(5, 7) : d.small(1, 4), a.stride = d.chance(20) ? d.small(3, 6) : d.small(1, 2);
  a.dilation = dilated && d.chance(40) ? d.small(2, 3) : 1;
  const auto reach = [&] { return (a.kernel - 1) * a.dilation + 1; };
  if (padding == oracle::Padding::given) {
    // Often on one side only, at times the wider half of the window.
    if (d.chance(60)) a.before = d.small(0, reach() - 1);
    if (d.chance(40)) a.after = d.small(0, reach() - 1);
  }
  if (padding == oracle::Padding::same) return a.out = (in + a.stride - 1) / a.stride, a;
  while (in + a.before + a.after < reach()) {
    if (a.dilation > 1) {
      --a.dilation;
    } else {
      --a.kernel;
    }
    a.before = std::min(a.before, reach() - 1), a.after = std::min(a.after, reach() - 1);
  }
  a.out = (in + a.before + a.after - reach()) / a.stride + 1;
  return a;
}

std::string Case::describe() const {
  const char* modes[] = {"tflite", "single", "onnx", "qformat"};
  std::string text = fmt::format("{} in mode {}\n", kind, modes[static_cast<int>(o.mode)]);
  text += fmt::format(
      "  stride {}x{} dilation {}x{} padding {} ({},{},{},{}) filter {}x{} activation {} multiplier {} axis {} keep {} "
      "beta {} alpha {} align {} half {} count_pad {} correction {} correct-then-round {}\n",
      o.stride_h, o.stride_w, o.dilation_h, o.dilation_w, static_cast<int>(o.padding), o.pad_top, o.pad_left,
      o.pad_bottom, o.pad_right, o.filter_h, o.filter_w, static_cast<int>(o.activation), o.depth_multiplier, o.axis,
      o.keep_dims, o.beta, o.alpha, o.align_corners, o.half_pixel_centers, o.count_include_pad, o.correction,
      o.correct_then_round);
  const auto line = [&](const char* role, const Tensor& t) {
    const char* types[] = {"i8", "u8", "i16", "i32", "i64", "f32", "bool"};
    const std::vector<std::int64_t> head(t.q.begin(), t.q.begin() + std::min<std::ptrdiff_t>(16, std::ssize(t.q)));
    text += fmt::format("  {} {} {} scale {} zero {} = {}{}\n", role, types[static_cast<int>(t.type)], t.shape, t.scale,
                        t.zero, head, head.size() < t.q.size() ? " ..." : "");
  };
  for (const auto& a : in)
    if (!a.absent) line(a.constant ? "constant" : a.variable ? "variable" : "input", a.tensor);
  for (const auto& t : out) line("output", t);
  return text;
}

Case draw(const std::string& kind, Mode mode, std::uint64_t seed) {
  Draw d(seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(mode), mode);
  Case c;
  c.kind = kind;
  c.o.mode = mode;
  for (auto* family : {draw_weighted, draw_windowed, draw_binary, draw_unary, draw_shaped, draw_recurrent})
    if (family(d, c)) return c;
  throw std::invalid_argument(kind);
}

std::vector<std::string> kinds_of(Mode mode) {
  // In every mode; values that only move do not care for it.
  std::vector<std::string> kinds = {
      "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "ADD",           "SUB",
      "MUL",     "AVERAGE_POOL_2D",   "MAX_POOL_2D",     "RELU",           "CONCATENATION", "QUANTIZE",
      "PAD",     "TRANSPOSE",         "RESHAPE",         "STRIDED_SLICE",  "MEAN",          "REDUCE_MAX",
      "SPLIT"};
  const auto also = [&](std::initializer_list<const char*> more) {
    kinds.insert(kinds.end(), more.begin(), more.end());
  };
  if (mode == Mode::qformat) return also({"LOGISTIC", "TANH", "SOFTMAX"}), kinds;
  also({"LEAKY_RELU", "HARD_SWISH", "ELU", "LOGISTIC", "TANH", "DEQUANTIZE", "ABS", "BATCH_MATMUL", "SQUEEZE",
        "EXPAND_DIMS"});
  if (mode == Mode::onnx) {
    also({"GLOBAL_AVERAGE_POOL", "GLOBAL_MAX_POOL", "CLIP", "NEG", "HARD_SIGMOID"});
    return kinds;
  }
  also({"SQUARED_DIFFERENCE",
        "DIV",
        "MAXIMUM",
        "MINIMUM",
        "SUM",
        "REDUCE_MIN",
        "ARG_MAX",
        "ARG_MIN",
        "RELU6",
        "RELU_N1_TO_1",
        "PRELU",
        "L2_NORMALIZATION",
        "SOFTMAX",
        "LOG_SOFTMAX",
        "RESIZE_BILINEAR",
        "RESIZE_NEAREST_NEIGHBOR",
        "PADV2",
        "MIRROR_PAD",
        "PACK",
        "UNPACK",
        "SVDF",
        "UNIDIRECTIONAL_SEQUENCE_LSTM"});
  return kinds;
}

}  // namespace dse::nn::random_ops
