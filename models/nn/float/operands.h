// What the float evaluations of all families share: access to operands, and index arithmetic.
#pragma once
#include <map>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/shape.h"

namespace dse::nn::floating {

using Shape = std::vector<std::int64_t>;

/// One operator with its operands' values. Constants are made when they are first asked for and live as long as this.
class Call {
 public:
  Call(const Network& n, const Operator& op, TensorBytes& bytes) : op(op), o(op.options), network_(n), bytes_(bytes) {}

  const Operator& op;
  const OperatorOptions& o;
  bool has(std::size_t i) const { return op.inputs.size() > i && op.inputs[i] >= 0; }
  const Shape& shape(std::size_t i = 0) const { return tensor(op.inputs[i]).shape; }
  const Shape& out_shape(std::size_t i = 0) const { return tensor(op.outputs[i]).shape; }
  std::int64_t size(std::size_t i = 0) const { return tensor(op.inputs[i]).elements(); }
  std::int64_t out_size(std::size_t i = 0) const { return tensor(op.outputs[i]).elements(); }
  DataType out_type() const { return tensor(op.outputs[0]).type; }
  const float* in(std::size_t i = 0);
  float* out(std::size_t i = 0) { return reinterpret_cast<float*>(raw_out(i)); }
  std::uint8_t* raw_out(std::size_t i = 0) { return bytes_[static_cast<std::size_t>(op.outputs[i])].data(); }
  /// The values of a variable, to be changed.
  float* state(std::size_t i) {
    return reinterpret_cast<float*>(bytes_[static_cast<std::size_t>(op.inputs[i])].data());
  }
  const Network& network() const { return network_; }
  /// The fused activation, over output 0.
  void activate();

 private:
  const Tensor& tensor(int i) const { return network_.tensors[static_cast<std::size_t>(i)]; }
  const Network& network_;
  TensorBytes& bytes_;
  std::map<int, std::vector<float>> constants_;
};

/// Extents before, at and after `axis` multiplied.
struct Around {
  std::int64_t outer, extent, inner;
};
Around around(const Shape& shape, std::int64_t axis);

/// Walks the indices of `shape` in row-major order and keeps up to two offsets.
class Walk {
 public:
  Walk(const Shape& shape, const Shape& strides_a, const Shape& strides_b = {})
      : shape_(shape), a_(strides_a), b_(strides_b.empty() ? strides_a : strides_b), index_(shape.size()) {}
  std::int64_t a = 0, b = 0;
  void next() {
    for (std::size_t d = shape_.size(); d-- > 0;) {
      a += a_[d], b += b_[d];
      if (++index_[d] < shape_[d]) return;
      a -= a_[d] * shape_[d], b -= b_[d] * shape_[d];
      index_[d] = 0;
    }
  }

 private:
  Shape shape_, a_, b_, index_;
};

/// The axis of a softmax: TensorFlow Lite's and our own networks' is the last; ONNX names one.
std::size_t softmax_axis(const Operator& op, std::size_t rank);
/// The axis of the channels: 1 where `channels_first`, else the last.
inline std::size_t channel_axis(const OperatorOptions& o, std::size_t rank) {
  return o.channels_first && rank > 1 ? 1 : rank - 1;
}
/// Elements of a slice along one dimension; begin, end and stride as in OperatorOptions.
std::int64_t slice_count(std::int64_t begin, std::int64_t end, std::int64_t stride);

/// A window over an image in either layout; `in_*` and `out_*` of one image, strides in elements.
struct Geometry {
  std::int64_t batch = 1, in_h = 1, in_w = 1, in_c = 1, out_h = 1, out_w = 1, out_c = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool first = false;  // channels first
  std::int64_t in_index(std::int64_t y, std::int64_t x, std::int64_t c) const {
    return first ? (c * in_h + y) * in_w + x : (y * in_w + x) * in_c + c;
  }
  std::int64_t out_index(std::int64_t y, std::int64_t x, std::int64_t c) const {
    return first ? (c * out_h + y) * out_w + x : (y * out_w + x) * out_c + c;
  }
};
/// Extents of input and output (rank 4), strides, dilation and padding. `transposed`: input and output exchange their
/// parts in the rule of SAME.
Geometry geometry(const OperatorOptions& o, const Shape& in, const Shape& out, std::int64_t kernel_h,
                  std::int64_t kernel_w, bool transposed = false);
/// Kernel extents of the weights of a convolution of any kind.
struct Kernel {
  std::int64_t h, w;
};
Kernel kernel_of(const Operator& op, const Shape& weights);

// One per family; each computes every kind that it is called for in evaluate_float.cpp.
void convolution(Call& c);
void transposed_convolution(Call& c);
void pool(Call& c);
void global_pool(Call& c);
void fully_connected(Call& c);
void gemm(Call& c);
void batch_matmul(Call& c);
void unary(Call& c);
/// The function of a unary operator in binary64, of which integer kernels are tables; null for those that have none.
using Real = double (*)(double x, double alpha, double beta);
Real real_function(OperatorKind unary);
void binary(Call& c);
void batch_normalization(Call& c);
void softmax(Call& c);
void lrn(Call& c);
void l2_normalization(Call& c);
void copy(Call& c);
void concatenation(Call& c);
void split(Call& c);
void transpose(Call& c);
void slice(Call& c);
void pad(Call& c);
void reduction(Call& c);
void arg_extreme(Call& c);
void resize(Call& c);
void svdf(Call& c);
void circulant(Call& c);

}  // namespace dse::nn::floating
