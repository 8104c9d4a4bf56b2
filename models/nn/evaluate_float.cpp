#include "models/nn/evaluate_float.h"

#include "models/nn/float/operands.h"

namespace dse::nn {

void evaluate_float(const Network& n, const Operator& op, TensorBytes& bytes) {
  using namespace floating;
  Call c(n, op, bytes);
  switch (op.kind) {
    case OperatorKind::conv_2d:
    case OperatorKind::depthwise_conv_2d:
      return convolution(c);
    case OperatorKind::transpose_conv:
      return transposed_convolution(c);
    case OperatorKind::fully_connected:
      return floating::fully_connected(c);
    case OperatorKind::gemm:
      return gemm(c);
    case OperatorKind::batch_matmul:
      return batch_matmul(c);
    case OperatorKind::average_pool_2d:
    case OperatorKind::max_pool_2d:
      return pool(c);
    case OperatorKind::global_average_pool:
    case OperatorKind::global_max_pool:
      return global_pool(c);
    case OperatorKind::add:
    case OperatorKind::add_n:
    case OperatorKind::sub:
    case OperatorKind::mul:
    case OperatorKind::div:
    case OperatorKind::maximum:
    case OperatorKind::minimum:
    case OperatorKind::squared_difference:
    case OperatorKind::prelu:
      return binary(c);
    case OperatorKind::relu:
    case OperatorKind::relu6:
    case OperatorKind::relu_n1_to_1:
    case OperatorKind::clip:
    case OperatorKind::logistic:
    case OperatorKind::tanh:
    case OperatorKind::hard_swish:
    case OperatorKind::hard_sigmoid:
    case OperatorKind::leaky_relu:
    case OperatorKind::elu:
    case OperatorKind::abs:
    case OperatorKind::neg:
      return unary(c);
    case OperatorKind::batch_normalization:
      return batch_normalization(c);
    case OperatorKind::softmax:
    case OperatorKind::log_softmax:
      return softmax(c);
    case OperatorKind::lrn:
      return lrn(c);
    case OperatorKind::l2_normalization:
      return l2_normalization(c);
    case OperatorKind::reshape:
    case OperatorKind::squeeze:
    case OperatorKind::expand_dims:
    case OperatorKind::identity:
    case OperatorKind::dropout:
    case OperatorKind::read_variable:
    case OperatorKind::assign_variable:
      return copy(c);
    case OperatorKind::concatenation:
    case OperatorKind::pack:
      return concatenation(c);
    case OperatorKind::split:
    case OperatorKind::unpack:
      return split(c);
    case OperatorKind::transpose:
      return transpose(c);
    case OperatorKind::slice:
    case OperatorKind::strided_slice:
      return slice(c);
    case OperatorKind::pad:
    case OperatorKind::mirror_pad:
      return pad(c);
    case OperatorKind::mean:
    case OperatorKind::sum:
    case OperatorKind::reduce_max:
    case OperatorKind::reduce_min:
      return reduction(c);
    case OperatorKind::arg_max:
    case OperatorKind::arg_min:
      return arg_extreme(c);
    case OperatorKind::resize_bilinear:
    case OperatorKind::resize_nearest_neighbor:
      return resize(c);
    case OperatorKind::svdf:
      return svdf(c);
    default:
      ensure(false, "operator " + op.name + " is not evaluated in float");
  }
}

}  // namespace dse::nn
