// Arithmetic on small constants: what exporters compute extents, sizes and scales with.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "models/nn/graph/derivation.h"
#include "models/nn/onnx/reader.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn::onnx_import {
namespace {

using Values = std::vector<std::int64_t>;
using Reals = std::vector<float>;

bool bind_reals(Reader& r, Node& n, const Reals& values, Shape shape) {
  std::vector<std::uint8_t> data(4 * values.size());
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return bind_data(r, n, std::move(data), std::move(shape), DataType::float32);
}

bool fits(DataType type, std::int64_t v) {
  switch (type) {
    case DataType::int64:
      return true;
    case DataType::int32:
      return v == static_cast<std::int32_t>(v);
    case DataType::int16:
      return v == static_cast<std::int16_t>(v);
    case DataType::int8:
      return v == static_cast<std::int8_t>(v);
    case DataType::uint8:
      return v == static_cast<std::uint8_t>(v);
    case DataType::boolean:
      return v == 0 || v == 1;
    case DataType::float32:
      break;
  }
  return false;
}

bool all_fit(DataType type, const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return fits(type, v); });
}

bool fold_cast(Reader& r, Node& n) {
  const auto to = element_type(static_cast<int>(n.integer("to", 0)));
  const Tensor& from = r.tensor(n.inputs[0]);
  if (!to) return false;
  if (*to == from.type) return r.bind(n, 0, r.reshaped(n.inputs[0], Shape(from.shape))), true;
  const Shape shape = from.shape;
  if (const auto reals = r.numbers(n.inputs[0])) {
    Values out;
    for (const float v : *reals) {
      if (!(std::abs(v) < 0x1p62f)) return false;
      out.push_back(*to == DataType::boolean ? v != 0 : static_cast<std::int64_t>(v));  // towards zero
    }
    return all_fit(*to, out) && bind_values(r, n, out, shape, *to);
  }
  auto values = r.integers(n.inputs[0]);
  if (!values) return false;
  if (*to == DataType::float32) return bind_reals(r, n, {values->begin(), values->end()}, shape);
  if (*to == DataType::boolean)
    for (auto& v : *values) v = v != 0;
  return all_fit(*to, *values) && bind_values(r, n, *values, shape, *to);
}

/// a op b without overflow; false otherwise.
bool compute(const std::string& type, std::int64_t a, std::int64_t b, std::int64_t& out) {
  if (type == "Add") return !__builtin_add_overflow(a, b, &out);
  if (type == "Sub") return !__builtin_sub_overflow(a, b, &out);
  if (type == "Mul") return !__builtin_mul_overflow(a, b, &out);
  if (type == "Min") return out = std::min(a, b), true;
  if (type == "Max") return out = std::max(a, b), true;
  if (type == "Equal") return out = a == b, true;
  if (type == "Less") return out = a < b, true;
  if (type == "Greater") return out = a > b, true;
  if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) return false;
  if (type == "Div") return out = a / b, true;  // towards zero, as the standard's implementations do
  if (type != "Mod") return false;
  out = a % b;
  if (out != 0 && (out < 0) != (b < 0)) out += b;  // the sign of the divisor
  return true;
}

bool compute(const std::string& type, float a, float b, float& out) {
  if (type == "Add")
    out = a + b;
  else if (type == "Sub")
    out = a - b;
  else if (type == "Mul")
    out = a * b;
  else if (type == "Div")
    out = a / b;
  else if (type == "Min")
    out = std::min(a, b);
  else if (type == "Max")
    out = std::max(a, b);
  else
    return false;
  return std::isfinite(out);
}

/// Of operands of one number of elements, or one of which is a single value. @returns false where that is not so.
template <class T>
bool pairwise(const std::string& type, const std::vector<T>& a, const std::vector<T>& b, const Shape& shape,
              std::vector<T>& out) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return false;
  out.resize(a.empty() || b.empty() ? 0 : std::max(a.size(), b.size()));
  if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()) !=
      static_cast<std::int64_t>(out.size()))
    return false;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!compute(type, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i], out[i])) return false;
  return true;
}

bool is_one_of(const std::string& type, std::initializer_list<const char*> types) {
  return std::any_of(types.begin(), types.end(), [&](const char* t) { return type == t; });
}

bool fold_binary(Reader& r, Node& n) {
  if (n.inputs.size() != 2 || !n.has(1) || n.integer("fmod", 0) != 0) return false;
  const std::string& type = n.proto->op_type();
  const DataType of = r.tensor(n.inputs[0]).type;
  Shape shape;
  if (r.tensor(n.inputs[1]).type != of || !broadcast_shapes(r.shape(n, 0), r.shape(n, 1), shape)) return false;
  if (const auto a = r.numbers(n.inputs[0]), b = r.numbers(n.inputs[1]); a && b) {
    Reals out;
    return pairwise(type, *a, *b, shape, out) && bind_reals(r, n, out, shape);
  }
  const auto a = r.integers(n.inputs[0]), b = r.integers(n.inputs[1]);
  const bool compares = is_one_of(type, {"Equal", "Less", "Greater"});
  if (!a || !b || (of != DataType::int64 && of != DataType::int32)) return false;
  Values out;
  const DataType made = compares ? DataType::boolean : of;
  return pairwise(type, *a, *b, shape, out) && all_fit(made, out) && bind_values(r, n, out, shape, made);
}

