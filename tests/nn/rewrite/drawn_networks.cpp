#include "drawn_networks.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace dse::nn::test {
namespace {

using Shape = std::vector<std::int64_t>;
using Engine = std::mt19937_64;

class Drawing {
 public:
  explicit Drawing(Engine& random) : r_(random) {
    constexpr DataType types[] = {DataType::int8, DataType::int8, DataType::uint8, DataType::int16};
    type_ = types[pick(0, 3)];
    if (type_ != DataType::int16 && pick(0, 2) == 0) rounding_ = Rounding::onnx;
    n_.name = "drawn";
  }

  Network pads() {
    at_ = input({1, pick(3, 9), pick(3, 9), pick(1, 5)});
    for (int i = pick(1, 4); i > 0; --i) {
      if (pick(0, 3)) pad();
      // Several readers of one padding; the last goes on.
      const int from = at_;
      for (int more = pick(0, 4) == 0 ? 1 : 0; more >= 0; --more) {
        at_ = from;
        windowed();
        if (more) n_.outputs.push_back(at_);
      }
    }
    return done();
  }

  Network transposes() {
    const int rank = pick(0, 3) ? 4 : pick(2, 3);
    Shape s;
    for (int d = 0; d < rank; ++d) s.push_back(pick(0, 2) ? pick(2, 4) : 1);
    at_ = input(s);
    std::vector<int> earlier;
    Shape open;  // what undoes the latest transposition
    for (int i = pick(2, 8); i > 0; --i) {
      earlier.push_back(at_);
      switch (pick(0, 5)) {
        case 0:
        case 1: {
          Shape p(shape(at_).size());
          std::iota(p.begin(), p.end(), 0);
          std::shuffle(p.begin(), p.end(), r_);
          if (!open.empty() && pick(0, 3)) p = open;
          transpose(p);
          open.assign(p.size(), 0);
          for (std::size_t d = 0; d < p.size(); ++d)
            open[static_cast<std::size_t>(p[d])] = static_cast<std::int64_t>(d);
          break;
        }
        case 2:
          emit(OperatorKind::relu, {at_}, shape(at_), {});
          break;
        case 3: {
          // With a constant that is broadcast, or one value.
          Shape c = shape(at_);
          for (auto& d : c)
            if (pick(0, 1)) d = 1;
          const int other = constant(pick(0, 1) ? c : Shape{1}, type_);
          emit(pick(0, 1) ? OperatorKind::mul : OperatorKind::add, {at_, other}, shape(at_), {});
          break;
        }
        default: {
          std::vector<int> alike;
          for (const int t : earlier)
            if (shape(t) == shape(at_)) alike.push_back(t);
          if (!alike.empty())
            emit(OperatorKind::add, {at_, alike[static_cast<std::size_t>(pick(0, static_cast<int>(alike.size()) - 1))]},
                 shape(at_), {});
        }
      }
      if (pick(0, 5) == 0 && at_ != earlier.front()) n_.outputs.push_back(at_);
    }
    return done();
  }

  Network reductions() {
    at_ = input({pick(0, 4) ? 1 : 2, pick(1, 7), pick(1, 7), pick(1, 6)});
    if (pick(0, 1)) {
      Shape p{0, 3, 1, 2};
      transpose(p);
    }
    constexpr OperatorKind kinds[] = {OperatorKind::mean, OperatorKind::sum, OperatorKind::reduce_max,
                                      OperatorKind::reduce_min};
    const auto kind = type_ == DataType::uint8 && rounding_ != Rounding::onnx ? kinds[pick(2, 3)] : kinds[pick(0, 3)];
    const bool extreme = kind == OperatorKind::reduce_max || kind == OperatorKind::reduce_min;
    OperatorOptions o;
    o.keep_dims = pick(0, 1);
    Shape made;
    for (std::size_t d = 0; d < shape(at_).size(); ++d) {
      const bool reduced = pick(0, 1);
      if (reduced) o.axes.push_back(static_cast<std::int64_t>(d));
      if (!reduced || o.keep_dims) made.push_back(reduced ? 1 : shape(at_)[d]);
    }
    if (o.axes.empty()) o.axes = {0}, made = shape(at_), made[0] = 1, o.keep_dims = true;
    const int from = at_;
    emit(kind, {at_}, made, o);
    if (extreme) tensor(at_).quantization = tensor(from).quantization;
    return done();
  }

  int pick(int lo, int hi) { return lo + static_cast<int>(r_() % static_cast<std::uint64_t>(hi - lo + 1)); }

 private:
  const Shape& shape(int t) const { return n_.tensors[static_cast<std::size_t>(t)].shape; }
  Tensor& tensor(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }

