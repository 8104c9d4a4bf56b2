#include "plan/npu/decompose/to_graph.h"

#include <algorithm>

#include "base/index.h"
#include "plan/npu/decompose/builder.h"
#include "plan/npu/supported.h"

namespace dse::plan::npu {
namespace {

using nn::OperatorFamily;
using nn::OperatorKind;

void add_operator(Builder& b) {
  const nn::Operator& op = b.op();
  switch (nn::family_of(op.kind)) {
    case OperatorFamily::convolution:
    case OperatorFamily::fully_connected:
      return add_product(b);
    case OperatorFamily::transpose_conv:
      return add_transpose_conv(b);
    case OperatorFamily::pool:
    case OperatorFamily::global_pool:
      return add_pool(b);
    case OperatorFamily::reduction:
      return add_mean(b);
    case OperatorFamily::binary:
      return add_elementwise(b);
    case OperatorFamily::copy:
      return add_view(b);
    case OperatorFamily::concatenation:
      return add_concatenation(b);
    case OperatorFamily::split:
      return add_split(b);
    case OperatorFamily::resize:
      return add_resize(b);
    case OperatorFamily::softmax:
      return add_softmax(b);
    case OperatorFamily::lstm:
      return add_lstm(b);
    case OperatorFamily::quantize:
      return add_requantize(b);
    default:
      break;
  }
  switch (op.kind) {
    case OperatorKind::abs:
    case OperatorKind::leaky_relu:
      return add_elementwise(b);
    case OperatorKind::logistic:
    case OperatorKind::tanh:
    case OperatorKind::hard_swish:
      return add_table(b);
    default:
      return add_relu(b);
  }
}

/// Whether somebody sees a tensor in another shape than it has, copies it as it lies, or sums 32 bits.
void find_linear(Graph& g, const hw::ethos_u::Accelerator& a) {
  for (std::size_t i = 0; i < g.operations.size(); ++i) {
    const Operation& op = g.operations[i];
    const auto reads = [&](int t, const Shape& seen) {
      if (t < 0) return;
      Tensor& x = g.tensors[index(t)];
      x.consumers.push_back(static_cast<int>(i));
      if (x.shape != seen || op.function == Function::copy) x.linear = true;
      if (op.function == Function::reduce_sum && (x.bits == 32 || a.cores > 1)) x.linear = true;
    };
    reads(op.ifm, op.ifm_shape), reads(op.ifm2, op.ifm2_shape);
    Tensor& out = g.tensors[index(op.ofm)];
    out.producers.push_back(static_cast<int>(i));
    if (out.shape != op.ofm_shape || op.function == Function::copy || op.variable_write) out.linear = true;
  }
}

/// Of two operands the one that stripes can follow comes first: a constant or a stretched one does not change with the
/// rows.
void put_followed_first(Graph& g) {
  for (Operation& op : g.operations) {
    if (!hw::ethos_u::is_binary(op.function)) continue;
    const auto single = [&](int t) { return g.tensors[index(t)].constant; };
    if (!single(op.ifm) || single(op.ifm2) || op.ifm2_shape != op.ofm_shape) continue;
    std::swap(op.ifm, op.ifm2), std::swap(op.ifm_shape, op.ifm2_shape);
    op.swapped = true;
  }
}

}  // namespace

Graph to_graph(const nn::Network& network, const hw::ethos_u::Accelerator& accelerator) {
  Builder b(network, accelerator);
  int begun = 0;
  const auto close = [&] {
    const int end = static_cast<int>(b.graph().operations.size());
    if (end > begun) b.graph().segments.emplace_back(begun, end);
    begun = end;
  };
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    b.begin(static_cast<int>(i));
    const std::string why = why_not(network, b.op());
    if (why.empty()) {
      add_operator(b);
      continue;
    }
    close();
    b.fall_back(why);
  }
  close();
  put_followed_first(b.graph());
  find_linear(b.graph(), accelerator);
  return std::move(b.graph());
}

}  // namespace dse::plan::npu
