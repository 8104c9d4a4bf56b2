// What the derivation of one operator sees, and checks that most of them make.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "models/nn/shape.h"

namespace dse::nn {

/// Limits of what is accepted at all, so that no product of extents overflows.
inline constexpr std::int64_t max_elements = std::int64_t{64} << 20;
/// Constants may be larger: the first fully connected layer of VGG has 98 Mi weights.
inline constexpr std::int64_t max_constant_elements = std::int64_t{128} << 20;
inline constexpr int max_window = 1 << 15;  // strides, dilations and kernel extents

/// What a derivation sees: the operator to fill, its network, and where to complain.
class Derivation {
 public:
  Derivation(const Network& n, Operator& op, std::string where, std::string file, Diagnostics& d, bool keep = false)
      : network(n), op(op), where_(std::move(where)), file_(std::move(file)), diags_(d), keep_(keep) {}

  const Network& network;
  Operator& op;

  /// Says why the operator cannot be run: an error `operator 3 (CONV_2D): what` or, where such operators are kept, its
  /// `unsupported`. @returns false, so that a check reads `return d.fail(...)`.
  bool fail(const std::string& what, const std::string& hint = {});
  const Tensor& tensor(int index) const { return network.tensors[static_cast<std::size_t>(index)]; }
  const Tensor& input(std::size_t i = 0) const { return tensor(op.inputs[i]); }
  const Tensor& output() const { return tensor(op.outputs[0]); }
  /// An operator that is malformed whatever one wants to do with it: always an error.
  bool malformed(const std::string& what, const std::string& hint = {});
  const Tensor& output(std::size_t i) const { return tensor(op.outputs[i]); }
  /// Input `i` is there (optional inputs may be missing or -1).
  bool has_input(std::size_t i) const { return op.inputs.size() > i && op.inputs[i] >= 0; }
  /// A tensor of one of these types with one finite scale > 0 and one zero point within the type (int16: 0).
  bool quantized(int index, const char* role, std::initializer_list<DataType> types);
  /// An int8 tensor with one finite scale > 0 and one zero point in [-128, 127].
  bool quantized_int8(int index, const char* role);
  /// The tensor is [1, H, W, C].
  bool image_of_batch_1(int index, const char* role);
  /// The output has this shape.
  bool output_is(const std::vector<std::int64_t>& shape);

 private:
  std::string where_, file_;
  Diagnostics& diags_;
  bool keep_;
};

float scale_of(const Tensor& t);
std::int32_t zero_of(const Tensor& t);

/// enum dse_type of an element type that kernels know; -1 for others.
int kernel_type(DataType t);

/// Extents of input and output; every window parameter 1; the operator's rounding mode.
void set_extents(dse_op& k, const Tensor::Image& in, const Tensor::Image& out);
/// act_min and act_max of a fused activation at the output's type, scale and zero point.
void set_activation(Derivation& d);

}  // namespace dse::nn
