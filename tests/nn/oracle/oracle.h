// A slow integer oracle: every operator written down once more, element by element, from the published arithmetic
// alone. It shares no code with the library: whole N-dimensional tensors, wide integers, exact divisions. What it
// cannot say it refuses by throwing; sums that would leave the 32-bit accumulator throw `std::overflow_error`.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dse::nn::oracle {

enum class Type { i8, u8, i16, i32, i64, f32, boolean };
std::int64_t bytes_of(Type t);
std::int64_t lowest(Type t);
std::int64_t highest(Type t);

/// Row-major. Integers (and booleans) live in `q`, floats in `f`. No scale: not quantised. One scale: per tensor;
/// several: one for each index of `axis`.
struct Tensor {
  std::vector<std::int64_t> shape;
  Type type = Type::i8;
  std::vector<float> scale;
  std::vector<std::int64_t> zero;
  int axis = 0;
  std::vector<std::int64_t> q;
  std::vector<float> f;

  std::int64_t elements() const;
  /// Scale and zero point of channel c (the only one if per tensor; 0 without one).
  float s(std::int64_t c = 0) const;
  std::int64_t z(std::int64_t c = 0) const;
  std::int64_t dim(std::size_t i) const { return shape.at(i); }
  std::vector<std::uint8_t> bytes() const;
  void set_bytes(const std::vector<std::uint8_t>& raw);
};

/// The rounding modes of docs/how/arithmetic.md.
enum class Mode { tflite, single, onnx, qformat };
enum class Activation { none, relu, relu6, relu_n1_to_1 };
enum class Padding { same, valid, given };

struct Options {
  Mode mode = Mode::tflite;
  int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  Padding padding = Padding::valid;
  int pad_top = 0, pad_left = 0;  // Padding::given; the output's shape says where the image ends
  int pad_bottom = 0, pad_right = 0;
  int filter_h = 1, filter_w = 1;  // pools
  bool count_include_pad = false;  // onnx average pools
  Activation activation = Activation::none;
  int depth_multiplier = 1;
  float beta = 1, alpha = 0, cell_clip = 0;  // alpha also of ELU, in mode onnx only
  float clip_min = 0, clip_max = 0;          // CLIP
  bool adj_x = false, adj_y = false, keep_dims = false, align_corners = false, half_pixel_centers = false;
  bool time_major = false;
  bool symmetric = false;  // MIRROR_PAD: symmetric instead of reflect
  int axis = 0, rank = 1;
  int begin_mask = 0, end_mask = 0, shrink_axis_mask = 0;  // STRIDED_SLICE
  std::vector<std::int64_t> correction;                    // qformat: f[c] per output channel; empty: 1
  bool correct_then_round = false;                         // qformat
};

/// What a stateful operator keeps from one run to the next, by the name the operator gives it.
using State = std::map<std::string, std::vector<std::int64_t>>;

/// Runs one operator. `kind`: TFLite's upper-case name ("CONV_2D"). `inputs`: as in TFLite, null for an absent one.
/// `outputs`: shape, type and quantisation of each output, filled by the call. `state` must be given for SVDF and
/// UNIDIRECTIONAL_SEQUENCE_LSTM. @throws std::invalid_argument for what the oracle does not know.
void run(const std::string& kind, const Options& options, const std::vector<const Tensor*>& inputs,
         std::vector<Tensor>& outputs, State* state = nullptr);

}  // namespace dse::nn::oracle
