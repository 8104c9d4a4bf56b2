// Nodes whose result is known when the file is read: constants, shapes, and arithmetic on small integers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn::onnx_import {
namespace {

using Values = std::vector<std::int64_t>;
constexpr std::int64_t max_written = std::int64_t{1} << 24;  // integers that are written out one by one

bool make(Reader& r, Node& n, const Values& values, Shape shape, DataType type) {
  return bind_values(r, n, values, std::move(shape), type);
}

bool fold_shape(Reader& r, Node& n) {
  const Shape& in = r.shape(n, 0);
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto limit = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + rank : v, 0, rank); };
  const std::int64_t start = limit(std::max(n.integer("start", 0), -rank));
  const std::int64_t end = limit(std::max(n.integer("end", rank), -rank));
  const Values values(in.begin() + start, in.begin() + std::max(start, end));
  const auto count = static_cast<std::int64_t>(values.size());
  return make(r, n, values, {count}, DataType::int64);
}

bool fold_constant(Reader& r, Node& n) {
  if (const auto* value = n.attribute("value")) {
    Tensor t;
    std::string why;
    if (!read_tensor(value->t(), t, why)) return n.fail("value: " + why), true;
    r.bind(n, 0, r.add(std::move(t)));
    return true;
  }
  if (n.attribute("value_int")) return make(r, n, {n.integer("value_int", 0)}, {}, DataType::int64);
  if (const auto list = n.integers("value_ints")) {
    const auto count = static_cast<std::int64_t>(list->size());
    return make(r, n, *list, {count}, DataType::int64);
  }
  auto floats = n.numbers("value_floats");
  const bool scalar = !floats && n.attribute("value_float");
  if (scalar) floats = std::vector<float>{n.number("value_float", 0)};
  if (!floats) return false;  // text and the like
  Tensor t;
  t.kind = TensorKind::constant;
  t.type = DataType::float32;
  if (!scalar) t.shape = {static_cast<std::int64_t>(floats->size())};
  t.data.resize(4 * floats->size());
  if (!floats->empty()) std::memcpy(t.data.data(), floats->data(), t.data.size());
  r.bind(n, 0, r.add(std::move(t)));
  return true;
}

bool fold_constant_of_shape(Reader& r, Node& n) {
  if (!n.has(0)) return false;
  const auto shape = r.integers(n.inputs[0]);
  if (!shape) return false;
  Tensor t;
  t.type = DataType::float32;
  t.kind = TensorKind::constant;
  double value = 0;
  if (const auto* given = n.attribute("value")) {
    Tensor v;
    std::string why;
    if (!read_tensor(given->t(), v, why)) return n.fail("value: " + why), true;
    if (v.elements() != 1) return n.fail(fmt::format("value has {} elements, not 1", v.elements())), true;
    t.type = v.type;
    const int at = r.add(std::move(v));
    if (const auto f = r.numbers(at)) value = static_cast<double>(f->front());
    if (const auto i = r.integers(at)) value = static_cast<double>(i->front());
  }
  if (shape->size() > 8) return n.fail(fmt::format("{} dimensions", shape->size())), true;
  std::int64_t elements = 1;
  for (const auto d : *shape) {
    if (d < 1 || d > max_constant_elements / elements)
      return n.fail(fmt::format("shape {} is empty or has more than {} M elements", text_of(*shape),
                                max_constant_elements >> 20)),
             true;
    elements *= d;
  }
  t.shape = *shape;
  if (t.type == DataType::float32) {
    t.fill = Fill{Fill::Kind::value, value, 0, 1};
    r.bind(n, 0, r.add(std::move(t)));
    return true;
  }
  // Integers are shapes and indices: few, and looked into.
  if (elements > max_written) return false;
  return make(r, n, Values(static_cast<std::size_t>(elements), static_cast<std::int64_t>(value)), *shape, t.type);
}

