#include "tests/support/random_state.h"

#include <cmath>

namespace dse::test {
namespace {

using nn::DataType;
using nn::OperatorKind;
using nn::TensorKind;
using Shape = std::vector<std::int64_t>;

class StateBuilder {
 public:
  explicit StateBuilder(Random& random) : random_(random) { n_.name = "stateful"; }

  nn::NetworkPtr build() {
    current_ = add({1, pick(random_, 4, 12), pick(random_, 3, 8), pick(random_, 1, 4)}, TensorKind::input);
    n_.inputs = {current_};
    for (int i = pick(random_, 1, 4); i > 0; --i) image_layer();
    flatten();
    for (int i = pick(random_, 1, 4); i > 0; --i) flat_layer();
    if (!remembers_) svdf();
    if (n_.tensors[index()].shape.size() != 2) flatten();
    connected();
    n_.outputs = {current_};
    Diagnostics diags;
    auto done = nn::finish_network(std::move(n_), diags, "stateful");
    ensure(done != nullptr, "random network with state: " + diags.text());
    return done;
  }

 private:
  std::size_t index() const { return static_cast<std::size_t>(current_); }
  Shape shape() const { return n_.tensors[index()].shape; }
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
  void emit(OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options = {}) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.options = std::move(options);
    op.name = std::string(nn::key_of(kind)) + std::to_string(n_.operators.size());
    if (out >= 0) op.outputs = {out};
    n_.operators.push_back(std::move(op));
    if (out >= 0) current_ = out;
  }
  int like(int tensor, Shape shape, TensorKind kind) {
    const auto q = n_.tensors[static_cast<std::size_t>(tensor)].quantization;
    return add(std::move(shape), kind, DataType::int8, q.scale[0], q.zero_point[0]);
  }

  /// state' = state + current, which is also what comes next.
  void running_sum() {
    remembers_ = true;
    const int in = current_, sum = add(shape(), TensorKind::activation),
              state = like(sum, shape(), TensorKind::variable);
    emit(OperatorKind::read_variable, {state}, like(sum, shape(), TensorKind::activation));
    emit(OperatorKind::add, {in, current_}, sum);
    nn::Operator assign;
    assign.kind = OperatorKind::assign_variable, assign.inputs = {sum}, assign.outputs = {state};
    assign.name = "assign" + std::to_string(n_.operators.size());
    n_.operators.push_back(std::move(assign));
  }

  void image_layer() {
    const auto s = shape();
    nn::OperatorOptions o;
    o.same_padding = true;
    const int in = current_, what = pick(random_, 0, 4);
    if (what == 0) return running_sum();
    if (what == 1) {
      o.filter_h = o.filter_w = 2;
      return emit(OperatorKind::max_pool_2d, {in}, like(in, s, TensorKind::activation), o);
    }
    const bool depthwise = what == 2;
    if (depthwise) o.depth_multiplier = pick(random_, 1, 2);
    o.stride_h = s[1] > 3 ? pick(random_, 1, 2) : 1;
    const std::int64_t channels = depthwise ? s[3] * o.depth_multiplier : pick(random_, 1, 6);
    const int w = add(depthwise ? Shape{1, 3, 3, channels} : Shape{channels, 3, 3, s[3]}, TensorKind::constant);
    const int b = add({channels}, TensorKind::constant, DataType::int32);
    emit(depthwise ? OperatorKind::depthwise_conv_2d : OperatorKind::conv_2d, {in, w, b},
         add({1, (s[1] + o.stride_h - 1) / o.stride_h, s[2], channels}, TensorKind::activation), o);
  }
  void flatten() {
    const auto n = n_.tensors[index()].elements();
    emit(OperatorKind::reshape, {current_}, like(current_, {1, n}, TensorKind::activation));
  }
  void connected() {
    const int in = current_, units = pick(random_, 2, 9);
    const int w = add({units, shape()[1]}, TensorKind::constant);
    emit(OperatorKind::fully_connected, {in, w, -1}, add({1, units}, TensorKind::activation));
  }
  void svdf() {
    remembers_ = true;
    const std::int64_t size = shape()[1], units = pick(random_, 1, 6), memory = pick(random_, 1, 5);
    nn::OperatorOptions o;
    o.rank = pick(random_, 1, 2);
    const std::int64_t filters = units * o.rank;
    const int in = current_;
    const int feature = add({filters, size}, TensorKind::constant, DataType::int8, 0.01f);
    const int time = add({filters, memory}, TensorKind::constant, DataType::int16, 0.0004f);
    const int state = add({1, filters * memory}, TensorKind::variable, DataType::int16, 0.0006f);
    emit(OperatorKind::svdf, {in, feature, time, -1, state}, add({1, units}, TensorKind::activation), o);
  }
  void lstm() {
    remembers_ = true;
    const std::int64_t features = shape()[1], units = pick(random_, 1, 5);
    const int in = current_, x = like(in, {1, 1, features}, TensorKind::activation);
    emit(OperatorKind::reshape, {in}, x);
    std::vector<int> inputs(24, -1);
    inputs[0] = x;
    for (std::size_t g = 0; g < 4; ++g) {
      inputs[1 + g] = add({units, features}, TensorKind::constant, DataType::int8, 0.01f);
      inputs[5 + g] = add({units, units}, TensorKind::constant, DataType::int8, 0.01f);
    }
    inputs[18] = add({1, units}, TensorKind::variable, DataType::int8, 1.0f / 128);
    inputs[19] = add({1, units}, TensorKind::variable, DataType::int16, std::ldexp(1.0f, -11));
    emit(OperatorKind::unidirectional_sequence_lstm, inputs,
         add({1, 1, units}, TensorKind::activation, DataType::int8, 1.0f / 128));
    flatten();
  }
  void flat_layer() {
    switch (pick(random_, 0, 4)) {
      case 0:
        return connected();
      case 1:
        return running_sum();
      case 2:
        return lstm();
      default:
        return svdf();
    }
  }

  Random& random_;
  nn::Network n_;
  int current_ = 0;
  bool remembers_ = false;
};

}  // namespace

nn::NetworkPtr random_stateful_network(Random& random) { return StateBuilder(random).build(); }

}  // namespace dse::test
