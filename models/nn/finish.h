// Parts of finish_network: one function per family of operators derives the kernel parameters from tensors and options.
#pragma once
#include <string>

#include "models/nn/network.h"

namespace dse::nn {

/// Limits of what is accepted at all, so that no product of extents overflows.
inline constexpr std::int64_t max_elements = std::int64_t{64} << 20;
inline constexpr int max_window = 1 << 15;  // strides, dilations and kernel extents

/// What a derivation sees: the operator to fill, its network, and where to complain.
class Derivation {
 public:
  Derivation(const Network& n, Operator& op, std::string where, std::string file, Diagnostics& d)
      : network(n), op(op), where_(std::move(where)), file_(std::move(file)), diags_(d) {}

  const Network& network;
  Operator& op;

  /// Reports `operator 3 (CONV_2D): what`. @returns false, so that a check reads `return d.fail(...)`.
  bool fail(const std::string& what, const std::string& hint = {});
  const Tensor& tensor(int index) const { return network.tensors[static_cast<std::size_t>(index)]; }
  const Tensor& input(std::size_t i = 0) const { return tensor(op.inputs[i]); }
  const Tensor& output() const { return tensor(op.outputs[0]); }
  /// An int8 tensor with one finite scale > 0 and one zero point in [-128, 127].
  bool quantized_int8(int index, const char* role);
  /// The tensor is [1, H, W, C].
  bool image_of_batch_1(int index, const char* role);
  /// The output has this shape.
  bool output_is(const std::vector<std::int64_t>& shape);

 private:
  std::string where_, file_;
  Diagnostics& diags_;
};

float scale_of(const Tensor& t);
std::int32_t zero_of(const Tensor& t);
/// "[1, 2, 3]"
std::string text_of(const std::vector<std::int64_t>& shape);

bool derive_convolution(Derivation& d);  // CONV_2D, DEPTHWISE_CONV_2D
bool derive_fully_connected(Derivation& d);
bool derive_add(Derivation& d);
bool derive_pool(Derivation& d);
bool derive_reshape(Derivation& d);
bool derive_softmax(Derivation& d);

/// Shared by the operators with weights: checks weights and bias, fills `channel_params`. `real(c)` is the real
/// multiplier.
/// @param channel_axis axis of the weights' per-channel scales.
bool derive_channel_params(Derivation& d, std::int64_t channels, int channel_axis, bool float_product);
/// Extents, strides and padding of a window over [1, H, W, C]; checks the output's height and width. Sets `op.kernel`.
bool derive_window(Derivation& d, std::int64_t kernel_h, std::int64_t kernel_w, std::int64_t out_c);

}  // namespace dse::nn
