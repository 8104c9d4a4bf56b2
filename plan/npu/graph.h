// What an Ethos-U does of a network: its operators as operations of the NPU, and the tensors between them. Operators
// that the NPU does not have are taken apart (softmax: 31 operations), those that it cannot do at all stay with the CPU
// and say why.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/ethos_u/job.h"
#include "models/nn/network.h"

namespace dse::plan::npu {

using hw::ethos_u::Activation;
using hw::ethos_u::Format;
using hw::ethos_u::Function;
using hw::ethos_u::Kernel;
using hw::ethos_u::Shape;
using hw::ethos_u::Unit;
using hw::ethos_u::Upscale;

/// How the operator's own weights, [h][w][in] of a channel (filter_major_weights()), lie among those that the NPU
/// multiplies: columns folded into channels, gaps of zeros between taps, taps in reverse.
struct Arrangement {
  int h = 1, w = 1, in = 1;
  int before = 0, by = 1;  // columns of zeros before them; so many columns became one
  int gap_h = 1, gap_w = 1;
  bool backwards = false;
};

/// Weights as the NPU multiplies them: without zero points, so 9 bits and a sign.
struct Weights {
  int h = 1, w = 1, in = 1, out = 1;  // depthwise: in 1, out = channels
  std::vector<std::int16_t> values;   // [out][h][w][in]
  int input_bits = 8;
  bool depthwise = false;
  std::int64_t original_bytes = 0;
  int dilation_h = 1, dilation_w = 1;
  Arrangement own;
};
using WeightsPtr = std::shared_ptr<const Weights>;

struct Tensor {
  std::string name;
  Shape shape;
  int bits = 8;
  bool constant = false;                  // lies with the weights
  bool persists = false;                  // input or output of the network, or on the CPU's side: whole, channels last
  bool input = false;                     // of the network: there before anything runs
  bool output = false;                    // of the network: there when all has run, whoever reads it
  bool on_cpu = false;                    // an operator of the CPU reads or makes it
  bool variable = false;                  // keeps its value from one inference to the next
  bool linear = false;                    // somebody sees it in another shape, or in parts: channels last
  int source = -1;                        // tensor of the network; -1: between the pieces of an operator
  std::vector<int> producers, consumers;  // operations
};

/// Zeros around the input.
struct Padding {
  int top = 0, left = 0, bottom = 0, right = 0;
};

struct Operation {
  std::string name;
  Function function = Function::conv;
  Activation activation = Activation::none;
  int source = -1;  // operator of the network
  int fused = -1;   // operator whose activation it does as well
  int call = 0;     // of the operator's kernel calls, where each operation is one
  int ifm = -1, ifm2 = -1, ofm = -1;
  Shape ifm_shape, ifm2_shape, ofm_shape;  // as this operation sees them
  std::optional<Shape> read, write;        // of a part of `ifm`, of `ofm`
  Kernel kernel;
  Padding padding;
  Upscale upscale = Upscale::none;
  bool scalar = false, scaled = true, has_bias = false;
  bool swapped = false;          // `ifm` is the operator's second operand: the one that stripes can follow
  bool writes_slice = false;     // into a tensor that others write, too
  bool variable_write = false;   // into a variable
  std::int64_t table_bytes = 0;  // of the activation's table
  WeightsPtr weights;
  // Quantisation, as registers have it; multipliers without weights, which bring their own.
  int ifm_zero = 0, ifm2_zero = 0, ofm_zero = 0, activation_min = -128, activation_max = 127;
  std::uint32_t multiplier = 0, multiplier1 = 0, multiplier2 = 0;

  Unit unit() const { return hw::ethos_u::unit_of(function); }
};

/// An operator that the CPU runs, and why.
struct Fallback {
  int source = -1;
  std::string why;
  int before = 0;            // operation of the NPU that runs next
  std::vector<int> tensors;  // that it touches
};

struct Graph {
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;  // in the order in which they run
  std::vector<Fallback> fallbacks;
  std::vector<int> of_network;  // by tensor of the network: the one that stands for it, -1: none
  /// Operations [first, second) between two operators of the CPU: one invocation of the NPU.
  std::vector<std::pair<int, int>> segments;
};

/// Rows x columns x channels of a tensor as the NPU sees it.
Shape shape_of(const nn::Tensor& t);

}  // namespace dse::plan::npu
