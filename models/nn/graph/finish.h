// Parts of finish_network: one function per family of operators derives the kernel parameters from tensors and options.
#pragma once
#include <initializer_list>
#include <string>

#include "models/nn/network.h"

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

/// Names for operators that have none: "conv3", unique and stable.
void name_operators(Network& n);

float scale_of(const Tensor& t);
std::int32_t zero_of(const Tensor& t);
/// "[1, 2, 3]"
std::string text_of(const std::vector<std::int64_t>& shape);

// Each fills `op.kernel` (and `calls`, where the operator is more than one plain call), or says why it cannot.
bool derive_convolution(Derivation& d);  // CONV_2D, DEPTHWISE_CONV_2D
bool derive_fully_connected(Derivation& d);
bool derive_transpose_conv(Derivation& d);
bool derive_batch_matmul(Derivation& d);
bool derive_pool(Derivation& d);    // also global pools
bool derive_binary(Derivation& d);  // ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, PRELU
bool derive_unary(
    Derivation& d);  // RELU and its like, LOGISTIC, TANH, HARD_SWISH, LEAKY_RELU, ELU, ABS, NEG, CLIP, ...
bool derive_quantize(Derivation& d);  // QUANTIZE, DEQUANTIZE
bool derive_softmax(Derivation& d);
bool derive_log_softmax(Derivation& d);
bool derive_l2_normalization(Derivation& d);
bool derive_copy(Derivation& d);       // RESHAPE, SQUEEZE, EXPAND_DIMS, IDENTITY, DROPOUT, READ_ and ASSIGN_VARIABLE
bool derive_parts(Derivation& d);      // CONCATENATION, PACK, SPLIT, UNPACK: one copy (or requantisation) per part
bool derive_gather(Derivation& d);     // TRANSPOSE, SLICE, STRIDED_SLICE
bool derive_pad(Derivation& d);        // PAD, PADV2, MIRROR_PAD
bool derive_reduction(Derivation& d);  // MEAN, SUM, REDUCE_MAX, REDUCE_MIN
bool derive_arg_extreme(Derivation& d);
bool derive_resize(Derivation& d);
bool derive_svdf(Derivation& d);
bool derive_lstm(Derivation& d);
/// An operator in float32: shapes are checked and macs counted; there is no kernel.
bool derive_float(Derivation& d);
/// Appends the call of `op.kernel` over whole tensors with the views of views.h. What derivations of operators that are
/// one such call need not do themselves.
void add_plain_call(const Network& n, Operator& op);
/// enum dse_type of an element type that kernels know; -1 for others.
int kernel_type(DataType t);

/// Extents of input and output; every window parameter 1; the operator's rounding mode.
void set_extents(dse_op& k, const Tensor::Image& in, const Tensor::Image& out);
/// act_min and act_max of a fused activation at the output's type, scale and zero point.
void set_activation(Derivation& d);

/// Shared by the operators with weights: checks weights and bias, fills `channel_params`, activation range and zero
/// point of the weights; `op.kernel` has its types and extents already.
/// @param channel_axis axis of the weights' per-channel scales.
bool derive_channel_params(Derivation& d, std::int64_t channels, int channel_axis);
/// Extents, strides and padding of a window over [N, H, W, C]; checks the output's height and width. Sets `op.kernel`.
bool derive_window(Derivation& d, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t out_c);

}  // namespace dse::nn
