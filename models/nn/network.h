// A quantised network: verified graph + constants, immutable once built. Knows nothing of hardware.
#pragma once
#include <array>
#include <cstdint>
#include <map>
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
  /// Q formats, weights only: the integer factor that the weights were divided by, per tensor or per channel; real =
  /// scale * q * correction.
  std::vector<std::int32_t> correction{};
};

/// Values of a constant that a file gives by a rule instead of by bytes (or that are made up: weights of files that
/// come without). Element i depends on i alone, so nothing needs to be expanded before it is used.
struct Fill {
  enum class Kind { value, he_normal };
  Kind kind = Kind::value;
  double value = 0;         // Kind::value: every element
  std::uint64_t seed = 0;   // Kind::he_normal: see fill.h
  std::int64_t fan_in = 1;  // Kind::he_normal: standard deviation sqrt(2 / fan_in)
};

enum class TensorKind { input, activation, constant, variable };

struct Tensor {
  std::string name;
  std::vector<std::int64_t>
      shape;  // NHWC for images; constants: OHWI (conv), 1HWO (depthwise), [out, in] (fully connected)
  DataType type = DataType::int8;
  TensorKind kind = TensorKind::activation;
  Quantization quantization;
  std::vector<std::uint8_t> data;  // constants, raw little endian; variables: the initial value (empty: all zero
                                   // points)
  std::optional<Fill> fill;        // constants: instead of `data`
  bool opaque = false;             // of a type that is not known: how many bytes it takes is not, either
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
  softmax,
  // From here on in alphabetical order. The numbers are part of stored files: new kinds go to the end.
  abs,
  add_n,  // ONNX Sum
  arg_max,
  arg_min,
  assign_variable,  // {value} -> {variable}
  batch_matmul,
  batch_normalization,  // {x, scale, bias, mean, variance}
  clip,
  concatenation,
  dequantize,
  div,
  dropout,  // the identity
  elu,
  expand_dims,
  gemm,  // ONNX Gemm: alpha * A' * B' + beta * C
  global_average_pool,
  global_max_pool,
  hard_swish,
  identity,
  l2_normalization,
  leaky_relu,
  log_softmax,
  logistic,
  lrn,
  maximum,
  mean,
  minimum,
  mirror_pad,
  mul,
  pack,
  pad,  // PAD, PADV2
  prelu,
  quantize,
  read_variable,  // {variable} -> {value}
  reduce_max,
  reduce_min,
  relu,
  relu6,
  relu_n1_to_1,
  resize_bilinear,
  resize_nearest_neighbor,
  slice,
  split,  // SPLIT, SPLIT_V
  squared_difference,
  squeeze,
  strided_slice,
  sub,
  sum,
  svdf,
  tanh,
  transpose,
  transpose_conv,                // ifm, weights OHWI, bias or -1; the output tensor gives the output's shape
  unidirectional_sequence_lstm,  // 24 inputs as TFLite lists them
  unpack,
  hard_sigmoid,
  neg,
  other  // an operator that we can show but not run; Operator::type names it
};
constexpr int operator_kinds = static_cast<int>(OperatorKind::other) + 1;
/// Upper-case TFLite names ("CONV_2D").
const char* name_of(OperatorKind k);
/// Lower-case names of the field for YAML keys and operator names: conv, depthwise, fully_connected, add, ...
const char* key_of(OperatorKind k);

enum class Activation { none, relu, relu6, relu_n1_to_1 };

enum class Rounding { tflite, single, onnx, qformat };
/// "tflite", "single", "onnx", "qformat".
const char* name_of(Rounding r);
enum class Correction { round_then_correct, correct_then_round };

