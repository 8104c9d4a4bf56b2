// Option tables of TensorFlow Lite's operators.
#include <fmt/format.h>

#include <cmath>

#include "models/nn/tflite/reading.h"

namespace dse::nn {
namespace {

namespace fb = tflite;

class OptionReader {
 public:
  OptionReader(const fb::Operator& from, Operator& op) : from_(from), op_(op), to_(op.options) {}

  void read();

 private:
  void fail(const std::string& what) {
    if (op_.unsupported.empty()) op_.unsupported = what;
  }

  /// Options without which the operator means nothing.
  template <class Options>
  const Options* required() {
    const auto* o = from_.builtin_options_as<Options>();
    if (!o) fail("its options are missing or of another operator");
    return o;
  }

  /// Options that are all at their defaults where the file leaves them out.
  template <class Options>
  const Options* optional() {
    const auto* o = from_.builtin_options_as<Options>();
    if (!o && from_.builtin_options_type() != fb::BuiltinOptions::NONE) fail("its options are of another operator");
    return o;
  }

  void activation(fb::ActivationFunctionType a) {
    switch (a) {
      case fb::ActivationFunctionType::NONE:
        to_.activation = Activation::none;
        return;
      case fb::ActivationFunctionType::RELU:
        to_.activation = Activation::relu;
        return;
      case fb::ActivationFunctionType::RELU6:
        to_.activation = Activation::relu6;
        return;
      case fb::ActivationFunctionType::RELU_N1_TO_1:
        to_.activation = Activation::relu_n1_to_1;
        return;
      default:
        fail(fmt::format("fused activation {} is not supported", static_cast<int>(a)));
    }
  }

  template <class Options>
  void activation_only() {
    if (const auto* o = optional<Options>()) activation(o->fused_activation_function());
  }

  template <class Options>
  const Options* window() {
    const auto* o = required<Options>();
    if (!o) return nullptr;
    to_.stride_h = o->stride_h(), to_.stride_w = o->stride_w();
    if (o->padding() != fb::Padding::SAME && o->padding() != fb::Padding::VALID)
      fail(fmt::format("padding {} is unknown", static_cast<int>(o->padding())));
    to_.same_padding = o->padding() == fb::Padding::SAME;
    activation(o->fused_activation_function());
    return o;
  }

  template <class Options>
  void convolution() {  // the multiplier of a depthwise convolution follows from the shapes
    if (const auto* o = window<Options>())
      to_.dilation_h = o->dilation_h_factor(), to_.dilation_w = o->dilation_w_factor();
  }

  template <class Options>
  void resize() {
    const auto* o = optional<Options>();
    if (!o) return;
    to_.align_corners = o->align_corners(), to_.half_pixel_centers = o->half_pixel_centers();
    if (to_.align_corners && to_.half_pixel_centers) fail("align_corners and half_pixel_centers exclude each other");
  }

  /// A float that takes part in arithmetic: the file may hold anything.
  float finite(float v, const char* what) {
    if (std::isfinite(v)) return v;
    fail(fmt::format("{} is {}", what, v));
    return 0;
  }

  void lstm();

  const fb::Operator& from_;
  Operator& op_;
  OperatorOptions& to_;
};

void OptionReader::lstm() {
  const auto* o = required<fb::UnidirectionalSequenceLSTMOptions>();
  if (!o) return;
  to_.time_major = o->time_major();
  to_.cell_clip = finite(o->cell_clip(), "cell_clip");
  if (to_.cell_clip < 0) fail(fmt::format("cell_clip is {}", to_.cell_clip));
  if (o->fused_activation_function() != fb::ActivationFunctionType::TANH)
    fail(fmt::format("activation {} is not TANH", static_cast<int>(o->fused_activation_function())));
  if (o->diagonal_recurrent_tensors()) fail("diagonal recurrent weights are not supported");
}

void OptionReader::read() {
  switch (op_.kind) {
    case OperatorKind::conv_2d:
      return convolution<fb::Conv2DOptions>();
    case OperatorKind::depthwise_conv_2d:
      return convolution<fb::DepthwiseConv2DOptions>();
    case OperatorKind::transpose_conv:
      window<fb::TransposeConvOptions>();
      return;
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
      if (const auto* o = window<fb::Pool2DOptions>())
        to_.filter_h = o->filter_height(), to_.filter_w = o->filter_width();
      return;
    case OperatorKind::fully_connected:
      if (const auto* o = optional<fb::FullyConnectedOptions>()) {
        if (o->weights_format() != 0) fail("shuffled weights are not supported");
        activation(o->fused_activation_function());
      }
      return;
    case OperatorKind::add:
      return activation_only<fb::AddOptions>();
    case OperatorKind::sub:
      return activation_only<fb::SubOptions>();
    case OperatorKind::mul:
      return activation_only<fb::MulOptions>();
    case OperatorKind::div:
      return activation_only<fb::DivOptions>();
    case OperatorKind::concatenation:
      if (const auto* o = required<fb::ConcatenationOptions>()) {
        to_.axis = o->axis();
        activation(o->fused_activation_function());
      }
      return;
    case OperatorKind::pack:
      if (const auto* o = required<fb::PackOptions>()) to_.axis = o->axis();
      return;
    case OperatorKind::unpack:
      if (const auto* o = required<fb::UnpackOptions>()) to_.axis = o->axis();
      return;
    case OperatorKind::softmax:
      if (const auto* o = required<fb::SoftmaxOptions>()) to_.beta = finite(o->beta(), "beta");
      return;
    case OperatorKind::mean:
    case OperatorKind::sum:
    case OperatorKind::reduce_max:
    case OperatorKind::reduce_min:
      if (const auto* o = optional<fb::ReducerOptions>()) to_.keep_dims = o->keep_dims();
      return;
    case OperatorKind::squeeze:
      if (const auto* o = optional<fb::SqueezeOptions>()) {
        if (length(o->squeeze_dims()) > max_tflite_rank) return fail("has too many dimensions to squeeze");
        if (o->squeeze_dims()) to_.axes.assign(o->squeeze_dims()->begin(), o->squeeze_dims()->end());
      }
      return;
    case OperatorKind::leaky_relu:
      if (const auto* o = required<fb::LeakyReluOptions>()) to_.alpha = finite(o->alpha(), "alpha");
      return;
    case OperatorKind::elu:
      to_.alpha = 1;
      return;
    case OperatorKind::resize_bilinear:
      return resize<fb::ResizeBilinearOptions>();
    case OperatorKind::resize_nearest_neighbor:
      return resize<fb::ResizeNearestNeighborOptions>();
    case OperatorKind::mirror_pad:
      if (const auto* o = required<fb::MirrorPadOptions>()) {
        to_.mirror_symmetric = o->mode() == fb::MirrorPadMode::SYMMETRIC;
        if (!to_.mirror_symmetric && o->mode() != fb::MirrorPadMode::REFLECT)
          fail(fmt::format("mode {} is unknown", static_cast<int>(o->mode())));
      }
      return;
    case OperatorKind::batch_matmul:
      if (const auto* o = optional<fb::BatchMatMulOptions>()) to_.adj_x = o->adj_x(), to_.adj_y = o->adj_y();
      return;
    case OperatorKind::svdf:  // its fused activation is one that interpreters ignore
      if (const auto* o = required<fb::SVDFOptions>()) to_.rank = o->rank();
      return;
    case OperatorKind::unidirectional_sequence_lstm:
      return lstm();
    default:
      return;
  }
}

}  // namespace

void read_tflite_options(const fb::Operator& from, Operator& op) { OptionReader(from, op).read(); }

}  // namespace dse::nn
