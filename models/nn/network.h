// A quantised network: verified graph + constants, immutable once built. Knows nothing of hardware.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "models/nn/kernels/dse_kernels.h"

namespace dse::nn {

enum class DataType { int8, uint8, int16, int32, int64, float32, boolean };
std::int64_t size_of(DataType t);
/// Upper-case TFLite names ("INT8"), as in golden `tensors.json`.
const char* name_of(DataType t);

/// Per-tensor (one entry) or per-channel (one entry per index of `axis`) affine quantisation: real = scale * (q -
/// zero_point).
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  int axis = 0;
};

enum class TensorKind { input, activation, constant, variable };

struct Tensor {
  std::string name;
  std::vector<std::int64_t>
      shape;  // NHWC for images; constants: OHWI (conv), 1HWO (depthwise), [out, in] (fully connected)
  DataType type = DataType::int8;
  TensorKind kind = TensorKind::activation;
  Quantization quantization;
  std::vector<std::uint8_t> data;  // constants only, raw little endian
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * size_of(type); }
  /// The tensor seen as an image (h, w, c) of batch 1: trailing dimension = channels, the one before = width, all
  /// others = height. [N, K] is N rows, 1 column, K channels; [K] is 1 x 1 x K.
  struct Image {
    std::int64_t h, w, c;
  };
  Image image() const;
};

enum class OperatorKind {
  conv_2d,
  depthwise_conv_2d,
  fully_connected,
  add,
  average_pool_2d,
  max_pool_2d,
  reshape,
  softmax
};
/// Upper-case TFLite names ("CONV_2D").
const char* name_of(OperatorKind k);
/// Lower-case names of the field for YAML keys: conv, depthwise, fully_connected, add, average_pool, max_pool, reshape,
/// softmax.
const char* key_of(OperatorKind k);

enum class Activation { none, relu, relu6, relu_n1_to_1 };

/// Everything of an operator that does not depend on the tensors: filled where it applies.
struct OperatorOptions {
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  bool same_padding = false;
  int filter_h = 0, filter_w = 0;  // pools
  Activation activation = Activation::none;
  int depth_multiplier = 1;
  float beta = 1.0f;  // softmax
};

struct Operator {
  OperatorKind kind = OperatorKind::conv_2d;
  std::string name;         // unique, stable: "conv3", "depthwise1", ... (key_of + running number per kind, from 0)
  std::vector<int> inputs;  // tensor indices; activations first: conv/depthwise/fc = {ifm, weights, bias or -1}
  std::vector<int> outputs;
  OperatorOptions options;
  /// Kernel parameters derived from shapes, quantisation and options (zero points, activation range, multipliers,
  /// padding).
  dse_op kernel{};
  /// Conv, depthwise, fully connected: 3 x int32 per output channel {bias, multiplier, shift} as DSE_QPARAMS wants it.
  std::vector<std::int32_t> channel_params;
  std::int64_t macs = 0;  // convolution, depthwise, fully connected only; else 0
};

class Network {
 public:
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in execution order: every input is made before it is read
  std::vector<int> inputs, outputs;

  std::int64_t macs() const;
  std::int64_t parameters() const;  // elements of all constants
  /// 16 hex digits over operators, options, shapes and data types; not over weights and scales (a plan outlives
  /// retraining).
  std::string structure_hash() const;
  int producer(int tensor) const;                // operator index, -1 for inputs and constants
  std::vector<int> consumers(int tensor) const;  // operator indices in order
};

using NetworkPtr = std::shared_ptr<const Network>;

/// Reads `.tflite` or `.yaml` by extension; every problem goes to `diags`. @returns null on error.
NetworkPtr load_network(const std::string& path, Diagnostics& diags);

/// Derives `kernel`, `channel_params` and `macs` of every operator and checks shapes, types, quantisation and order.
/// Used by all importers as their last step. @returns null on error.
NetworkPtr finish_network(Network network, Diagnostics& diags, const std::string& file);

/// The weights of a conv/depthwise/fc operator as [output channel][tap][input channel] int8 (depthwise: one input
/// channel).
std::vector<std::int8_t> filter_major_weights(const Network& n, const Operator& op);

/// Runs the whole network with the reference kernels. `inputs`: raw bytes per network input.
/// @returns bytes of every tensor (constants empty). @throws InvariantError when the inputs do not fit.
std::vector<std::vector<std::uint8_t>> interpret(const Network& n,
                                                 const std::vector<std::vector<std::uint8_t>>& inputs);

/// Golden inputs: state = 0x7F1A2E5D00000000 + 1000003*seed + 7919*ordinal; one splitmix64 draw per element, int8 =
/// draw >> 56.
std::vector<std::uint8_t> seeded_input(const Tensor& t, int ordinal, std::uint64_t seed);

}  // namespace dse::nn
