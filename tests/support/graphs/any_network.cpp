#include "tests/support/graphs/any_network.h"

#include <algorithm>

namespace dse::test {
namespace {

using nn::DataType;
using nn::OperatorKind;
using nn::TensorKind;
using Shape = std::vector<std::int64_t>;

class AnyBuilder {
 public:
  AnyBuilder(Random& random, int operators) : random_(random), wanted_(static_cast<std::size_t>(operators)) {
    n_.name = "any";
  }

  nn::NetworkPtr build() {
    for (int i = pick(random_, 0, 4) ? 1 : 2; i > 0; --i) {
      const int in = add({1, pick(random_, 4, 16), pick(random_, 1, 16), pick(random_, 1, 8)}, TensorKind::input);
      n_.inputs.push_back(in), live_.push_back(in);
    }
    for (const int in : n_.inputs) from_ = in, convolution();
    reach_ = pick(random_, 0, 2) ? pick(random_, 1, 3) : pick(random_, 4, 12);
    while (n_.operators.size() < wanted_) step();
    outputs();
    Diagnostics diags;
    auto done = nn::finish_network(std::move(n_), diags, "any");
    ensure(done != nullptr, "random network: " + diags.text());
    return done;
  }

 private:
  nn::Tensor& at(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }
  Shape shape() { return at(from_).shape; }
  int add(Shape shape, TensorKind kind, DataType type = DataType::int8, float scale = 0, std::int64_t zero = 0) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.kind = kind, t.type = type;
    const bool free = scale == 0;
    t.quantization.scale = {free ? 0.01f * static_cast<float>(pick(random_, 3, 9)) : scale};
    t.quantization.zero_point = {free && kind != TensorKind::constant ? pick(random_, -20, 20) : zero};
    if (kind == TensorKind::constant || (kind == TensorKind::variable && pick(random_, 0, 1))) {
      const auto size = static_cast<std::size_t>(nn::size_of(type));
      t.data.resize(static_cast<std::size_t>(t.elements()) * size);
      for (std::size_t i = 0; i < t.data.size(); ++i)  // 32 bits: below 2^12
        t.data[i] = static_cast<std::uint8_t>(size < 4 || i % 4 == 0 ? random_() : i % 4 == 1 ? random_() & 15 : 0);
    }
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  int like(int tensor, Shape shape, TensorKind kind = TensorKind::activation) {
    const auto q = at(tensor).quantization;
    return add(std::move(shape), kind, DataType::int8, q.scale[0], q.zero_point[0]);
  }
  int fresh(Shape shape) { return add(std::move(shape), TensorKind::activation); }
  int emit(OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options = {}) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = {out}, op.options = std::move(options);
    op.name = std::string(nn::key_of(kind)) + std::to_string(n_.operators.size());
    n_.operators.push_back(std::move(op));
    if (kind != OperatorKind::assign_variable) live_.push_back(out);
    return out;
  }

  /// One of the latest tensors for which `fits` holds; -1: none.
  template <class Fits>
  int another(Fits fits) {
    std::vector<int> found;
    for (auto t = live_.rbegin(); t != live_.rend() && found.size() < static_cast<std::size_t>(reach_) + 2; ++t)
      if (*t != from_ && fits(at(*t))) found.push_back(*t);
    return found.empty() ? -1 : found[random_() % found.size()];
  }

  void step() {
    const auto back = std::min<std::size_t>(live_.size(), static_cast<std::size_t>(reach_));
    from_ = live_[live_.size() - 1 - random_() % back];
    const auto s = shape();
    switch (pick(random_, 0, 13)) {
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
        return slice();
      case 11:
        return pad();
      case 12:
        return pick(random_, 0, 2) ? remember() : fold();
      default:
        return s[1] * s[2] <= 64 ? resize() : pool();
    }
  }