bool fold_unary(Reader& r, Node& n) {
  const std::string& type = n.proto->op_type();
  const Shape shape = r.shape(n, 0);
  if (auto reals = r.numbers(n.inputs[0])) {
    for (float& v : *reals) {
      v = type == "Floor" ? std::floor(v) : type == "Ceil" ? std::ceil(v) : type == "Neg" ? -v : std::sqrt(v);
      if (!std::isfinite(v)) return false;
    }
    return bind_reals(r, n, *reals, shape);
  }
  auto values = r.integers(n.inputs[0]);
  if (!values || type != "Neg") return false;
  for (auto& v : *values)
    if (__builtin_sub_overflow(std::int64_t{0}, v, &v)) return false;
  const DataType of = r.tensor(n.inputs[0]).type;
  return all_fit(of, *values) && bind_values(r, n, *values, shape, of);
}

/// Where(condition, a, b).
bool fold_where(Reader& r, Node& n) {
  if (n.inputs.size() != 3) return false;
  const auto which = r.integers(n.inputs[0]), a = r.integers(n.inputs[1]), b = r.integers(n.inputs[2]);
  if (!which || !a || !b || r.tensor(n.inputs[1]).type != r.tensor(n.inputs[2]).type) return false;
  Shape branches, shape;
  if (!broadcast_shapes(r.shape(n, 1), r.shape(n, 2), branches) || !broadcast_shapes(branches, r.shape(n, 0), shape))
    return false;
  const std::size_t count = std::max({which->size(), a->size(), b->size()});
  const auto pick = [&](const Values& v, std::size_t i) { return v[v.size() == 1 ? 0 : i]; };
  for (const auto* v : {&*which, &*a, &*b})
    if (v->size() != count && v->size() != 1) return false;
  if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()) !=
      static_cast<std::int64_t>(count))
    return false;
  Values out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(pick(*which, i) != 0 ? pick(*a, i) : pick(*b, i));
  return bind_values(r, n, out, shape, r.tensor(n.inputs[1]).type);
}

bool fold_range(Reader& r, Node& n) {
  if (n.inputs.size() != 3) return false;
  const auto from = r.integers(n.inputs[0]), to = r.integers(n.inputs[1]), by = r.integers(n.inputs[2]);
  if (!from || !to || !by || from->size() != 1 || to->size() != 1 || by->size() != 1 || (*by)[0] == 0) return false;
  const double count =
      std::ceil((static_cast<double>((*to)[0]) - static_cast<double>((*from)[0])) / static_cast<double>((*by)[0]));
  if (!(count >= 1 && count <= 65536)) return false;
  Values out;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) out.push_back((*from)[0] + i * (*by)[0]);
  const DataType of = r.tensor(n.inputs[0]).type;
  return all_fit(of, out) && bind_values(r, n, out, {static_cast<std::int64_t>(count)}, of);
}

/// ReduceProd of a list: how many elements a shape has.
bool fold_product(Reader& r, Node& n) {
  const auto values = r.integers(n.inputs[0]);
  const DataType of = r.tensor(n.inputs[0]).type;
  if (!values || n.inputs.size() > 2 || r.shape(n, 0).size() != 1) return false;
  std::int64_t all = 1;
  for (const auto v : *values)
    if (__builtin_mul_overflow(all, v, &all)) return false;
  return fits(of, all) && bind_values(r, n, {all}, n.flag("keepdims", true) ? Shape{1} : Shape{}, of);
}

}  // namespace

bool bind_data(Reader& r, Node& n, std::vector<std::uint8_t> data, Shape shape, DataType type) {
  Tensor t;
  t.kind = TensorKind::constant;
  t.type = type;
  t.shape = std::move(shape);
  t.data = std::move(data);
  r.bind(n, 0, r.add(std::move(t)));
  return true;
}

bool bind_values(Reader& r, Node& n, const std::vector<std::int64_t>& values, Shape shape, DataType type) {
  const auto size = static_cast<std::size_t>(size_of(type));
  std::vector<std::uint8_t> data(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(data.data() + i * size, &values[i], size);
  return bind_data(r, n, std::move(data), std::move(shape), type);
}

bool fold_numbers(Reader& r, Node& n) {
  const std::string& type = n.proto->op_type();
  if (type == "Cast") return n.inputs.size() == 1 && fold_cast(r, n);
  if (type == "Where") return fold_where(r, n);
  if (type == "Range") return fold_range(r, n);
  if (type == "ReduceProd") return fold_product(r, n);
  if (is_one_of(type, {"Floor", "Ceil", "Neg", "Sqrt"})) return n.inputs.size() == 1 && fold_unary(r, n);
  if (is_one_of(type, {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Equal", "Less", "Greater"}))
    return fold_binary(r, n);
  return false;
}

}  // namespace dse::nn::onnx_import
