// Operators of a network: what the file says of them, and the kernel calls that compute them.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/nn/kernels/dse_kernels.h"
#include "models/nn/operator_kind.h"

namespace dse::nn {

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
  /// Products in Q formats: batches of outputs that share a factor each, which is found as they are made (dynamic
  /// rescaling, kernels/dse_factors.h); 0: the store goes by the output's format (static rescaling).
  std::int64_t output_batches = 0;
  int block = 1;          // circulant layers: size b of their blocks
  bool spectral = false;  // and their weights are Fourier transforms, packed as circulant/real_fft.h says
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
  f("output_batches", o.output_batches), f("block", o.block), f("spectral", o.spectral);
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
  std::string type;  // name in the source format ("Conv", "CONV_2D"); empty: name_of(kind)
  std::string name;  // unique, stable: "conv3", "depthwise1", ... (key_of + running number per kind, from 0)
  /// Tensor indices; activations first: conv/depthwise/fc = {ifm, weights, bias or -1} and, where the ifm has factors
  /// (graph/sums/factors.h), these.
  std::vector<int> inputs;
  std::vector<int> outputs;  // conv/depthwise/fc in `output_batches`: {ofm, its factors}
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
  int sum_bits = 0;                   // its sums of products fit so many, whatever it reads (graph/sums/sum_bits.h)
  std::int64_t macs = 0;              // multiply-accumulates of convolutions, matrix products, SVDF, LSTM; else 0

  /// Output channels that a scale of the weights is of, where there are several: a row of circulant blocks has one.
  std::size_t channels_per_scale() const { return is_circulant(kind) ? static_cast<std::size_t>(options.block) : 1; }
};

}  // namespace dse::nn