/// Reshape, Flatten, Squeeze, Unsqueeze, Identity of a constant of any size: the same contents in another shape.
bool fold_reshape(Reader& r, Node& n) {
  static constexpr const char* types[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
  const std::string& type = n.proto->op_type();
  if (std::find(std::begin(types), std::end(types), type) == std::end(types)) return false;
  const Converter* c = find_converter(type, "");
  const auto inputs = static_cast<int>(n.inputs.size());
  if (inputs < c->min_inputs || inputs > c->max_inputs) return false;
  Node probe = n;
  probe.op.kind = c->kind;
  if (!c->convert(r, probe)) return n.fail(probe.bad), true;
  if (!probe.op.unsupported.empty()) return false;
  const Shape& in = r.shape(n, 0);
  std::vector<Shape> shapes;
  if (!probe.shapes.empty()) {
    shapes = probe.shapes;
  } else {
    Network scratch;
    scratch.tensors = {Tensor{}, Tensor{}};
    scratch.tensors[0].shape = in;
    scratch.tensors[1].kind = TensorKind::constant;
    probe.op.inputs = {0};
    probe.op.outputs = {1};
    std::string why;
    if (!infer_shapes(scratch, probe.op, shapes, why)) return n.fail(why), true;
  }
  r.bind(n, 0, r.reshaped(n.inputs[0], shapes[0]));
  return true;
}

bool fold_transpose(Reader& r, Node& n) {
  Node probe = n;
  probe.op.kind = OperatorKind::transpose;
  if (!convert_transpose(r, probe)) return n.fail(probe.bad), true;
  Network scratch;
  scratch.tensors = {r.tensor(n.inputs[0]), Tensor{}};
  scratch.tensors[1].kind = TensorKind::constant;
  probe.op.inputs = {0};
  probe.op.outputs = {1};
  std::vector<Shape> shapes;
  std::string why;
  if (!infer_shapes(scratch, probe.op, shapes, why)) return n.fail(why), true;
  const Tensor& from = scratch.tensors[0];
  Tensor to = from;
  to.shape = shapes[0];
  to.name = r.fresh_name(from.name);
  if (from.fill && from.fill->kind != Fill::Kind::value) return false;
  if (!from.fill) {
    const std::size_t rank = from.shape.size(), size = static_cast<std::size_t>(size_of(from.type));
    std::vector<std::size_t> stride(rank, size), step(rank), index(rank, 0);
    for (std::size_t d = rank; d-- > 1;) stride[d - 1] = stride[d] * static_cast<std::size_t>(from.shape[d]);
    for (std::size_t d = 0; d < rank; ++d) step[d] = stride[static_cast<std::size_t>(probe.op.options.permutation[d])];
    std::size_t source = 0;
    for (std::size_t at = 0; at < to.data.size(); at += size) {
      std::memcpy(to.data.data() + at, from.data.data() + source, size);
      for (std::size_t d = rank; d-- > 0;) {
        source += step[d];
        if (++index[d] < static_cast<std::size_t>(to.shape[d])) break;
        source -= step[d] * index[d];
        index[d] = 0;
      }
    }
  }
  r.bind(n, 0, r.add(std::move(to)));
  return true;
}

}  // namespace

bool fold_constants(Reader& r, Node& n) {
  const std::string& type = n.proto->op_type();
  if (type == "Constant") return fold_constant(r, n);
  if (type == "ConstantOfShape") return fold_constant_of_shape(r, n);
  if (!n.has(0)) return false;
  if (type == "Shape") return fold_shape(r, n);
  if (type == "Size") {
    const Shape& in = r.shape(n, 0);
    return make(r, n, {std::accumulate(in.begin(), in.end(), std::int64_t{1}, std::multiplies<>())}, {},
                DataType::int64);
  }
  if (!r.is_constant(n.inputs[0]) || r.tensor(n.inputs[0]).opaque) return false;
  if (type == "Transpose") return n.inputs.size() == 1 && fold_transpose(r, n);
  return fold_pieces(r, n) || fold_numbers(r, n) || fold_reshape(r, n);
}

}  // namespace dse::nn::onnx_import
