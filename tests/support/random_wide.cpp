#include "tests/support/random_wide.h"

#include <algorithm>
#include <cmath>

namespace dse::test {

const char* name_of(Arithmetic a) {
  switch (a) {
    case Arithmetic::int8:
      return "int8";
    case Arithmetic::int16:
      return "int16";
    case Arithmetic::q8:
      return "q8";
    case Arithmetic::q16:
      return "q16";
    case Arithmetic::mixed:
      return "mixed";
  }
  return "?";
}

namespace {

using nn::OperatorKind;
using Shape = std::vector<std::int64_t>;

class WideBuilder {
 public:
  WideBuilder(Random& random, Arithmetic arithmetic) : random_(random), arithmetic_(arithmetic) {
    n_.name = "wide";
    for (int i = pick(random_, 1, 2); i > 0; --i) {
      const int t = add({1, pick(random_, 3, 9), pick(random_, 3, 9), pick(random_, 1, 8)}, nn::TensorKind::input);
      n_.inputs.push_back(t);
      images_.push_back(t);
    }
  }

  nn::NetworkPtr build() {
    for (const int in : n_.inputs) {  // every input is read
      nn::OperatorOptions o;
      o.filter_h = o.filter_w = 2;
      const Shape s = shape(in);
      emit(OperatorKind::max_pool_2d, {in}, {add_like(in, {1, s[1] - 1, s[2] - 1, s[3]})}, o);
    }
    const int layers = pick(random_, 4, 10);
    while (static_cast<int>(n_.operators.size()) < layers) layer();
    for (std::size_t t = 0; t < n_.tensors.size(); ++t)  // what nobody reads leaves the network
      if (n_.tensors[t].kind == nn::TensorKind::activation && n_.consumers(static_cast<int>(t)).empty())
        n_.outputs.push_back(static_cast<int>(t));
    Diagnostics diags;
    auto done = nn::finish_network(std::move(n_), diags, "wide");
    return done;
  }

 private:
  bool q() const { return arithmetic_ >= Arithmetic::q8; }
  nn::DataType activation_type() {
    switch (arithmetic_) {
      case Arithmetic::int8:
      case Arithmetic::q8:
        return nn::DataType::int8;
      case Arithmetic::mixed:
        return pick(random_, 0, 1) ? nn::DataType::int16 : nn::DataType::int8;
      default:
        return nn::DataType::int16;
    }
  }
  nn::Quantization quantization(nn::DataType type) {
    const bool wide = type == nn::DataType::int16;
    if (q()) return {{std::ldexp(1.0f, -(wide ? pick(random_, 10, 13) : pick(random_, 3, 6)))}, {0}, 0, {}};
    return {{(wide ? 0.0004f : 0.01f) * static_cast<float>(pick(random_, 2, 12))},
            {wide ? 0 : pick(random_, -20, 20)},
            0,
            {}};
  }
  int add(Shape shape, nn::TensorKind kind) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.kind = kind, t.type = activation_type();
    t.quantization = quantization(t.type);
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  int add_like(int tensor, Shape shape) {
    const int t = add(std::move(shape), nn::TensorKind::activation);
    n_.tensors[t].type = n_.tensors[tensor].type;
    n_.tensors[t].quantization = n_.tensors[tensor].quantization;
    return t;
  }
  int constant(Shape shape, nn::DataType type, nn::Quantization quantization, std::int64_t limit) {
    nn::Tensor t;
    t.name = "c" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.kind = nn::TensorKind::constant, t.type = type;
    t.quantization = std::move(quantization);
    const auto size = static_cast<std::size_t>(nn::size_of(type));
    t.data.resize(static_cast<std::size_t>(t.elements()) * size);
    for (std::size_t i = 0; i < t.data.size(); i += size) {
      const std::int64_t v = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
      for (std::size_t b = 0; b < size; ++b) t.data[i + b] = static_cast<std::uint8_t>(v >> (8 * b));
    }
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  const Shape& shape(int t) const { return n_.tensors[t].shape; }
  int image() { return images_[random_() % images_.size()]; }

  void emit(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs, nn::OperatorOptions o = {}) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = std::move(outputs), op.options = std::move(o);
    if (q()) op.options.rounding = nn::Rounding::qformat;
    if (q() && pick(random_, 0, 1)) op.options.correction = nn::Correction::correct_then_round;
    for (const int t : op.outputs)
      if (shape(t).size() == 4 && shape(t)[0] == 1) images_.push_back(t);
    n_.operators.push_back(std::move(op));
  }

