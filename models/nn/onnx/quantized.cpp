// Quantised operators of ONNX: scales and zero points are operands there and belong to the tensors here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

/// Scale and zero point as constants; an empty zero point (-1) is 0. Unsupported when they are not constant.
std::optional<Quantization> quantization_of(Reader& r, Node& n, std::size_t scale, std::size_t zero, int axis) {
  const auto s = r.numbers(n.inputs[scale]);
  std::optional<std::vector<std::int64_t>> z = std::vector<std::int64_t>{};
  if (n.has(zero)) z = r.integers(n.inputs[zero]);
  if (!s || !z) {
    n.unsupported("its scales or zero points are not constant");
    return std::nullopt;
  }
  if (z->empty()) z->assign(s->size(), 0);
  if (z->size() == 1) z->resize(s->size(), z->front());
  if (s->empty() || z->size() != s->size()) {
    n.fail(fmt::format("{} scales and {} zero points", s->size(), z->size()));
    return std::nullopt;
  }
  for (const float v : *s)
    if (!std::isfinite(v) || v < 0) {
      n.fail(fmt::format("a scale of {}", v));
      return std::nullopt;
    }
  return Quantization{*s, *z, s->size() > 1 ? axis : 0};
}

bool equal(const Quantization& a, const Quantization& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point && a.axis == b.axis;
}

/// Gives input `i` of the node its scale and zero point and makes it operand. A constant that is used with different
/// ones becomes two constants. @returns false when the node is malformed or cannot be run.
bool operand(Reader& r, Node& n, std::size_t i, std::size_t scale, std::size_t zero, int axis) {
  const auto q = quantization_of(r, n, scale, zero, axis);
  if (!q) return false;
  int t = n.inputs[i];
  const DataType type = r.tensor(t).type;
  if (type != DataType::int8 && type != DataType::uint8 && type != DataType::int32 && type != DataType::int16)
    return n.fail(fmt::format("input {} has type {}", i, name_of(type)));
  if (n.has(zero) && r.tensor(n.inputs[zero]).type != type)
    return n.fail(fmt::format("input {} has type {}, its zero point {}", i, name_of(type),
                              name_of(r.tensor(n.inputs[zero]).type)));
  const auto channels = static_cast<std::int64_t>(q->scale.size());
  const Shape& shape = r.tensor(t).shape;
  const bool has_axis = axis >= 0 && axis < static_cast<int>(shape.size());
  if (channels > 1 && (!has_axis || shape[static_cast<std::size_t>(axis)] != channels))
    return n.fail(fmt::format("{} scales for axis {} of {}", channels, axis, text_of(shape)));
  const Quantization& known = r.tensor(t).quantization;
  if (!known.scale.empty() && !equal(known, *q)) {
    if (!r.is_constant(t)) {
      n.unsupported(fmt::format("'{}' is read with two scales or zero points", r.tensor(t).name));
      return false;
    }
    t = r.reshaped(t, Shape(shape));
  }
  r.tensor(t).quantization = *q;
  n.op.inputs.push_back(t);
  n.operands_set = true;
  return true;
}

/// False for a node that is only unsupported, too: what a conversion returns then.
bool verdict(const Node& n) { return n.bad.empty(); }

/// What newer opsets have added to the two conversions, where it says something else than ours compute.
bool says_more(Node& n, std::initializer_list<int> types) {
  if (n.integer("block_size", 0) != 0) return n.unsupported("one scale per block");
  const auto type = static_cast<int>(n.integer("output_dtype", 0));
  if (type != 0 && std::find(types.begin(), types.end(), type) == types.end())
    return n.unsupported(fmt::format("an output of type {}", element_type_name(type)));
  const auto precision = static_cast<int>(n.integer("precision", 0));
  if (precision != 0 && precision != onnx::TensorProto::FLOAT)
    return n.unsupported(fmt::format("computed in {}", element_type_name(precision)));
  return false;
}

/// The output's type where no zero point tells it.
DataType untold_type(Node& n) {
  const auto said = static_cast<int>(n.integer("output_dtype", 0));
  return said == 0 ? DataType::uint8 : element_type(said).value_or(DataType::uint8);
}

/// Scale, zero point and type of the output.
bool result(Reader& r, Node& n, std::size_t scale, std::size_t zero) {
  n.quantization = quantization_of(r, n, scale, zero, 0);
  if (!n.quantization) return false;
  if (n.quantization->scale.size() != 1) return n.unsupported("its output has one scale per channel"), false;
  n.type = n.has(zero) ? r.tensor(n.inputs[zero]).type : untold_type(n);
  if (*n.type == DataType::int8 || *n.type == DataType::uint8 || *n.type == DataType::int16) return true;
  return n.fail(fmt::format("its output has type {}", name_of(*n.type)));
}

}  // namespace