  int add(TensorKind kind, DataType type, Shape s, std::int64_t zero, float scale) {
    Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.kind = kind, t.type = type, t.shape = std::move(s);
    t.quantization.scale = {scale}, t.quantization.zero_point = {zero};
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  std::int64_t any_zero() {
    if (type_ == DataType::int16) return 0;
    const int low = type_ == DataType::uint8 ? 0 : -128;
    return pick(0, 2) == 0 ? low : low + pick(0, 255);
  }
  int activation(Shape s, TensorKind kind) {
    return add(kind, type_, std::move(s), any_zero(), 0.01f * static_cast<float>(pick(2, 12)));
  }
  int input(Shape s) {
    n_.inputs.push_back(activation(std::move(s), TensorKind::input));
    return n_.inputs.back();
  }
  int constant(Shape s, DataType type) {
    const int t = add(TensorKind::constant, type, std::move(s), type == type_ ? any_zero() : 0, 0.02f);
    auto& data = tensor(t).data;
    data.resize(static_cast<std::size_t>(tensor(t).bytes()));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(pick(0, 255));
    return t;
  }
  void emit(OperatorKind kind, std::vector<int> inputs, Shape made, OperatorOptions o) {
    Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.options = std::move(o);
    op.options.rounding = rounding_;
    at_ = activation(std::move(made), TensorKind::activation);
    op.outputs = {at_};
    n_.operators.push_back(std::move(op));
  }
  Network done() {
    if (std::find(n_.outputs.begin(), n_.outputs.end(), at_) == n_.outputs.end()) n_.outputs.push_back(at_);
    return std::move(n_);
  }

  void transpose(const Shape& permutation) {
    OperatorOptions o;
    o.permutation = permutation;
    Shape made;
    for (const auto d : permutation) made.push_back(shape(at_)[static_cast<std::size_t>(d)]);
    const int from = at_;
    emit(OperatorKind::transpose, {at_}, made, o);
    if (pick(0, 9)) tensor(at_).quantization = tensor(from).quantization;  // else bytes that mean something else
  }

  void pad() {
    OperatorOptions o;
    const bool elsewhere = pick(0, 9) == 0;
    Shape made = shape(at_);
    for (std::size_t d = 0; d < 4; ++d) {
      const bool here = d == 1 || d == 2 || elsewhere;
      o.pad_before.push_back(here && d > 0 ? pick(0, 2) : 0);
      o.pad_after.push_back(here && d > 0 ? pick(0, 2) : 0);
      made[d] += o.pad_before[d] + o.pad_after[d];
    }
    const int from = at_;
    std::vector<int> inputs{at_};
    if (pick(0, 3) == 0) {  // PADV2: zero points, least values, any values
      const int value = add(TensorKind::constant, type_, {1}, 0, 1);
      const auto q = tensor(from).quantization;
      tensor(value).quantization = q;
      const std::int64_t least = type_ == DataType::uint8 ? 0 : type_ == DataType::int8 ? -128 : -32768;
      const std::int64_t raw = std::array<std::int64_t, 3>{q.zero_point[0], least,
                                                           least + pick(0, 255)}[static_cast<std::size_t>(pick(0, 2))];
      for (std::int64_t b = 0; b < size_of(type_); ++b)
        tensor(value).data.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(raw) >> (8 * b)));
      inputs.push_back(value);
    }
    emit(OperatorKind::pad, inputs, made, o);
    tensor(at_).quantization = tensor(from).quantization;
    if (pick(0, 6) == 0 && shape(at_)[1] < 14) pad();
  }

  void windowed() {
    OperatorOptions o;
    const Shape s = shape(at_);
    const auto least = [&](std::size_t d, int most) { return static_cast<int>(std::min<std::int64_t>(s[d], most)); };
    const int kh = pick(1, least(1, 5)), kw = pick(1, least(2, 5));
    o.stride_h = pick(1, 3), o.stride_w = pick(1, 2);
    o.same_padding = pick(0, 2) == 0;
    o.activation = static_cast<Activation>(pick(0, 2));
    const auto out = [&](std::size_t d, int k, int stride) {
      return o.same_padding ? (s[d] + stride - 1) / stride : (s[d] - k) / stride + 1;
    };
    const Shape made{1, out(1, kh, o.stride_h), out(2, kw, o.stride_w), s[3]};
    const int what = pick(0, 4), from = at_;
    if (what >= 3) {
      o.filter_h = kh, o.filter_w = kw;
      emit(what == 3 ? OperatorKind::average_pool_2d : OperatorKind::max_pool_2d, {at_}, made, o);
      tensor(at_).quantization = tensor(from).quantization;
      return;
    }
    const bool depthwise = what == 2;
    const std::int64_t channels = depthwise ? s[3] * pick(1, 2) : pick(1, 6);
    const DataType weight = type_ == DataType::uint8 && rounding_ != Rounding::onnx ? DataType::uint8 : DataType::int8;
    const int w = constant(depthwise ? Shape{1, kh, kw, channels} : Shape{channels, kh, kw, s[3]}, weight);
    tensor(w).quantization = {{0.01f}, {weight == DataType::uint8 ? pick(0, 255) : 0}, 0, {}};
    if (weight == DataType::int8 && pick(0, 1)) {
      tensor(w).quantization.scale.assign(static_cast<std::size_t>(channels), 0.01f);
      for (auto& v : tensor(w).quantization.scale) v *= static_cast<float>(pick(1, 4));
      tensor(w).quantization.zero_point.assign(static_cast<std::size_t>(channels), 0);
      tensor(w).quantization.axis = depthwise ? 3 : 0;
    }
    Shape result = made;
    result[3] = channels;
    o.depth_multiplier = depthwise ? static_cast<int>(channels / s[3]) : 1;
    emit(depthwise ? OperatorKind::depthwise_conv_2d : OperatorKind::conv_2d, {from, w, -1}, result, o);
  }

  Engine& r_;
  DataType type_;
  Rounding rounding_ = Rounding::tflite;
  Network n_;
  int at_ = -1;
};

}  // namespace

Network drawn_network(Engine& random, Habit habit) {
  Drawing d(random);
  return habit == Habit::pads ? d.pads() : habit == Habit::transposes ? d.transposes() : d.reductions();
}

}  // namespace dse::nn::test
