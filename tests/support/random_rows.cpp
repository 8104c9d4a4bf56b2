#include "tests/support/random_rows.h"

#include <algorithm>

namespace dse::test {
namespace {

using nn::OperatorKind;
using Shape = std::vector<std::int64_t>;

class RowBuilder {
 public:
  explicit RowBuilder(Random& random) : random_(random) {
    n_.name = "rows";
    const Shape image = {1, pick(random_, 5, 18), pick(random_, 4, 14), pick(random_, 1, 4)};
    const bool flat = pick(random_, 0, 2) == 0;
    current_ = add(flat ? Shape{1, image[1] * image[2] * image[3]} : image, nn::TensorKind::input);
    n_.inputs = {current_};
    if (flat) emit(OperatorKind::reshape, {current_}, image);
  }

  nn::NetworkPtr build() {
    for (int i = pick(random_, 3, 7); i > 0; --i) layer();
    n_.outputs = {current_};
    Diagnostics diags;
    auto done = nn::finish_network(std::move(n_), diags, "rows");
    ensure(done != nullptr, "random network by rows: " + diags.text());
    return done;
  }

 private:
  int add(Shape shape, nn::TensorKind kind, nn::DataType type = nn::DataType::int8) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.kind = kind, t.type = type;
    t.quantization.scale = {0.01f * static_cast<float>(pick(random_, 2, 12))};
    t.quantization.zero_point = {kind == nn::TensorKind::constant ? 0 : pick(random_, -20, 20)};
    if (kind == nn::TensorKind::constant) {
      t.data.resize(static_cast<std::size_t>(t.elements()) * static_cast<std::size_t>(nn::size_of(type)));
      for (std::size_t i = 0; i < t.data.size(); ++i)  // 32 bits: below 2^16
        t.data[i] = type == nn::DataType::int8 || i % 4 < 2 ? static_cast<std::uint8_t>(random_()) : 0;
    }
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  Shape shape() const { return n_.tensors[static_cast<std::size_t>(current_)].shape; }

  void emit(OperatorKind kind, std::vector<int> inputs, Shape out, nn::OperatorOptions options = {}) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.options = std::move(options);
    op.name = std::string(nn::key_of(kind)) + std::to_string(n_.operators.size());
    const int from = op.inputs[0];
    current_ = add(std::move(out), nn::TensorKind::activation);
    if (kind == OperatorKind::reshape || kind == OperatorKind::pad || kind == OperatorKind::max_pool_2d ||
        kind == OperatorKind::average_pool_2d)
      n_.tensors[static_cast<std::size_t>(current_)].quantization =
          n_.tensors[static_cast<std::size_t>(from)].quantization;
    op.outputs = {current_};
    n_.operators.push_back(std::move(op));
  }

  static std::int64_t extent(std::int64_t in, int k, int s, int d, bool same) {
    const std::int64_t eff = (k - 1) * d + 1;
    return same ? (in + s - 1) / s : in < eff ? 0 : (in - eff) / s + 1;
  }

  /// Kernel, strides, padding and dilation of a window, and the extents of what it makes.
  nn::OperatorOptions window(int& kh, int& kw, Shape& out) {
    const auto s = shape();
    nn::OperatorOptions o;
    for (;;) {
      kh = pick(random_, 1, 5), kw = pick(random_, 1, 4);
      o.stride_h = pick(random_, 0, 1) ? 1 : pick(random_, 2, 3), o.stride_w = pick(random_, 0, 1) ? 1 : 3;
      o.dilation_h = o.dilation_w = pick(random_, 0, 5) == 0 ? 2 : 1;
      o.same_padding = pick(random_, 0, 1);
      if (o.dilation_h > 1) o.stride_h = o.stride_w = 1;
      out = {1, extent(s[1], kh, o.stride_h, o.dilation_h, o.same_padding),
             extent(s[2], kw, o.stride_w, o.dilation_w, o.same_padding), s[3]};
      if (out[1] >= 1 && out[2] >= 1) break;
    }
    o.activation = static_cast<nn::Activation>(pick(random_, 0, 2));
    return o;
  }

  void convolution(bool depthwise) {
    int kh = 0, kw = 0;
    Shape out;
    auto o = window(kh, kw, out);
    const auto channels = shape()[3];
    if (depthwise) {
      o.depth_multiplier = std::max(1, pick(random_, 1, channels > 8 ? 1 : channels > 4 ? 3 : 8));
      out[3] = channels * o.depth_multiplier;
    } else {
      out[3] = pick(random_, 1, 9);
    }
    const int in = current_;
    const int w = add(depthwise ? Shape{1, kh, kw, out[3]} : Shape{out[3], kh, kw, channels}, nn::TensorKind::constant);
    const int b = add({out[3]}, nn::TensorKind::constant, nn::DataType::int32);
    emit(depthwise ? OperatorKind::depthwise_conv_2d : OperatorKind::conv_2d, {in, w, b}, out, o);
  }

  void pool() {
    nn::OperatorOptions o;
    int kh = 0, kw = 0;
    Shape out;
    do o = window(kh, kw, out);
    while (o.dilation_h > 1);
    o.filter_h = kh, o.filter_w = kw;
    emit(pick(random_, 0, 1) ? OperatorKind::average_pool_2d : OperatorKind::max_pool_2d, {current_}, out, o);
  }

  void pad() {
    nn::OperatorOptions o;
    o.pad_before = {0, pick(random_, 0, 2), pick(random_, 0, 2), 0};
    o.pad_after = {0, pick(random_, 0, 2), pick(random_, 0, 2), 0};
    const auto s = shape();
    emit(OperatorKind::pad, {current_},
         {1, s[1] + o.pad_before[1] + o.pad_after[1], s[2] + o.pad_before[2] + o.pad_after[2], s[3]}, o);
  }

  /// Other rows, other columns, or other channels in the same bytes.
  void reshape() {
    const auto s = shape();
    std::vector<Shape> ways = {{1, s[2], s[1], s[3]}, {1, s[1], s[3], s[2]}, {1, s[1] * s[2], 1, s[3]}};
    if (s[1] % 2 == 0) ways.push_back({1, s[1] / 2, s[2] * 2, s[3]});
    if (s[2] % 2 == 0) ways.push_back({1, s[1] * 2, s[2] / 2, s[3]});
    if (s[2] % 2 == 0) ways.push_back({1, s[1], s[2] / 2, s[3] * 2});
    emit(OperatorKind::reshape, {current_}, ways[random_() % ways.size()]);
  }

  void residual() {
    const int in = current_;
    const auto s = shape();
    const int w = add({1, 1, 1, s[3]}, nn::TensorKind::constant);
    const int b = add({s[3]}, nn::TensorKind::constant, nn::DataType::int32);
    emit(OperatorKind::depthwise_conv_2d, {in, w, b}, s);
    emit(OperatorKind::add, {in, current_}, s);
  }

  void layer() {
    switch (pick(random_, 0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return convolution(true);
      case 4:
      case 5:
        return convolution(false);
      case 6:
        return pool();
      case 7:
        return pad();
      case 8:
        return residual();
      default:
        return reshape();
    }
  }

  Random& random_;
  nn::Network n_;
  int current_ = 0;
};

}  // namespace

nn::NetworkPtr random_row_network(Random& random) { return RowBuilder(random).build(); }

}  // namespace dse::test
