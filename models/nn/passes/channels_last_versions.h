// Tensors in both layouts while to_channels_last rewrites a network.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/passes/rewrite.h"

namespace dse::nn::layout {

/// result[i] = source[permutation[i]]: from [N, C, H, W] to [N, H, W, C] and back.
inline const std::vector<std::int64_t> to_last{0, 2, 3, 1}, to_first{0, 3, 1, 2};

/// Which versions there are of every tensor of the file: as it is there ("first"), as [N, H, W, C] ("last"); makes
/// those that are missing, with the operators for it in `done_`.
class Versions {
 public:
  explicit Versions(Network n);

 protected:
  using Shape = std::vector<std::int64_t>;

  std::size_t rank(int t) const { return logical_[static_cast<std::size_t>(t)].size(); }
  const Shape& logical(int t) const { return logical_[static_cast<std::size_t>(t)]; }
  int& first(int t) { return first_[static_cast<std::size_t>(t)]; }
  int& last(int t) { return last_[static_cast<std::size_t>(t)]; }

  /// Tensor `t` itself becomes its [N, H, W, C] version.
  void make_last(int t);
  static Shape permuted_shape(const Shape& s, const Shape& permutation);
  int like(int t, const std::string& suffix, Shape shape);
  /// Emits `to` = `from` with its dimensions permuted, or reshaped where that is the same.
  int move(int from, const Shape& permutation, const std::string& suffix);
  int as_first(int t);
  int as_last(int t);
  /// An operand that is broadcast to a [N, H, W, C] result.
  int broadcast_as_last(int t);
  /// Takes in tensors that have come to the network since.
  void grow();

  Network n_;
  const Uses uses_;
  std::vector<Operator> done_;
  Rounding rounding_ = Rounding::tflite;

 private:
  std::vector<int> first_, last_;
  std::vector<Shape> logical_;
};

}  // namespace dse::nn::layout