  /// Weights and bias of an operator that reads `in` and makes `out`.
  std::pair<int, int> weights(int in, Shape w_shape, std::int64_t channels, int axis) {
    const bool wide_weights =
        arithmetic_ == Arithmetic::q16 || (arithmetic_ == Arithmetic::mixed && pick(random_, 0, 1));
    const nn::DataType type = wide_weights ? nn::DataType::int16 : nn::DataType::int8;
    nn::Quantization quantization{{}, {}, axis, {}};
    const bool per_channel = axis >= 0 && pick(random_, 0, 1);
    for (std::int64_t c = 0; c < (per_channel ? channels : 1); ++c) {
      quantization.scale.push_back(q() ? std::ldexp(1.0f, wide_weights ? -15 : -7)
                                       : 0.002f * static_cast<float>(pick(random_, 1, 9)));
      quantization.zero_point.push_back(0);
      if (q()) quantization.correction.push_back(pick(random_, 1, 4));
    }
    quantization.axis = std::max(0, axis);
    const auto& input = n_.tensors[in];
    const float unit = input.quantization.scale[0] * quantization.scale[0];
    const bool wide = wide_weights || input.type == nn::DataType::int16;
    const int w = constant(std::move(w_shape), type, quantization, wide_weights ? 20000 : 127);
    const int b = pick(random_, 0, 4) == 0 ? -1
                                           : constant({channels}, wide ? nn::DataType::int64 : nn::DataType::int32,
                                                      {{unit}, {0}, 0, {}}, wide ? 2000000 : 3000);
    return {w, b};
  }

  static std::int64_t extent(std::int64_t in, int k, int s, int d, bool same) {
    const std::int64_t eff = (k - 1) * d + 1;
    return same ? (in + s - 1) / s : (in - eff) / s + 1;
  }

