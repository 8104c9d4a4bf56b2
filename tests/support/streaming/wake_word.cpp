#include "tests/support/streaming/wake_word.h"

#include <algorithm>

namespace dse::test {
namespace {

using nn::DataType;
using nn::OperatorKind;
using nn::TensorKind;
using Shape = std::vector<std::int64_t>;

class StreamBuilder {
 public:
  StreamBuilder(Random& random, int most_channels) : random_(random), most_(most_channels) { n_.name = "wake-word"; }

  nn::NetworkPtr build() {
    const int stride = pick(random_, 1, 3);
    const std::int64_t features = pick(random_, most_ / 4, most_);
    current_ = add({1, stride, features}, TensorKind::input);
    n_.inputs = {current_};
    emit(OperatorKind::reshape, {current_}, like(current_, {1, stride, 1, features}));
    history(pick(random_, stride, 5) - stride);
    convolution(pick(random_, 1, static_cast<int>(shape()[1])), stride);
    for (int i = pick(random_, 1, 4); i > 0; --i) block();
    if (pick(random_, 0, 1)) delay();
    const int inside = current_;
    history(pick(random_, 3, 8));
    score();
    n_.outputs = {current_};
    if (pick(random_, 0, 2) == 0) n_.outputs.push_back(inside);
    order();
    Diagnostics diags;
    auto done = nn::finish_network(std::move(n_), diags, "wake-word");
    ensure(done != nullptr, "random streaming network: " + diags.text());
    return done;
  }

 private:
  nn::Tensor& at(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }
  Shape shape() { return at(current_).shape; }
  int add(Shape shape, TensorKind kind, DataType type = DataType::int8, float scale = 0, std::int64_t zero = 0) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.kind = kind, t.type = type;
    const bool free = scale == 0;
    t.quantization.scale = {free ? 0.01f * static_cast<float>(pick(random_, 3, 9)) : scale};
    t.quantization.zero_point = {free && kind != TensorKind::constant ? pick(random_, -20, 20) : zero};
    const auto size = static_cast<std::size_t>(nn::size_of(type));
    if (kind == TensorKind::constant || (kind == TensorKind::variable && pick(random_, 0, 1))) {
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
  /// @returns what it makes, which comes next too.
  int emit(OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options = {}) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = {out}, op.options = std::move(options);
    op.name = std::string(nn::key_of(kind)) + std::to_string(n_.operators.size());
    n_.operators.push_back(std::move(op));
    if (kind != OperatorKind::assign_variable) current_ = out;
    return out;
  }
  int slice(int from, std::size_t axis, std::int64_t begin, std::int64_t end) {
    nn::OperatorOptions o;
    o.begin = {0, 0, 0, 0}, o.end = at(from).shape, o.strides = {1, 1, 1, 1};
    o.begin[axis] = begin, o.end[axis] = end;
    auto s = at(from).shape;
    s[axis] = end - begin;
    return emit(OperatorKind::strided_slice, {from}, like(from, s), o);
  }
  int join(std::vector<int> parts, int axis) {
    nn::OperatorOptions o;
    o.axis = axis;
    auto s = at(parts[0]).shape;
    for (std::size_t p = 1; p < parts.size(); ++p)
      s[static_cast<std::size_t>(axis)] += at(parts[p]).shape[static_cast<std::size_t>(axis)];
    return emit(OperatorKind::concatenation, parts, like(parts[0], s), o);
  }

  /// Puts `rows` rows of earlier runs before the current ones, and keeps the latest for the next run.
  void history(std::int64_t rows) {
    if (rows < 1) return;
    const int now = current_;
    auto s = shape();
    const auto fresh = s[1];
    s[1] = rows;
    const int state = like(now, s, TensorKind::variable);
    const int before = emit(OperatorKind::read_variable, {state}, like(now, s));
    const int all = join({before, now}, 1);
    emit(OperatorKind::assign_variable, {slice(all, 1, fresh, fresh + rows)}, state);
    current_ = all;
    if (pick(random_, 0, 4) == 0) {  // read twice, for a bypass of the same shape
      const int again = emit(OperatorKind::read_variable, {state}, like(now, s));
      const int kept = slice(all, 1, 0, rows), sum = emit(OperatorKind::add, {again, kept}, like(all, s));
      current_ = rows < fresh + rows ? join({sum, slice(all, 1, rows, fresh + rows)}, 1) : sum;
    }
  }

