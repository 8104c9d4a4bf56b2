// Option tables of operators, for the writer.
#include "models/nn/tflite/codes.h"
#include "models/nn/tflite/write/writing.h"

namespace dse::nn {
namespace {

namespace fb = tflite;

fb::ActivationFunctionType activation_of(const OperatorOptions& o) {
  switch (o.activation) {
    case Activation::none:
      return fb::ActivationFunctionType::NONE;
    case Activation::relu:
      return fb::ActivationFunctionType::RELU;
    case Activation::relu6:
      return fb::ActivationFunctionType::RELU6;
    case Activation::relu_n1_to_1:
      return fb::ActivationFunctionType::RELU_N1_TO_1;
  }
  return fb::ActivationFunctionType::NONE;
}

template <class O>
O windowed(const OperatorOptions& from) {
  O o;
  o.padding = from.same_padding ? fb::Padding::SAME : fb::Padding::VALID;
  o.stride_h = from.stride_h, o.stride_w = from.stride_w;
  o.fused_activation_function = activation_of(from);
  return o;
}

template <class O>
O dilated(const OperatorOptions& from) {
  O o = windowed<O>(from);
  o.dilation_h_factor = from.dilation_h, o.dilation_w_factor = from.dilation_w;
  return o;
}

template <class O>
O activated(const OperatorOptions& from) {
  O o;
  o.fused_activation_function = activation_of(from);
  return o;
}

/// ADD and SUB of INT16: in general scales, not in powers of two.
template <class O>
O summed(const OperatorOptions& from) {
  O o = activated<O>(from);
  o.pot_scale_int16 = false;
  return o;
}

template <class O>
O resized(const OperatorOptions& from) {
  O o;
  o.align_corners = from.align_corners, o.half_pixel_centers = from.half_pixel_centers;
  return o;
}

template <class O>
O of_axis(const OperatorOptions& from) {
  O o;
  o.axis = from.axis;
  return o;
}

template <class O>
O of_parts(std::size_t parts) {
  O o;
  o.num_splits = static_cast<std::int32_t>(parts);
  return o;
}

template <class O>
fb::BuiltinOptionsUnion with(O options) {
  fb::BuiltinOptionsUnion u;
  u.Set(std::move(options));
  return u;
}

fb::BuiltinOptionsUnion depthwise(const Network& n, const Operator& op, const OperatorOptions& from) {
  auto o = dilated<fb::DepthwiseConv2DOptionsT>(from);
  const auto channels = [&](int t) { return n.tensors[static_cast<std::size_t>(t)].shape.back(); };
  o.depth_multiplier = static_cast<std::int32_t>(channels(op.outputs[0]) / channels(op.inputs[0]));
  return with(o);
}

fb::BuiltinOptionsUnion pool(const OperatorOptions& from) {
  auto o = windowed<fb::Pool2DOptionsT>(from);
  o.filter_height = from.filter_h, o.filter_width = from.filter_w;
  return with(o);
}

fb::BuiltinOptionsUnion fully_connected(const Network& n, const Operator& op) {
  auto o = activated<fb::FullyConnectedOptionsT>(op.options);
  o.keep_num_dims = n.tensors[static_cast<std::size_t>(op.outputs[0])].shape.size() > 2;
  return with(o);
}

fb::BuiltinOptionsUnion lstm(const OperatorOptions& from) {
  fb::UnidirectionalSequenceLSTMOptionsT o;
  o.fused_activation_function = fb::ActivationFunctionType::TANH;
  o.time_major = from.time_major, o.cell_clip = from.cell_clip;
  return with(o);
}

fb::BuiltinOptionsUnion reshape(const Tensor& made) {
  fb::ReshapeOptionsT o;
  o.new_shape.assign(made.shape.begin(), made.shape.end());
  return with(std::move(o));
}

}  // namespace

fb::BuiltinOptionsUnion tflite_options(const Network& n, const Operator& op, const TfliteOperator& written) {
  OperatorOptions from = op.options;
  from.same_padding = written.same_padding;
  const std::int32_t builtin = written.builtin;
  const Tensor& out = n.tensors[static_cast<std::size_t>(op.outputs[0])];
  if (builtin == *builtin_of(OperatorKind::reshape)) return reshape(out);
  switch (op.kind) {
    case OperatorKind::conv_2d:
      return with(dilated<fb::Conv2DOptionsT>(from));
    case OperatorKind::depthwise_conv_2d:
      return depthwise(n, op, from);
    case OperatorKind::transpose_conv:
      return with(windowed<fb::TransposeConvOptionsT>(from));
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
      return pool(from);
    case OperatorKind::fully_connected:
      return fully_connected(n, op);
    case OperatorKind::add:
      return with(summed<fb::AddOptionsT>(from));
    case OperatorKind::sub:
      return with(summed<fb::SubOptionsT>(from));
    case OperatorKind::mul:
      return with(activated<fb::MulOptionsT>(from));
    case OperatorKind::div:
      return with(activated<fb::DivOptionsT>(from));
    case OperatorKind::add_n:
      return with(fb::AddNOptionsT{});
    case OperatorKind::concatenation: {
      auto o = of_axis<fb::ConcatenationOptionsT>(from);
      o.fused_activation_function = activation_of(from);
      return with(o);
    }
    case OperatorKind::pack: {
      auto o = of_axis<fb::PackOptionsT>(from);
      o.values_count = static_cast<std::int32_t>(op.inputs.size());
      return with(o);
    }
    case OperatorKind::unpack: {
      auto o = of_axis<fb::UnpackOptionsT>(from);
      o.num = static_cast<std::int32_t>(op.outputs.size());
      return with(o);
    }
    case OperatorKind::split:
      return builtin == builtin::split ? with(of_parts<fb::SplitOptionsT>(op.outputs.size()))
                                       : with(of_parts<fb::SplitVOptionsT>(op.outputs.size()));
    case OperatorKind::softmax: {
      fb::SoftmaxOptionsT o;
      o.beta = from.beta;
      return with(o);
    }
    case OperatorKind::log_softmax:
      return with(fb::LogSoftmaxOptionsT{});
    case OperatorKind::l2_normalization:
      return with(fb::L2NormOptionsT{});
    case OperatorKind::mean:
    case OperatorKind::sum:
    case OperatorKind::reduce_max:
    case OperatorKind::reduce_min: {
      fb::ReducerOptionsT o;
      o.keep_dims = from.keep_dims;
      return with(o);
    }
    case OperatorKind::arg_max: {
      fb::ArgMaxOptionsT o;
      o.output_type = tflite_type(out.type);
      return with(o);
    }
    case OperatorKind::arg_min: {
      fb::ArgMinOptionsT o;
      o.output_type = tflite_type(out.type);
      return with(o);
    }
    case OperatorKind::squeeze: {
      fb::SqueezeOptionsT o;
      o.squeeze_dims.assign(from.axes.begin(), from.axes.end());
      return with(std::move(o));
    }
    case OperatorKind::expand_dims:
      return with(fb::ExpandDimsOptionsT{});
    case OperatorKind::transpose:
      return with(fb::TransposeOptionsT{});
    case OperatorKind::slice:
      return with(fb::SliceOptionsT{});
    case OperatorKind::pad:
      return builtin == builtin::pad ? with(fb::PadOptionsT{}) : with(fb::PadV2OptionsT{});
    case OperatorKind::mirror_pad: {
      fb::MirrorPadOptionsT o;
      o.mode = from.mirror_symmetric ? fb::MirrorPadMode::SYMMETRIC : fb::MirrorPadMode::REFLECT;
      return with(o);
    }
    case OperatorKind::resize_bilinear:
      return with(resized<fb::ResizeBilinearOptionsT>(from));
    case OperatorKind::resize_nearest_neighbor:
      return with(resized<fb::ResizeNearestNeighborOptionsT>(from));
    case OperatorKind::leaky_relu: {
      fb::LeakyReluOptionsT o;
      o.alpha = from.alpha;
      return with(o);
    }
    case OperatorKind::batch_matmul: {
      fb::BatchMatMulOptionsT o;
      o.adj_x = from.adj_x, o.adj_y = from.adj_y;
      return with(o);
    }
    case OperatorKind::svdf: {
      fb::SVDFOptionsT o;
      o.rank = from.rank;
      return with(o);
    }
    case OperatorKind::unidirectional_sequence_lstm:
      return lstm(from);
    case OperatorKind::maximum:
    case OperatorKind::minimum:
      return with(fb::MaximumMinimumOptionsT{});
    case OperatorKind::squared_difference:
      return with(fb::SquaredDifferenceOptionsT{});
    case OperatorKind::neg:
      return with(fb::NegOptionsT{});
    case OperatorKind::abs:
      return with(fb::AbsOptionsT{});
    case OperatorKind::hard_swish:
      return with(fb::HardSwishOptionsT{});
    case OperatorKind::quantize:
      return with(fb::QuantizeOptionsT{});
    case OperatorKind::dequantize:
      return with(fb::DequantizeOptionsT{});
    case OperatorKind::read_variable:
      return with(fb::ReadVariableOptionsT{});
    case OperatorKind::assign_variable:
      return with(fb::AssignVariableOptionsT{});
    default:  // RELU and its like have no table
      return {};
  }
}

}  // namespace dse::nn