/// Everything of an operator that does not depend on the tensors: filled where it applies. Operands that the file gives
/// as constant tensors but that say what to do rather than what to compute with (axes, shapes, paddings, permutations)
/// are read by the importer and stand here, not among the inputs.
struct OperatorOptions {
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  bool same_padding = false;
  int filter_h = 0, filter_w = 0;  // pools
  Activation activation = Activation::none;
  int depth_multiplier = 1;
  float beta = 1.0f;  // softmax; GEMM; LRN
  Rounding rounding = Rounding::tflite;
  Correction correction = Correction::round_then_correct;
  int groups = 1;
  bool channels_first = false;  // [N, C, H, W] (ONNX as read); else [N, H, W, C]
  /// Padding of windows in elements; same_padding does not apply then.
  bool explicit_padding = false;
  int pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool ceil_mode = false, count_include_pad = false;
  float alpha = 0;                   // leaky_relu, elu, hard_sigmoid; GEMM; LRN
  float epsilon = 0;                 // batch_normalization
  float bias = 0;                    // LRN
  int size = 0;                      // LRN
  float clip_min = 0, clip_max = 0;  // clip; pad: clip_min = the value where no tensor gives it
  bool keep_dims = false;
  bool align_corners = false, half_pixel_centers = false;
  bool adj_x = false, adj_y = false;  // batch_matmul, GEMM: transposed operands
  bool time_major = false;            // LSTM
  float cell_clip = 0;                // LSTM, 0 = none
  bool mirror_symmetric = false;      // mirror_pad: SYMMETRIC, else REFLECT
  int rank = 1;                       // SVDF
  int axis = 0;                    // concatenation, split, pack, unpack, softmax, arg_max, flatten: >= 0 after import
  std::vector<std::int64_t> axes;  // reductions, squeeze, expand_dims: >= 0 and ascending after import
  std::vector<std::int64_t> permutation;            // transpose
  std::vector<std::int64_t> begin, end, strides;    // slices, one entry per input dimension: end exclusive, strides
                                                    // may be negative (end -1: through element 0)
  std::vector<std::int64_t> pad_before, pad_after;  // pad, mirror_pad: one entry per dimension
  std::vector<std::int64_t> sizes;                  // split: extents of the parts along `axis`
};

/// Calls f(name, field) for every field of OperatorOptions, in a fixed order: the one list for hashing and storing.
template <class Options, class F>
void for_each_option(Options& o, F&& f) {
  f("stride_h", o.stride_h), f("stride_w", o.stride_w), f("dilation_h", o.dilation_h), f("dilation_w", o.dilation_w);
  f("same_padding", o.same_padding), f("filter_h", o.filter_h), f("filter_w", o.filter_w);
  f("activation", o.activation), f("depth_multiplier", o.depth_multiplier), f("beta", o.beta);
  f("rounding", o.rounding), f("correction", o.correction), f("groups", o.groups);
  f("channels_first", o.channels_first), f("explicit_padding", o.explicit_padding), f("pad_top", o.pad_top);
  f("pad_left", o.pad_left), f("pad_bottom", o.pad_bottom), f("pad_right", o.pad_right), f("ceil_mode", o.ceil_mode);
  f("count_include_pad", o.count_include_pad), f("alpha", o.alpha), f("epsilon", o.epsilon), f("bias", o.bias);
  f("size", o.size), f("clip_min", o.clip_min), f("clip_max", o.clip_max), f("keep_dims", o.keep_dims);
  f("align_corners", o.align_corners), f("half_pixel_centers", o.half_pixel_centers), f("adj_x", o.adj_x);
  f("adj_y", o.adj_y), f("time_major", o.time_major), f("cell_clip", o.cell_clip);
  f("mirror_symmetric", o.mirror_symmetric), f("rank", o.rank), f("axis", o.axis), f("axes", o.axes);
  f("permutation", o.permutation), f("begin", o.begin), f("end", o.end), f("strides", o.strides);
  f("pad_before", o.pad_before), f("pad_after", o.pad_after), f("sizes", o.sizes);
}

/// One call of a kernel. Most operators are one; batches, the parts of a concatenation or a split are several.
struct KernelCall {
  struct Operand {
    bool present = false;
    int tensor = -1;          // -1: the operator's own constants of that role (WEIGHTS, QPARAMS, LUT) or scratch
    std::int64_t offset = 0;  // bytes from the operand's first element
    dse_view view{};          // `base` is not set
  };
  dse_op op{};
  dse_tile tile{};  // the whole call
  std::array<Operand, DSE_ROLES> operands{};
};

/// How an operator is computed: by the kernels (and so deployable), in float by evaluate_float(), or not at all.
enum class Evaluation { kernel, floating, none };

struct Operator {
  OperatorKind kind = OperatorKind::conv_2d;
  std::string type;         // name in the source format ("Conv", "CONV_2D"); empty: name_of(kind)
  std::string name;         // unique, stable: "conv3", "depthwise1", ... (key_of + running number per kind, from 0)
  std::vector<int> inputs;  // tensor indices; activations first: conv/depthwise/fc = {ifm, weights, bias or -1}
  std::vector<int> outputs;
  OperatorOptions options;

  // Derived by finish_network:
  Evaluation evaluation = Evaluation::none;
  std::string unsupported;   // Evaluation::none, or priced: why
  std::int64_t cycles = -1;  // >= 0: priced (price.h), not computed
  /// Kernel parameters derived from shapes, quantisation and options (zero points, activation range, multipliers,
  /// padding); of the first call where there are several.
  dse_op kernel{};
  std::vector<KernelCall> calls;  // in order; every call reads only what is made before it
  /// Records of 12 (acc_bytes 8: 16) bytes per output channel as DSE_QPARAMS wants them, in 32-bit words; SVDF, LSTM:
  /// see their kernels.
  std::vector<std::int32_t> channel_params;
  std::vector<std::uint8_t> table;    // DSE_LUT
  std::vector<std::uint8_t> weights;  // DSE_WEIGHTS where it is not a plain reordering of one tensor (SVDF, LSTM)
  std::int64_t macs = 0;              // multiply-accumulates of convolutions, matrix products, SVDF, LSTM; else 0
};

