// Versions of TensorFlow Lite's operators: an interpreter refuses an operator that is newer than it knows. The numbers
// are those that the format's own converter writes (tensorflow/lite/tools/versioning).
#include <algorithm>

#include "models/nn/tflite/codes.h"
#include "models/nn/tflite/write/writing.h"

namespace dse::nn {
namespace {

/// Versions for INT8, INT16 and all other types.
struct ByType {
  std::int32_t int8, int16, other = 1;
};
std::int32_t pick(const ByType& v, DataType t) {
  return t == DataType::int8 ? v.int8 : t == DataType::int16 ? v.int16 : v.other;
}

}  // namespace

std::int32_t tflite_version(const Network& n, const Operator& op, const TfliteOperator& written) {
  const auto tensor = [&](int t) -> const Tensor& { return n.tensors[static_cast<std::size_t>(t)]; };
  const OperatorOptions& o = op.options;
  const Tensor& in = tensor(op.inputs[0]);
  const DataType type = in.type;
  const std::size_t rank = in.shape.size();
  if (written.builtin == *builtin_of(OperatorKind::reshape)) return 1;
  const bool biased = op.inputs.size() > 2 && op.inputs[2] >= 0;
  switch (op.kind) {
    case OperatorKind::conv_2d:
      if (tensor(op.inputs[1]).shape.back() != in.shape.back()) return 6;
      return pick({3, 4}, type);
    case OperatorKind::depthwise_conv_2d:
      return pick({3, 5, o.dilation_h != 1 || o.dilation_w != 1 ? 2 : 1}, type);
    case OperatorKind::fully_connected:
      if (type == DataType::int16) return 7;
      if (!biased) return 6;
      if (tensor(op.outputs[0]).shape.size() > 2) return 5;
      return pick({4, 7}, type);
    case OperatorKind::transpose_conv:
      if (o.activation != Activation::none) return 4;
      return biased ? 3 : tensor(op.inputs[1]).type == DataType::int8 ? 2 : 1;
    case OperatorKind::svdf:
      return pick({3, 1}, type);
    case OperatorKind::add:
      return pick({2, 3}, type);
    case OperatorKind::sub:
      return pick({2, 5}, type);
    case OperatorKind::mul: {
      const auto scale = [&](int t) {
        const auto& s = tensor(t).quantization.scale;
        return s.empty() ? 0.0 : static_cast<double>(s[0]);
      };
      if (type == DataType::int16) return 4;
      const double made = scale(op.outputs[0]);
      if (made != 0 && scale(op.inputs[0]) * scale(op.inputs[1]) / made >= 1) return 3;
      return pick({2, 4}, type);
    }
    case OperatorKind::transpose:
      return rank > 5 ? 6 : type == DataType::int16 ? 5 : rank > 4 ? 4 : pick({2, 5}, type);
    case OperatorKind::split:
      return written.builtin == builtin::split ? pick({2, 4, type == DataType::int32 ? 3 : 1}, type)
                                               : pick({2, 1}, type);
    case OperatorKind::slice:
      return rank > 4 ? 5 : pick({2, 4}, type);
    case OperatorKind::strided_slice: {
      const auto* options = written.options.AsStridedSliceOptions();
      if (options && options->new_axis_mask != 0) return 6;
      return rank > 4 ? 4 : pick({2, 1}, type);
    }
    case OperatorKind::unpack:
      return pick({2, 4, type == DataType::uint8 ? 2 : 1}, type);
    case OperatorKind::pack:
    case OperatorKind::concatenation:
    case OperatorKind::softmax:
    case OperatorKind::mean:
    case OperatorKind::mirror_pad:
    case OperatorKind::reduce_max:
    case OperatorKind::reduce_min:
    case OperatorKind::relu6:
    case OperatorKind::max_pool_2d:
    case OperatorKind::average_pool_2d:
    case OperatorKind::tanh:
    case OperatorKind::logistic:
    case OperatorKind::batch_matmul:
      return pick({2, 3}, type);
    case OperatorKind::pad:
      return rank > 4 ? 4 : pick({2, 3}, type);
    case OperatorKind::quantize:
      return tensor(op.outputs[0]).type == DataType::int16 ? 2 : 1;
    case OperatorKind::dequantize:
      return type == DataType::int8 && in.quantization.scale.size() > 1 ? 5 : pick({2, 3}, type);
    case OperatorKind::abs:
    case OperatorKind::relu:
      return pick({2, 3, type == DataType::uint8 ? 2 : 1}, type);
    case OperatorKind::resize_bilinear:
      return type == DataType::int16 ? 4 : o.half_pixel_centers ? 3 : pick({2, 4}, type);
    case OperatorKind::resize_nearest_neighbor:
      return type == DataType::int16 ? 4 : o.half_pixel_centers || o.align_corners ? 3 : pick({2, 4}, type);
    case OperatorKind::maximum:
    case OperatorKind::minimum:
      return type == DataType::int16 ? 4 : rank > 4 ? 3 : pick({2, 4}, type);
    case OperatorKind::leaky_relu:
      return pick({1, 2}, type);
    case OperatorKind::l2_normalization:
    case OperatorKind::arg_max:
    case OperatorKind::arg_min:
    case OperatorKind::sum:
    case OperatorKind::log_softmax:
    case OperatorKind::squared_difference:
      return pick({2, 1}, type);
    case OperatorKind::unidirectional_sequence_lstm:
      return pick({1, 5}, type);
    default:
      return 1;
  }
}

}  // namespace dse::nn
