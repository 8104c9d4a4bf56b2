// The oracle's operator families and what they share: indices, broadcasting, the arguments of a call.
#pragma once
#include <functional>
#include <stdexcept>

#include "arithmetic.h"
#include "oracle.h"

namespace dse::nn::oracle {

using Index = std::vector<std::int64_t>;

/// Calls f with every index of the shape, in memory order; once with an empty index for a scalar.
void each(const std::vector<std::int64_t>& shape, const std::function<void(const Index&)>& f);
std::int64_t offset(const std::vector<std::int64_t>& shape, const Index& i);
/// Element of t at an index of a shape it is broadcast to (numpy's rules).
std::int64_t broadcast_at(const Tensor& t, const Index& i);
std::int64_t at(const Tensor& t, const Index& i);
/// The same for images and matrices, without a list: they are read once per multiply-accumulate.
std::int64_t at(const Tensor& t, std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c);
std::int64_t at(const Tensor& t, std::int64_t row, std::int64_t column);
int positive_axis(std::int64_t axis, std::size_t rank);

struct Call {
  const std::string& kind;
  const Options& o;
  const std::vector<const Tensor*>& in;
  std::vector<Tensor>& out;
  State* state;

  const Tensor& x(std::size_t i = 0) const;
  bool has(std::size_t i) const { return i < in.size() && in[i]; }
  Tensor& y(std::size_t i = 0) const { return out.at(i); }
  [[noreturn]] void refuse(const std::string& why) const { throw std::invalid_argument(kind + ": " + why); }
};

/// Each returns false when the kind is not of its family.
bool run_convolution(const Call& c);
bool run_pool(const Call& c);
bool run_binary(const Call& c);
bool run_reduction(const Call& c);
bool run_unary(const Call& c);
bool run_sigmoid(const Call& c);
bool run_softmax(const Call& c);
bool run_resize(const Call& c);
bool run_move(const Call& c);
bool run_cut(const Call& c);
bool run_recurrent(const Call& c);
bool run_quantize(const Call& c);

/// 1.9: pixels before the image.
int pad_before(std::int64_t in, std::int64_t out, int kernel, int stride, int dilation, Padding p, int given);
/// Type and fused activation of the output.
std::int64_t finish(const Call& c, Wide value);
/// 2.12: d = (x * m + rounding) >> right (right may be negative: a left shift), then the table.
std::int64_t logistic16(std::int64_t x, std::int64_t m, int right);
std::int64_t tanh16(std::int64_t x, std::int64_t m, int right);
/// round(log2 s), and whether s is a power of two for the 16-bit tables.
int log2_rounded(float s, bool& exact);

}  // namespace dse::nn::oracle
