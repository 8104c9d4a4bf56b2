// Operators that compute every output from the elements at its place, and those that only move or rescale values.
#include <algorithm>

#include "base/index.h"
#include "plan/npu/decompose/builder.h"

namespace dse::plan::npu {
namespace {

using nn::OperatorKind;

Function function_of(OperatorKind k) {
  switch (k) {
    case OperatorKind::add:
      return Function::add;
    case OperatorKind::sub:
      return Function::sub;
    case OperatorKind::mul:
      return Function::mul;
    case OperatorKind::minimum:
      return Function::minimum;
    case OperatorKind::maximum:
      return Function::maximum;
    case OperatorKind::abs:
      return Function::abs;
    default:
      return Function::leaky_relu;
  }
}

/// Whether an activation can be done by the operation that makes its input: it has none, and nobody else looks.
Operation* to_fuse_with(Builder& b, int ifm) {
  Graph& g = b.graph();
  if (g.operations.empty() || g.tensors[index(ifm)].persists) return nullptr;
  if (b.network().consumers(b.op().inputs[0]).size() != 1) return nullptr;
  Operation* made = nullptr;
  for (Operation& op : g.operations)
    if (op.ofm == ifm) {
      if (made) return nullptr;
      made = &op;
    }
  return made && made->activation == Activation::none && made->unit() != Unit::copy && !made->writes_slice ? made
                                                                                                           : nullptr;
}

void fuse(Builder& b, Operation& op, Activation activation, std::int64_t table_bytes) {
  op.activation = activation, op.table_bytes = table_bytes;
  op.ofm = b.tensor(b.op().outputs[0]);
  op.fused = b.current();
}

}  // namespace

void add_elementwise(Builder& b) {
  const nn::Operator& source = b.op();
  const int a = b.tensor(source.inputs[0]), second = source.inputs.size() > 1 ? b.tensor(source.inputs[1]) : -1;
  const int out = b.tensor(source.outputs[0]);
  const auto single = [&](std::size_t i) { return b.source(source.inputs[i]).shape.empty(); };
  Operation& op = b.add(function_of(source.kind), a, out, second);
  op.scalar = second >= 0 && (single(0) || single(1));
  if (source.options.activation != nn::Activation::none) op.activation = Activation::relu;
}

void add_table(Builder& b) {
  const nn::Operator& source = b.op();
  const int ifm = b.tensor(source.inputs[0]);
  if (b.graph().tensors[index(ifm)].bits == 16) {
    b.add_nop(ifm, b.tensor(source.outputs[0])).activation = Activation::curve;
    return;
  }
  constexpr std::int64_t kBytes = 256;
  // Where tables share their banks with accumulators, they only work element by element.
  Operation* before = to_fuse_with(b, ifm);
  if (before && (b.accelerator().reserved_end_banks() > 0 || before->unit() == Unit::elementwise))
    return fuse(b, *before, Activation::table, kBytes);
  const int out = b.tensor(source.outputs[0]);
  Operation& op = b.add(Function::add, ifm, out, b.constant("zero", {1, 1, 1, 1}, 8));
  op.scalar = true;
  op.activation = Activation::table, op.table_bytes = kBytes;
}

void add_relu(Builder& b) {
  const nn::Operator& source = b.op();
  const int ifm = b.tensor(source.inputs[0]);
  const bool same = nn::same_scales(b.source(source.inputs[0]), b.source(source.outputs[0]));
  if (Operation* before = same ? to_fuse_with(b, ifm) : nullptr) return fuse(b, *before, Activation::relu, 0);
  b.add_nop(ifm, b.tensor(source.outputs[0])).activation = Activation::relu;
}

void add_requantize(Builder& b) { b.add_nop(b.tensor(b.op().inputs[0]), b.tensor(b.op().outputs[0])); }

void add_view(Builder& b) {
  const nn::Operator& source = b.op();
  const int from = source.inputs[0], to = source.outputs[0];
  Graph& g = b.graph();
  const int ifm = b.tensor(from);
  const bool made_here =
      std::any_of(g.operations.begin(), g.operations.end(), [&](const Operation& op) { return op.ofm == ifm; });
  if (made_here && !g.tensors[index(ifm)].persists && b.network().consumers(from).size() == 1) {
    // What is made is the reshaped tensor at once.
    Tensor& t = g.tensors[index(ifm)];
    const Shape before = t.shape;
    b.stands_for(to, ifm);
    const nn::Tensor& n = b.source(to);
    t.name = n.name, t.shape = shape_of(n), t.source = to;
    const auto& outputs = b.network().outputs;
    t.persists = t.output = std::find(outputs.begin(), outputs.end(), to) != outputs.end();
    t.linear = t.linear || t.shape != before;
    return;
  }
  Operation& op = b.add(Function::copy, ifm, b.tensor(to));
  op.ifm_shape = op.ofm_shape;
}

void add_concatenation(Builder& b) {
  const nn::Operator& source = b.op();
  const int out = b.tensor(source.outputs[0]);
  const bool channels = source.options.axis + 1 == static_cast<int>(b.source(source.outputs[0]).shape.size());
  int offset = 0, call = 0;
  for (const int in : source.inputs) {
    Operation& op = b.add_nop(b.tensor(in), out);
    op.write = op.ifm_shape, op.writes_slice = true;
    op.call = call++;
    if (channels && offset % 16) b.graph().tensors[index(out)].linear = true;
    offset += op.ifm_shape.c;
  }
}

void add_split(Builder& b) {
  const nn::Operator& source = b.op();
  const int in = b.tensor(source.inputs[0]);
  b.graph().tensors[index(in)].linear = true;
  int call = 0;
  for (const int out : source.outputs) {
    Operation& op = b.add_nop(in, b.tensor(out));
    op.call = call++;
    op.read = op.ofm_shape;
  }
}

void add_resize(Builder& b) {
  const nn::Operator& source = b.op();
  int ifm = b.tensor(source.inputs[0]);
  const int ofm = b.tensor(source.outputs[0]);
  const Shape out = b.graph().tensors[index(ofm)].shape;
  // Doubled as it is read; larger factors are several steps, the last of which averages.
  const bool bilinear = source.kind == nn::OperatorKind::resize_bilinear;
  for (int step = 0;; ++step) {
    const Shape in = b.graph().tensors[index(ifm)].shape;
    const bool last = in.h * 2 >= out.h && in.w * 2 >= out.w;
    const int to = last ? ofm : b.between("twice" + std::to_string(step), {1, in.h * 2, in.w * 2, in.c}, 8);
    Operation& op = b.add_nop(ifm, to);
    op.upscale = Upscale::nearest;
    if (bilinear && last) op.kernel.h = op.kernel.w = 2;
    if (last) return;
    ifm = to;
  }
}

}  // namespace dse::plan::npu