/// Something that import did to a network (models/nn/rewrite), for people.
struct Rewrite {
  std::string what;   // "pad", "mean", "transpose"
  std::string where;  // the operator in the file: its name
  std::string text;   // what became of it
};

/// An operator of the file that a cut leaves to the host (models/nn/graph/cut.h).
struct HostOperator {
  std::string name, type;  // as in Operator; the type in the source format
  std::string why;         // it is not the device's
  bool before = false;     // it runs before the device does, else after it
};

class Network {
 public:
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in execution order: every input is made before it is read
  std::vector<int> inputs, outputs;
  std::vector<Rewrite> rewrites;   // in the order in which they were done
  std::vector<HostOperator> host;  // of a network that was cut as it was read: in the file's order

  std::int64_t macs() const;
  std::int64_t parameters() const;  // elements of all constants
  /// 16 hex digits over operators, options, shapes and data types; not over weights and scales (a plan outlives
  /// retraining).
  std::string structure_hash() const;
  int producer(int tensor) const;                // operator index, -1 for inputs and constants
  std::vector<int> consumers(int tensor) const;  // operator indices in order
};

using NetworkPtr = std::shared_ptr<const Network>;

/// What a reader of networks accepts.
struct LoadOptions {
  bool allow_float = false;       // operators in float32: for inference, inspection and quantisation
  bool keep_unsupported = false;  // operators that cannot be run: for inspection
  std::map<std::string, std::vector<std::int64_t>> shapes;  // ONNX: input name -> shape, where the file leaves it open
  bool prefer_float = false;  // YAML networks, which have no weights of their own: as float32
  bool as_in_file = false;    // every operator of the file, not rewritten (models/nn/rewrite)
  /// Only the part that integer kernels can run, Network::host names the rest (models/nn/graph/cut.h). Goes before
  /// allow_float and keep_unsupported.
  bool cut = false;
  /// Operators that cannot be run as black boxes (price.h): type or name -> cycles of the engine that computes.
  std::map<std::string, std::int64_t> costs;
  bool several = false;    // networks are read with these costs, so that each need not name an operator of each one
  bool offer_cut = false;  // where a network cannot run as a whole, a note tells what a cut would keep
};

/// Adds "input=1x3x224x224" to the shapes. @returns what is wrong with the text, empty when nothing is.
std::string add_shape(const std::string& text, LoadOptions& options);

/// Reads `.tflite`, `.onnx`, `.dsenet` or `.yaml` by extension; every problem goes to `diags`. @returns null on error.
NetworkPtr load_network(const std::string& path, Diagnostics& diags, const LoadOptions& options = {});

/// Derives what the comment in Operator says and checks shapes, types, quantisation and order. Used by all importers as
/// their last step. Operators that cannot be run are errors unless `options` keeps them. @returns null on error.
NetworkPtr finish_network(Network network, Diagnostics& diags, const std::string& file,
                          const LoadOptions& options = {});

/// The bytes behind DSE_WEIGHTS: conv/depthwise/fc as [output channel][tap][input channel of its group] in the weights'
/// type (depthwise: one input channel), Operator::weights where that is set.
std::vector<std::uint8_t> filter_major_weights(const Network& n, const Operator& op);

/// Bytes of every tensor, by tensor index; constants are empty.
using TensorBytes = std::vector<std::vector<std::uint8_t>>;

/// Values of the variables between runs of a network, by tensor index (others empty).
TensorBytes initial_state(const Network& n);

/// Runs the whole network once with the reference kernels (float32 operators: evaluate_float). `inputs`: raw bytes per
/// network input. `state` is read and updated. @returns bytes of every tensor (variables: after the run).
/// @throws InvariantError when the inputs do not fit or an operator cannot be run.
TensorBytes interpret(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs, TensorBytes& state);
/// The same from the initial state, which is not kept.
TensorBytes interpret(const Network& n, const std::vector<std::vector<std::uint8_t>>& inputs);

/// Golden inputs: state = 0x7F1A2E5D00000000 + 1000003*seed + 7919*ordinal + 104729*step; one splitmix64 draw per
/// element, int8 = draw >> 56.
std::vector<std::uint8_t> seeded_input(const Tensor& t, int ordinal, std::uint64_t seed, std::uint64_t step = 0);

}  // namespace dse::nn