  /// The sum of this run's and the last one's; twice this run's, where the variable is written before it is read.
  void delay() {
    const int now = current_, state = like(now, shape(), TensorKind::variable);
    const bool first = pick(random_, 0, 1);
    int before = now;
    if (first) before = emit(OperatorKind::read_variable, {state}, like(now, shape()));
    emit(OperatorKind::assign_variable, {now}, state);
    if (!first) before = emit(OperatorKind::read_variable, {state}, like(now, shape()));
    emit(OperatorKind::add, {now, before}, add(at(now).shape, TensorKind::activation));
  }

  void convolution(std::int64_t kernel, int stride) {
    const auto s = shape();
    const std::int64_t channels = pick(random_, std::max(1, most_ / 4), most_), rows = s[1];
    nn::OperatorOptions o;
    o.stride_h = stride, o.activation = nn::Activation::relu;
    const int in = current_, w = add({channels, kernel, 1, s[3]}, TensorKind::constant, DataType::int8, 0.002f),
              b = add({channels}, TensorKind::constant, DataType::int32);
    emit(OperatorKind::conv_2d, {in, w, b}, add({1, (rows - kernel) / stride + 1, 1, channels}, TensorKind::activation),
         o);
  }
  int depthwise(int in, std::int64_t kernel) {
    const auto s = at(in).shape;
    const int w = add({1, kernel, 1, s[3]}, TensorKind::constant, DataType::int8, 0.02f),
              b = add({s[3]}, TensorKind::constant, DataType::int32);
    return emit(OperatorKind::depthwise_conv_2d, {in, w, b},
                add({1, s[1] - kernel + 1, 1, s[3]}, TensorKind::activation));
  }

  /// Depthwise kernels in time, of different length for different channels, then a convolution over the channels.
  void block() {
    const int before = current_;
    const auto s = shape();
    const std::int64_t fresh = s[1];
    const int groups = s[3] >= 4 ? pick(random_, 1, 3) : 1;
    std::vector<std::int64_t> kernels;
    for (int g = 0; g < groups; ++g) kernels.push_back(pick(random_, 2, 9));
    const auto longest = *std::max_element(kernels.begin(), kernels.end());
    history(longest - 1);
    const int all = current_;
    std::vector<int> parts;
    for (int g = 0; g < groups; ++g) {
      const int part = groups == 1 ? all : slice(all, 3, s[3] * g / groups, s[3] * (g + 1) / groups);
      const auto k = kernels[static_cast<std::size_t>(g)], rows = at(all).shape[1];
      parts.push_back(depthwise(k == longest ? part : slice(part, 1, rows - fresh - k + 1, rows), k));
      if (g) at(parts[static_cast<std::size_t>(g)]).quantization = at(parts[0]).quantization;
    }
    if (groups > 1) join(parts, 3);
    convolution(1, 1);
    if (pick(random_, 0, 1)) return;
    const int out = current_;  // a residual, of as many channels
    const int w = add({at(out).shape[3], 1, 1, s[3]}, TensorKind::constant, DataType::int8, 0.002f);
    const int b = add({at(out).shape[3]}, TensorKind::constant, DataType::int32);
    const int beside = emit(OperatorKind::conv_2d, {before, w, b}, add(at(out).shape, TensorKind::activation));
    emit(OperatorKind::add, {out, beside}, add(at(out).shape, TensorKind::activation));
  }

  void score() {
    const auto size = at(current_).elements();
    emit(OperatorKind::reshape, {current_}, like(current_, {1, size}));
    const int w = add({1, size}, TensorKind::constant, DataType::int8, 0.001f), in = current_;
    emit(OperatorKind::fully_connected, {in, w, -1}, add({1, 1}, TensorKind::activation));
    emit(OperatorKind::logistic, {current_}, add({1, 1}, TensorKind::activation, DataType::int8, 1.0f / 256, -128));
    emit(OperatorKind::quantize, {current_}, add({1, 1}, TensorKind::activation, DataType::uint8, 1.0f / 256, 0));
  }

  /// Reads before all else and writes behind it, as exporters list them, or where they are needed.
  void order() {
    const bool reads = pick(random_, 0, 1), writes = pick(random_, 0, 1);
    std::vector<nn::Operator> first, between, last;
    for (auto& op : n_.operators) {
      auto& to = reads && op.kind == OperatorKind::read_variable      ? first
                 : writes && op.kind == OperatorKind::assign_variable ? last
                                                                      : between;
      to.push_back(std::move(op));
    }
    n_.operators = std::move(first);
    for (auto* list : {&between, &last})
      for (auto& op : *list) n_.operators.push_back(std::move(op));
  }

  Random& random_;
  const int most_;
  nn::Network n_;
  int current_ = 0;
};

}  // namespace

nn::NetworkPtr random_wake_word_network(Random& random, int most_channels) {
  return StreamBuilder(random, most_channels).build();
}

}  // namespace dse::test