bool convert_quantize(Reader& r, Node& n) {
  if (says_more(n, {onnx::TensorProto::UINT8, onnx::TensorProto::INT8, onnx::TensorProto::INT16})) return true;
  n.op.inputs = {n.inputs[0]};
  n.operands_set = true;
  const Shape& in = r.shape(n, 0);
  std::int64_t axis = n.integer("axis", 1);
  if (r.tensor(n.inputs[0]).type != DataType::float32) return n.unsupported("its input is not FLOAT32");
  if (const auto scales = r.numbers(n.inputs[1]); scales && scales->size() > 1 && r.is_constant(n.inputs[0])) {
    if (!normalise_axis(n, axis, in.size())) return false;
    n.quantization = quantization_of(r, n, 1, 2, static_cast<int>(axis));
    if (!n.quantization) return verdict(n);
    n.type = n.has(2) ? r.tensor(n.inputs[2]).type : untold_type(n);
    return *n.type == DataType::int8 || *n.type == DataType::uint8 || n.fail("its zero points are of no 8-bit type");
  }
  result(r, n, 1, 2);
  return verdict(n);
}

bool convert_dequantize(Reader& r, Node& n) {
  if (says_more(n, {onnx::TensorProto::FLOAT})) return true;
  n.type = DataType::float32;
  std::int64_t axis = n.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(r.shape(n, 0).size());
  // The axis means nothing for one scale, and its default is outside a vector's dimensions.
  if (axis < 0) axis += rank;
  if (axis >= rank) axis = 0;
  operand(r, n, 0, 1, 2, static_cast<int>(axis));
  return verdict(n);
}

bool convert_qlinear_conv(Reader& r, Node& n) {
  if (!operand(r, n, 0, 1, 2, -1) || !operand(r, n, 3, 4, 5, 0) || !result(r, n, 6, 7)) return verdict(n);
  n.op.inputs.push_back(n.has(8) ? n.inputs[8] : -1);
  // The window reads the shapes of inputs 0 and 1.
  Node plain = n;
  plain.inputs = n.op.inputs;
  const bool ok = convert_conv(r, plain);
  plain.inputs = n.inputs;
  n = std::move(plain);
  return ok;
}

bool convert_qlinear_matmul(Reader& r, Node& n) {
  const auto columns = static_cast<int>(r.shape(n, 3).size()) - 1;
  if (!operand(r, n, 0, 1, 2, -1) || !operand(r, n, 3, 4, 5, columns) || !result(r, n, 6, 7)) return verdict(n);
  if (r.shape(n, 0).size() < 2 || r.shape(n, 3).size() < 2) return n.unsupported("a vector as operand");
  return true;
}

bool convert_qlinear_binary(Reader& r, Node& n) {
  if (operand(r, n, 0, 1, 2, -1) && operand(r, n, 3, 4, 5, -1)) result(r, n, 6, 7);
  return verdict(n);
}

bool convert_qlinear_unary(Reader& r, Node& n) {
  if (!operand(r, n, 0, 1, 2, -1) || !result(r, n, 3, 4)) return verdict(n);
  if (n.op.kind != OperatorKind::average_pool_2d) return convert_unary(r, n);
  return n.flag("channels_last", false) ? n.unsupported("channels_last") : convert_pool(r, n);
}

bool convert_qlinear_global_average_pool(Reader& r, Node& n) {
  if (operand(r, n, 0, 1, 2, -1)) result(r, n, 3, 4);
  n.op.options.channels_first = !n.flag("channels_last", false);
  if (!n.op.options.channels_first && n.op.unsupported.empty()) n.unsupported("channels_last");
  return verdict(n);
}

bool convert_qlinear_concat(Reader& r, Node& n) {
  if (n.inputs.size() % 3 != 2) return n.fail(fmt::format("has {} inputs, not 2 and 3 per part", n.inputs.size()));
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    if (!n.has(i)) return n.fail(fmt::format("its input {} is left out", i));
  if (!result(r, n, 0, 1)) return verdict(n);
  for (std::size_t i = 2; i < n.inputs.size(); i += 3)
    if (!operand(r, n, i, i + 1, i + 2, -1)) return verdict(n);
  std::int64_t axis = n.integer("axis", 0);
  if (!n.attribute("axis")) return n.fail("has no axis");
  if (!normalise_axis(n, axis, r.shape(n, 2).size())) return false;
  n.op.options.axis = static_cast<int>(axis);
  return true;
}

}  // namespace dse::nn::onnx_import
