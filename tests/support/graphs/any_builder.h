// Builds what random_any_network draws: images in one type, operators on them, ends.
#pragma once
#include <vector>

#include "tests/support/graphs/any_network.h"

namespace dse::test {

class AnyBuilder {
 public:
  AnyBuilder(Random& random, int operators);
  nn::NetworkPtr build();

 private:
  using Shape = std::vector<std::int64_t>;

  nn::Tensor& at(int t) { return n_.tensors[static_cast<std::size_t>(t)]; }
  Shape shape() { return at(from_).shape; }
  bool wide() const { return type_ == nn::DataType::int16; }
  bool bytes() const { return type_ == nn::DataType::uint8; }

  /// A tensor of the type; a constant with data, a variable perhaps. Without a scale it is drawn, with a zero point.
  int add(Shape shape, nn::TensorKind kind, float scale = 0, std::int64_t zero = 0);
  int like(int tensor, Shape shape, nn::TensorKind kind = nn::TensorKind::activation);
  int fresh(Shape shape) { return add(std::move(shape), nn::TensorKind::activation); }
  /// From 0 to 1, as kernels of softmax and of the logistic curve make it.
  int shares(Shape shape);
  /// Weights and bias of an operator that reads `in`; `axis`: of the channels, whose scales may differ. Biases may be
  /// left out.
  std::vector<int> weighted(int in, Shape shape, std::size_t axis);
  void fill(nn::Tensor& t);
  int emit(nn::OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options = {});
  /// The same; others do not read what it makes.
  int inside(nn::OperatorKind kind, std::vector<int> inputs, int out, nn::OperatorOptions options = {});

  /// One of the latest tensors for which `fits` holds; -1: none.
  template <class Fits>
  int another(Fits fits) {
    std::vector<int> found;
    for (auto t = live_.rbegin(); t != live_.rend() && found.size() < static_cast<std::size_t>(reach_) + 2; ++t)
      if (*t != from_ && fits(at(*t))) found.push_back(*t);
    return found.empty() ? -1 : found[random_() % found.size()];
  }

  void step();
  void convolution();
  void depthwise();
  void transposed();
  void pool();
  void curve();
  void join_or(nn::OperatorKind kind);
  void extreme();
  void concatenation();
  void slice();
  void split();
  void pad();
  void resize();
  void transpose();
  void softmax();
  void fold();
  void line();
  void remember();

  void begin();
  void outputs();
  /// What leaves the network for this tensor: itself, or what people read.
  int end(int tensor);
  int real(int tensor, nn::OperatorKind kind, int out);

  Random& random_;
  const std::size_t wanted_;
  nn::DataType type_ = nn::DataType::int8;
  bool per_channel_ = false, real_ends_ = false;
  nn::Network n_;
  std::vector<int> live_;  // images that may be read, as they are made
  int from_ = -1, reach_ = 1;
};

}  // namespace dse::test
