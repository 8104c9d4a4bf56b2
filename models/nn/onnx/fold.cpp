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
constexpr std::size_t max_folded = 1 << 16;

/// Values as a constant of int64, int32 or boolean.
Tensor constant_of(const Values& values, Shape shape, DataType type) {
  Tensor t;
  t.kind = TensorKind::constant;
  t.type = type;
  t.shape = std::move(shape);
  const auto size = static_cast<std::size_t>(size_of(type));
  t.data.resize(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(t.data.data() + i * size, &values[i], size);
  return t;
}

bool make(Reader& r, Node& n, const Values& values, Shape shape, DataType type) {
  r.bind(n, 0, r.add(constant_of(values, std::move(shape), type)));
  return true;
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
  t.fill = Fill{Fill::Kind::value, value, 0, 1};
  r.bind(n, 0, r.add(std::move(t)));
  return true;
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

bool fold_gather(Reader& r, Node& n) {
  if (n.inputs.size() != 2) return false;
  const auto data = r.integers(n.inputs[0]), indices = r.integers(n.inputs[1]);
  if (!data || !indices || r.shape(n, 0).size() != 1 || n.integer("axis", 0) != 0) return false;
  Values out;
  const auto count = static_cast<std::int64_t>(data->size());
  for (auto i : *indices) {
    if (i < -count || i >= count) return n.fail(fmt::format("index {} is outside the {} elements", i, count)), true;
    out.push_back((*data)[static_cast<std::size_t>(i < 0 ? i + count : i)]);
  }
  return make(r, n, out, r.shape(n, 1), r.tensor(n.inputs[0]).type);
}

bool fold_concat(Reader& r, Node& n) {
  Values out;
  for (std::size_t i = 0; i < n.inputs.size(); ++i) {
    const auto part = n.has(i) ? r.integers(n.inputs[i]) : std::nullopt;
    if (!part || r.shape(n, i).size() != 1 || out.size() + part->size() > max_folded) return false;
    out.insert(out.end(), part->begin(), part->end());
  }
  if (n.inputs.empty()) return false;
  const auto count = static_cast<std::int64_t>(out.size());
  return make(r, n, out, {count}, r.tensor(n.inputs[0]).type);
}

bool fold_slice(Reader& r, Node& n) {
  const auto data = r.integers(n.inputs[0]);
  if (!data || r.shape(n, 0).size() != 1) return false;
  Node probe = n;
  if (!convert_slice(r, probe)) return n.fail(probe.bad), true;
  if (!probe.op.unsupported.empty()) return false;
  Values out;
  const auto& o = probe.op.options;
  for (std::int64_t i = o.begin[0]; o.strides[0] > 0 ? i < o.end[0] : i > o.end[0]; i += o.strides[0])
    out.push_back(data->at(static_cast<std::size_t>(i)));
  const auto count = static_cast<std::int64_t>(out.size());
  return make(r, n, out, {count}, r.tensor(n.inputs[0]).type);
}

bool fold_cast(Reader& r, Node& n) {
  const auto to = element_type(static_cast<int>(n.integer("to", 0)));
  const auto values = r.integers(n.inputs[0]);
  if (!values || !to || (*to != DataType::int64 && *to != DataType::int32)) return false;
  for (const auto v : *values)
    if (*to == DataType::int32 && (v > INT32_MAX || v < INT32_MIN)) return false;
  return make(r, n, *values, r.shape(n, 0), *to);
}

/// a op b without overflow; false otherwise.
bool compute(const std::string& type, std::int64_t a, std::int64_t b, std::int64_t& out) {
  if (type == "Add") return !__builtin_add_overflow(a, b, &out);
  if (type == "Sub") return !__builtin_sub_overflow(a, b, &out);
  if (type == "Mul") return !__builtin_mul_overflow(a, b, &out);
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  out = a / b;  // towards zero, as the standard's implementations do
  return true;
}

bool fold_binary(Reader& r, Node& n) {
  if (n.inputs.size() != 2) return false;
  const auto a = r.integers(n.inputs[0]), b = r.integers(n.inputs[1]);
  if (!a || !b || r.tensor(n.inputs[0]).type != r.tensor(n.inputs[1]).type) return false;
  if (r.tensor(n.inputs[0]).type != DataType::int64 && r.tensor(n.inputs[0]).type != DataType::int32) return false;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return false;
  Shape shape;
  if (!broadcast_shapes(r.shape(n, 0), r.shape(n, 1), shape)) return false;
  Values out(a->empty() || b->empty() ? 0 : std::max(a->size(), b->size()));
  if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()) !=
      static_cast<std::int64_t>(out.size()))
    return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!compute(n.proto->op_type(), (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i], out[i])) return false;
    if (r.tensor(n.inputs[0]).type == DataType::int32 && (out[i] > INT32_MAX || out[i] < INT32_MIN)) return false;
  }
  return make(r, n, out, shape, r.tensor(n.inputs[0]).type);
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
  if (!r.is_constant(n.inputs[0])) return false;
  if (type == "Gather") return fold_gather(r, n);
  if (type == "Concat") return fold_concat(r, n);
  if (type == "Slice") return n.inputs.size() <= 5 && fold_slice(r, n);
  if (type == "Cast") return fold_cast(r, n);
  if (type == "Transpose") return n.inputs.size() == 1 && fold_transpose(r, n);
  if (type == "Add" || type == "Sub" || type == "Mul" || type == "Div") return fold_binary(r, n);
  return fold_reshape(r, n);
}

}  // namespace dse::nn::onnx_import