  void convolution() {
    const auto s = shape();
    nn::OperatorOptions o;
    o.same_padding = true;
    o.stride_h = s[1] > 4 ? pick(random_, 1, 2) : 1, o.stride_w = s[2] > 4 ? o.stride_h : 1;
    const std::int64_t k = 2 * pick(random_, 0, 1) + 1, channels = pick(random_, 1, 24);
    const int w = add({channels, k, k, s[3]}, TensorKind::constant, DataType::int8, 0.004f),
              b = add({channels}, TensorKind::constant, DataType::int32);
    emit(OperatorKind::conv_2d, {from_, w, b},
         fresh({1, (s[1] + o.stride_h - 1) / o.stride_h, (s[2] + o.stride_w - 1) / o.stride_w, channels}), o);
  }
  void depthwise() {
    const auto s = shape();
    nn::OperatorOptions o;
    o.same_padding = true;
    o.depth_multiplier = s[3] <= 8 ? pick(random_, 1, 3) : 1;
    const std::int64_t channels = s[3] * o.depth_multiplier;
    const int w = add({1, 3, 3, channels}, TensorKind::constant, DataType::int8, 0.02f),
              b = add({channels}, TensorKind::constant, DataType::int32);
    emit(OperatorKind::depthwise_conv_2d, {from_, w, b}, fresh({1, s[1], s[2], channels}), o);
  }
  void pool() {
    const auto s = shape();
    nn::OperatorOptions o;
    o.same_padding = true, o.filter_h = o.filter_w = pick(random_, 2, 3);
    o.stride_h = s[1] > 4 ? 2 : 1, o.stride_w = s[2] > 4 ? 2 : 1;
    emit(pick(random_, 0, 1) ? OperatorKind::max_pool_2d : OperatorKind::average_pool_2d, {from_},
         like(from_, {1, (s[1] + o.stride_h - 1) / o.stride_h, (s[2] + o.stride_w - 1) / o.stride_w, s[3]}), o);
  }
  void curve() {
    if (pick(random_, 0, 1)) return (void)emit(OperatorKind::hard_swish, {from_}, fresh(shape()));
    const int out = add(shape(), TensorKind::activation, DataType::int8, 1.0f / 256, -128);
    emit(OperatorKind::logistic, {from_}, out);
  }
  /// With another of its shape, one that is stretched over it, or a constant.
  void join_or(OperatorKind kind) {
    const auto s = shape();
    int other = another([&](const nn::Tensor& t) { return t.shape == s; });
    if (other < 0)
      other = another([&](const nn::Tensor& t) { return t.shape[1] * t.shape[2] == 1 && t.shape[3] == s[3]; });
    if (other < 0) other = add(pick(random_, 0, 1) ? s : Shape{1, 1, 1, s[3]}, TensorKind::constant);
    emit(kind, {from_, other}, fresh(s));
  }
  void concatenation() {
    const auto s = shape();
    const auto fits = [&](const nn::Tensor& t) {
      return t.shape[1] == s[1] && t.shape[2] == s[2] && t.shape[3] + s[3] <= 24;
    };
    const int other = another(fits);
    if (other < 0) return convolution();
    const auto c = at(other).shape[3];
    const int same = emit(OperatorKind::quantize, {other}, like(from_, at(other).shape));
    nn::OperatorOptions o;
    o.axis = 3;
    emit(OperatorKind::concatenation, {from_, same}, like(from_, {1, s[1], s[2], s[3] + c}), o);
  }
  void slice() {
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
  void pad() {
    auto s = shape();
    if (s[1] > 14 || s[2] > 14) return pool();
    nn::OperatorOptions o;
    o.pad_before = {0, pick(random_, 0, 1), 1, 0}, o.pad_after = {0, 1, pick(random_, 0, 1), 0};
    for (std::size_t d = 0; d < 4; ++d) s[d] += o.pad_before[d] + o.pad_after[d];
    emit(OperatorKind::pad, {from_}, like(from_, s), o);
  }
  void resize() {
    const auto s = shape();
    emit(OperatorKind::resize_nearest_neighbor, {from_}, like(from_, {1, 2 * s[1], 2 * s[2], s[3]}));
  }
  /// The mean of each channel, through a shape of two dimensions.
  void fold() {
    const auto s = shape();
    nn::OperatorOptions o;
    o.axes = {1, 2}, o.keep_dims = true;
    const int mean = emit(OperatorKind::mean, {from_}, fresh({1, 1, 1, s[3]}), o);
    live_.pop_back();
    const int flat = emit(OperatorKind::reshape, {mean}, like(mean, {1, s[3]}));
    live_.pop_back();
    const int w = add({s[3], s[3]}, TensorKind::constant, DataType::int8, 0.004f);
    const int dense = emit(OperatorKind::fully_connected, {flat, w, -1}, fresh({1, s[3]}));
    live_.pop_back();
    emit(OperatorKind::reshape, {dense}, like(dense, {1, 1, 1, s[3]}));
  }
  /// Added to a variable that it is written to: before it is read, or afterwards.
  void remember() {
    const auto s = shape();
    const int now = from_, state = like(now, s, TensorKind::variable);
    const bool first = pick(random_, 0, 3) > 0;
    int before = -1;
    if (first) before = emit(OperatorKind::read_variable, {state}, like(now, s));
    emit(OperatorKind::assign_variable, {now}, state);
    if (!first) before = emit(OperatorKind::read_variable, {state}, like(now, s));
    emit(OperatorKind::add, {now, before}, fresh(s));
  }

  void outputs() {
    for (const int t : live_) {
      if (at(t).kind != TensorKind::activation) continue;
      const bool read = !n_.consumers(t).empty();
      if (read ? pick(random_, 0, 9) == 0 : pick(random_, 0, 7) > 0) n_.outputs.push_back(t);
    }
    if (n_.outputs.empty()) n_.outputs.push_back(live_.back());
  }

  Random& random_;
  const std::size_t wanted_;
  nn::Network n_;
  std::vector<int> live_;  // images that may be read, as they are made
  int from_ = -1, reach_ = 1;
};

}  // namespace

nn::NetworkPtr random_any_network(Random& random, int operators) { return AnyBuilder(random, operators).build(); }

}  // namespace dse::test
