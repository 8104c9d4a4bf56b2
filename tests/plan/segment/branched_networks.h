// Small networks with branches, built by hand: sums, concatenations, paddings, int8, seeded weights.
#pragma once
#include <cstdint>
#include <vector>

#include "models/nn/network.h"
#include "tests/support/random_cases.h"

namespace dse::test {

/// Builds images channels-last; every tensor has one scale, so that all of them can be concatenated. Weights follow
/// from `seed`.
class BranchedNetwork {
 public:
  explicit BranchedNetwork(std::string name, std::uint64_t seed = 1);
  int input(std::int64_t h, std::int64_t w, std::int64_t c);
  /// Padding "same".
  int conv(int in, std::int64_t filters, int kernel = 1, int stride = 1);
  /// No padding.
  int valid_conv(int in, std::int64_t filters, int kernel, int stride = 1);
  int depthwise(int in, int kernel = 3);
  int max_pool(int in, int kernel = 3, int stride = 1);
  int add(int a, int b);
  int mul(int a, int b);
  int relu(int a);
  /// Any element-wise kind; `alpha` of leaky_relu and elu.
  int unary(nn::OperatorKind kind, int a, float alpha = 0.1f);
  int binary(nn::OperatorKind kind, int a, int b);
  int concat(std::vector<int> parts, int axis = 3);
  /// Elements before and after rows, columns and channels; the border is the zero point.
  int pad(int in, std::vector<std::int64_t> before, std::vector<std::int64_t> after);
  int reshape(int in, std::vector<std::int64_t> shape);
  int dense(int in, std::int64_t units);
  /// `outputs` leave the network. @throws InvariantError when it is not well-formed.
  nn::NetworkPtr build(std::vector<int> outputs);

 private:
  int tensor(std::vector<std::int64_t> shape, nn::TensorKind kind = nn::TensorKind::activation);
  int constant(std::vector<std::int64_t> shape, nn::DataType type, nn::Quantization quantization, int limit);
  int emit(nn::OperatorKind kind, std::vector<int> inputs, std::vector<std::int64_t> shape,
           nn::OperatorOptions options = {});
  int window(nn::OperatorKind kind, int in, std::int64_t filters, int kernel, int stride, bool same);
  nn::Network n_;
  std::uint64_t state_;
};

/// Two or three chains of one to `longest` pointwise convolutions from one tensor, added up; the file lists the layers
/// of all chains as drawn.
nn::NetworkPtr random_branches(Random& random, int longest = 2);

/// Six operators: pointwise convolutions a1 (8 channels), b1 and c1 (64) from it, b2 and c2 (4) from them, and their
/// sum; the file lists a1, b1, c1, b2, c2, sum, so that both wide tensors are alive at once.
nn::NetworkPtr six_operators();

/// Three residual blocks, as in ResNet.
nn::NetworkPtr residual_network();
/// Two modules of four branches, as in Inception.
nn::NetworkPtr inception_network();
/// A block of five layers that each read all before them, as in DenseNet.
nn::NetworkPtr dense_network();
/// Paddings in front of convolutions without padding, as Keras exports strided ones.
nn::NetworkPtr padded_network();

}  // namespace dse::test