  void convolution() {
    const int in = image();
    const Shape s = shape(in);
    nn::OperatorOptions o;
    o.activation = static_cast<nn::Activation>(pick(random_, 0, 2));
    const int kh = static_cast<int>(std::min<std::int64_t>(pick(random_, 1, 3), s[1]));
    const int kw = static_cast<int>(std::min<std::int64_t>(pick(random_, 1, 3), s[2]));
    o.same_padding = pick(random_, 0, 1);
    o.stride_h = pick(random_, 1, 2), o.stride_w = pick(random_, 1, 2);
    const bool depthwise = pick(random_, 0, 2) == 0;
    const int groups = !depthwise && s[3] % 2 == 0 && pick(random_, 0, 2) == 0 ? 2 : 1;
    const std::int64_t filters = depthwise ? s[3] : groups * pick(random_, 1, 8);
    const auto [w, b] = depthwise ? weights(in, {1, kh, kw, filters}, filters, 3)
                                  : weights(in, {filters, kh, kw, s[3] / groups}, filters, 0);
    const int out = add(
        {1, extent(s[1], kh, o.stride_h, 1, o.same_padding), extent(s[2], kw, o.stride_w, 1, o.same_padding), filters},
        nn::TensorKind::activation);
    o.groups = groups;
    emit(depthwise ? OperatorKind::depthwise_conv_2d : OperatorKind::conv_2d, {in, w, b}, {out}, o);
  }
  void pool() {
    const int in = image();
    const Shape s = shape(in);
    nn::OperatorOptions o;
    o.filter_h = static_cast<int>(std::min<std::int64_t>(pick(random_, 1, 3), s[1]));
    o.filter_w = static_cast<int>(std::min<std::int64_t>(pick(random_, 1, 3), s[2]));
    o.stride_h = pick(random_, 1, 2), o.stride_w = pick(random_, 1, 2);
    o.same_padding = pick(random_, 0, 1);
    const int out = add_like(in, {1, extent(s[1], o.filter_h, o.stride_h, 1, o.same_padding),
                                  extent(s[2], o.filter_w, o.stride_w, 1, o.same_padding), s[3]});
    emit(pick(random_, 0, 1) ? OperatorKind::average_pool_2d : OperatorKind::max_pool_2d, {in}, {out}, o);
  }
  void binary() {
    const int a = image();
    const Shape s = shape(a);
    int b = a;  // the same tensor twice, unless another one fits
    for (const int t : images_)
      if (t != a && shape(t) == s) b = t;
    const int how = pick(random_, 0, 3);
    if (how == 0) b = constant({s[3]}, n_.tensors[a].type, quantization(n_.tensors[a].type), 100);
    if (how == 1) b = constant({1, 1, s[2], 1}, n_.tensors[a].type, quantization(n_.tensors[a].type), 100);
    const int out = add(s, nn::TensorKind::activation);
    if (!q()) {  // operands of unlike width do not meet in TensorFlow Lite
      n_.tensors[out].type = n_.tensors[a].type;
      // ADD and SUB need 2 max(s_a, s_b) / (2^15 s_out) < 1.
    }
    nn::OperatorOptions o;
    o.activation = static_cast<nn::Activation>(pick(random_, 0, 1));
    const OperatorKind kinds[] = {OperatorKind::add, OperatorKind::sub, OperatorKind::mul};
    emit(kinds[pick(random_, 0, 2)], {a, b}, {out}, o);
  }
  void concatenation() {
    const int first = image();
    std::vector<int> parts = {first};
    for (const int t : images_)
      if (parts.size() < 4 && shape(t)[1] == shape(first)[1] && shape(t)[2] == shape(first)[2] &&
          (q() || (n_.tensors[t].quantization.scale == n_.tensors[first].quantization.scale &&
                   n_.tensors[t].quantization.zero_point == n_.tensors[first].quantization.zero_point)))
        parts.push_back(t);
    std::int64_t channels = 0;
    for (const int t : parts) channels += shape(t)[3];
    const int out = q() ? add({1, shape(first)[1], shape(first)[2], channels}, nn::TensorKind::activation)
                        : add_like(first, {1, shape(first)[1], shape(first)[2], channels});
    nn::OperatorOptions o;
    o.axis = 3;
    emit(OperatorKind::concatenation, parts, {out}, o);
  }
  void split() {
    const int in = image();
    const Shape s = shape(in);
    const int axis = pick(random_, 1, 3);
    if (s[axis] < 2) return;
    nn::OperatorOptions o;
    o.axis = axis;
    const std::int64_t first = pick(random_, 1, static_cast<int>(s[axis]) - 1);
    o.sizes = {first, s[axis] - first};
    std::vector<int> outs;
    for (const auto size : o.sizes) {
      Shape part = s;
      part[axis] = size;
      outs.push_back(add_like(in, part));
    }
    emit(OperatorKind::split, {in}, outs, o);
  }
  void movement() {
    const int in = image();
    const Shape s = shape(in);
    nn::OperatorOptions o;
    switch (pick(random_, 0, 4)) {
      case 0: {
        o.permutation = {0, 2, 1, 3};
        if (pick(random_, 0, 1)) o.permutation = {0, 3, 1, 2};
        Shape t;
        for (const auto p : o.permutation) t.push_back(s[p]);
        return emit(OperatorKind::transpose, {in}, {add_like(in, t)}, o);
      }
      case 1: {
        o.pad_before = {0, pick(random_, 0, 2), pick(random_, 0, 1), 0};
        o.pad_after = {0, pick(random_, 0, 1), pick(random_, 0, 2), 0};
        return emit(
            OperatorKind::pad, {in},
            {add_like(in, {1, s[1] + o.pad_before[1] + o.pad_after[1], s[2] + o.pad_before[2] + o.pad_after[2], s[3]})},
            o);
      }
      case 2: {
        o.begin = {0, pick(random_, 0, static_cast<int>(s[1]) - 1), 0, 0};
        o.end = s;
        o.strides = {1, 1, 1, 1};
        return emit(OperatorKind::strided_slice, {in}, {add_like(in, {1, s[1] - o.begin[1], s[2], s[3]})}, o);
      }
      case 3:
        if (s[1] * s[2] > 60) return;
        return emit(OperatorKind::resize_nearest_neighbor, {in}, {add_like(in, {1, s[1] * 2, s[2] * 2, s[3]})}, o);
      default:
        return emit(OperatorKind::reshape, {in}, {add_like(in, {1, s[2], s[1], s[3]})}, o);
    }
  }
  void unary() {
    const int in = image();
    const Shape s = shape(in);
    if (q()) return emit(OperatorKind::relu, {in}, {add(s, nn::TensorKind::activation)});
    const int out = add(s, nn::TensorKind::activation);
    if (pick(random_, 0, 1)) return emit(OperatorKind::relu, {in}, {out});
    nn::OperatorOptions o;
    o.alpha = 0.1f;
    return emit(OperatorKind::leaky_relu, {in}, {out}, o);
  }
  void dense() {
    const int in = image();
    const std::int64_t n = n_.tensors[in].elements();
    const int flat = add_like(in, {1, n});
    emit(OperatorKind::reshape, {in}, {flat});
    const int units = pick(random_, 2, 9);
    const auto [w, b] = weights(flat, {units, n}, units, -1);
    emit(OperatorKind::fully_connected, {flat, w, b}, {add({1, units}, nn::TensorKind::activation)});
  }
  void reduction() {
    if (q()) return;
    const int in = image();
    nn::OperatorOptions o;
    o.axes = {1, 2};
    o.keep_dims = true;
    emit(OperatorKind::mean, {in}, {add({1, 1, 1, shape(in)[3]}, nn::TensorKind::activation)}, o);
  }

  void layer() {
    switch (pick(random_, 0, 11)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return convolution();
      case 4:
        return pool();
      case 5:
      case 6:
        return binary();
      case 7:
        return concatenation();
      case 8:
        return split();
      case 9:
        return movement();
      case 10:
        return pick(random_, 0, 1) ? unary() : reduction();
      default:
        return dense();
    }
  }

  Random& random_;
  Arithmetic arithmetic_;
  nn::Network n_;
  std::vector<int> images_;
};

}  // namespace

nn::NetworkPtr random_wide_network(Random& random, Arithmetic arithmetic) {
  return WideBuilder(random, arithmetic).build();
}

}  // namespace dse::test
