// Pools, and means as convolutions of ones.
#include <algorithm>

#include "base/index.h"
#include "plan/npu/decompose/builder.h"

namespace dse::plan::npu {

void add_pool(Builder& b) {
  const nn::Operator& source = b.op();
  const nn::OperatorOptions& o = source.options;
  const bool largest = source.kind == nn::OperatorKind::max_pool_2d || source.kind == nn::OperatorKind::global_max_pool;
  Operation& op = b.add(largest ? Function::max_pool : Function::average_pool, b.tensor(source.inputs[0]),
                        b.tensor(source.outputs[0]));
  const bool all =
      source.kind == nn::OperatorKind::global_average_pool || source.kind == nn::OperatorKind::global_max_pool;
  op.kernel.h = all ? op.ifm_shape.h : o.filter_h, op.kernel.w = all ? op.ifm_shape.w : o.filter_w;
  // A window that covers the whole input moves nowhere.
  const bool still = op.kernel.h == op.ifm_shape.h && op.kernel.w == op.ifm_shape.w && op.ofm_shape.area() == 1;
  op.kernel.stride_h = all || (still && o.stride_h > 3) ? 1 : o.stride_h;
  op.kernel.stride_w = all || (still && o.stride_w > 3) ? 1 : o.stride_w;
  const auto rows =
      zeros_around(op.ifm_shape.h, op.ofm_shape.h, op.kernel.stride_h, op.kernel.h, o.same_padding, o.pad_top);
  const auto columns =
      zeros_around(op.ifm_shape.w, op.ofm_shape.w, op.kernel.stride_w, op.kernel.w, o.same_padding, o.pad_left);
  op.padding = {rows.first, columns.first, rows.second, columns.second};
  if (o.activation != nn::Activation::none) op.activation = Activation::relu;
}

void add_mean(Builder& b) {
  const nn::Operator& source = b.op();
  Operation& op = b.add(Function::depthwise, b.tensor(source.inputs[0]), b.tensor(source.outputs[0]));
  op.kernel.h = op.ifm_shape.h, op.kernel.w = op.ifm_shape.w;
  op.ofm_shape = {1, 1, 1, op.ifm_shape.c};
  Weights ones{.h = op.kernel.h,
               .w = op.kernel.w,
               .in = 1,
               .out = op.ifm_shape.c,
               .values = {},
               .input_bits = 8,
               .depthwise = true,
               .original_bytes = 0,
               .dilation_h = 1,
               .dilation_w = 1,
               .own = {}};
  ones.values.assign(index(ones.h) * index(ones.w) * index(ones.out), 1);
  ones.original_bytes = static_cast<std::int64_t>(ones.values.size());
  op.weights = std::make_shared<Weights>(std::move(ones));
  op.has_bias = true;
}

}  // namespace dse::plan::npu
