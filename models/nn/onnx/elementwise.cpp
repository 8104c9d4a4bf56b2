// Element-wise operators of ONNX, normalisations, matrix products.
#include <fmt/format.h>

#include <limits>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {

bool convert_unary(Reader&, Node& n) {
  OperatorOptions& o = n.op.options;
  if (n.op.kind == OperatorKind::elu) o.alpha = n.number("alpha", 1.0f);
  if (n.op.kind == OperatorKind::leaky_relu) o.alpha = n.number("alpha", 0.01f);
  if (n.op.kind == OperatorKind::hard_sigmoid) o.alpha = n.number("alpha", 0.2f), o.beta = n.number("beta", 0.5f);
  return true;
}

bool convert_binary(Reader& r, Node& n) {
  if (r.tensor(n.inputs[0]).type != r.tensor(n.inputs[1]).type) return n.fail("its operands have different types");
  return true;
}

/// Max, Min and Sum of any number of operands.
bool convert_extreme(Reader& r, Node& n) {
  for (std::size_t i = 0; i < n.inputs.size(); ++i) {
    if (!n.has(i)) return n.fail(fmt::format("its input {} is left out", i));
    if (r.tensor(n.inputs[i]).type != r.tensor(n.inputs[0]).type) return n.fail("its operands have different types");
  }
  if (n.op.kind == OperatorKind::add_n) return true;
  if (n.inputs.size() == 1) n.op.kind = OperatorKind::identity;
  if (n.inputs.size() > 2) return n.unsupported(fmt::format("{} operands, at most 2 are supported", n.inputs.size()));
  return true;
}

bool convert_clip(Reader& r, Node& n) {
  OperatorOptions& o = n.op.options;
  o.clip_min = n.number("min", std::numeric_limits<float>::lowest());
  o.clip_max = n.number("max", std::numeric_limits<float>::max());
  n.op.inputs = {n.inputs[0]};
  n.operands_set = true;
  for (std::size_t i = 1; i < 3; ++i) {
    if (!n.has(i)) continue;
    const auto limit = r.numbers(n.inputs[i]);
    if (!limit || limit->size() != 1) return n.unsupported("its limits are not constant numbers");
    (i == 1 ? o.clip_min : o.clip_max) = limit->front();
  }
  return true;
}

bool convert_cast(Reader& r, Node& n) {
  const auto to = element_type(static_cast<int>(n.integer("to", 0)));
  n.type = to;
  const DataType from = r.tensor(n.inputs[0]).type;
  if (!to || *to != from)
    return n.unsupported(
        fmt::format("from {} to {}", name_of(from), to ? name_of(*to) : "a type that is not supported"));
  return true;
}

bool convert_dropout(Reader& r, Node& n) {
  n.op.inputs = {n.inputs[0]};
  n.operands_set = true;
  if (!n.has(2)) return true;
  const auto training = r.integers(n.inputs[2]);
  if (!training || training->size() != 1 || training->front() != 0) return n.unsupported("in training mode");
  return true;
}

bool convert_softmax(Reader& r, Node& n) {
  const Shape& in = r.shape(n, 0);
  std::int64_t axis = n.integer("axis", n.opset < 13 ? 1 : -1);
  if (!normalise_axis(n, axis, in.size())) return false;
  // Before opset 13 everything from the axis on is one row.
  std::size_t real = static_cast<std::size_t>(axis), long_axes = 0;
  if (n.opset < 13) {
    for (std::size_t d = static_cast<std::size_t>(axis); d < in.size(); ++d)
      if (in[d] > 1) real = d, ++long_axes;
    if (long_axes > 1) return n.unsupported(fmt::format("over all of {} from axis {} on", text_of(in), axis));
  }
  n.op.options.axis = static_cast<int>(real);
  return true;
}

bool convert_lrn(Reader&, Node& n) {
  OperatorOptions& o = n.op.options;
  o.channels_first = true;
  o.alpha = n.number("alpha", 1e-4f);
  o.beta = n.number("beta", 0.75f);
  o.bias = n.number("bias", 1.0f);
  const std::int64_t size = n.integer("size", 0);
  if (size < 1 || size > max_elements) return n.fail(fmt::format("size {}", size));
  o.size = static_cast<int>(size);
  return true;
}

bool convert_batch_normalization(Reader& r, Node& n) {
  n.op.options.channels_first = true;
  n.op.options.epsilon = n.number("epsilon", 1e-5f);
  if (n.flag("training_mode", false)) return n.unsupported("in training mode");
  if (!n.flag("spatial", true)) return n.unsupported("one parameter per element");
  for (std::size_t i = 1; i < 5; ++i)
    if (!r.is_constant(n.inputs[i])) return n.unsupported("its parameters are not constant");
  return true;
}

bool convert_gemm(Reader&, Node& n) {
  OperatorOptions& o = n.op.options;
  o.alpha = n.number("alpha", 1.0f);
  o.beta = n.number("beta", 1.0f);
  o.adj_x = n.flag("transA", false);
  o.adj_y = n.flag("transB", false);
  return true;
}

bool convert_matmul(Reader& r, Node& n) {
  if (r.shape(n, 0).size() < 2 || r.shape(n, 1).size() < 2) return n.unsupported("a vector as operand");
  return true;
}

}  // namespace dse::nn::onnx_import
