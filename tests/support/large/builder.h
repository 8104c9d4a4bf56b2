// Builds networks around one operator.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random_cases.h"

namespace dse::test::large {

using nn::OperatorKind;
using Shape = std::vector<std::int64_t>;

inline const nn::Quantization kPlain{{0.05f}, {-3}, 0, {}};

class Builder {
 public:
  Builder(Random& random, std::int64_t bytes) : random_(random), bytes_(bytes) { n_.name = "large"; }

  int tensor(Shape shape, nn::TensorKind kind, nn::Quantization q = kPlain, nn::DataType type = nn::DataType::int8) {
    nn::Tensor t;
    t.name = "t" + std::to_string(n_.tensors.size());
    t.shape = std::move(shape), t.kind = kind, t.type = type, t.quantization = std::move(q);
    n_.tensors.push_back(std::move(t));
    return static_cast<int>(n_.tensors.size()) - 1;
  }
  int made(Shape shape, nn::Quantization q = kPlain, nn::DataType type = nn::DataType::int8) {
    return tensor(std::move(shape), nn::TensorKind::activation, std::move(q), type);
  }
  int constant(Shape shape, nn::Quantization q = kPlain) {
    const int t = tensor(std::move(shape), nn::TensorKind::constant, std::move(q));
    auto& data = n_.tensors[static_cast<std::size_t>(t)].data;
    data.resize(static_cast<std::size_t>(n_.tensors[static_cast<std::size_t>(t)].elements()));
    for (auto& b : data) b = static_cast<std::uint8_t>(random_());
    return t;
  }
  const Shape& shape(int t) const { return n_.tensors[static_cast<std::size_t>(t)].shape; }
  void emit(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs, nn::OperatorOptions o = {}) {
    nn::Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = std::move(outputs), op.options = std::move(o);
    n_.operators.push_back(std::move(op));
  }
  int drawn(int lo, int hi) { return pick(random_, lo, hi); }

  /// What the operator reads: an input, or made of one by a convolution.
  int source(Shape s) {
    const bool image = s.size() == 4 && s[0] == 1 && between_;
    if (!image) return n_.inputs.push_back(tensor(std::move(s), nn::TensorKind::input)), n_.inputs.back();
    n_.inputs.push_back(tensor({1, s[1], s[2], 2}, nn::TensorKind::input));
    const int out = made(s);
    convolution(n_.inputs.back(), out);
    return out;
  }
  void convolution(int in, int out) {
    nn::OperatorOptions o;
    o.same_padding = true;
    const int w = constant({shape(out)[3], 1, 1, shape(in)[3]}, {{0.01f}, {0}, 0, {}});
    emit(OperatorKind::conv_2d, {in, w, -1}, {out}, o);
  }
  /// Rows, columns and channels of about `bytes` bytes.
  Shape image(std::int64_t bytes) {
    const std::int64_t c = 4 * drawn(2, 8);
    const auto w = std::max<std::int64_t>(4, static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes / c))));
    const std::int64_t narrow = std::max<std::int64_t>(4, w - drawn(0, static_cast<int>(w / 2)));
    return {1, std::max<std::int64_t>(4, bytes / c / narrow), narrow, c};
  }
  Shape image() { return image(bytes_); }

  nn::NetworkPtr finish(bool between, const std::function<std::vector<int>(Builder&)>& make) {
    between_ = between;
    for (const int out : make(*this)) {
      const auto s = shape(out);
      if (between && s.size() == 4 && s[0] == 1 &&
          n_.tensors[static_cast<std::size_t>(out)].type == nn::DataType::int8) {
        const int last = made({1, s[1], s[2], 3});
        convolution(out, last);
        n_.outputs.push_back(last);
      } else {
        n_.outputs.push_back(out);
      }
    }
    Diagnostics diags;
    auto network = nn::finish_network(std::move(n_), diags, "large");
    ensure(network != nullptr, diags.text());
    return network;
  }

 private:
  Random& random_;
  std::int64_t bytes_;
  nn::Network n_;
  bool between_ = false;
};

/// Tensors that leave the network.
using Outputs = std::vector<int>;
using Make = std::function<Outputs(Builder&)>;
using Makers = std::vector<std::pair<std::string, Make>>;

/// Of operators that move values.
Makers moves();
/// Of operators that compute.
Makers computations();

}  // namespace dse::test::large
