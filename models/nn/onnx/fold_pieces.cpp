// Constants made of pieces of constants.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/nn/graph/derivation.h"
#include "models/nn/graph/gather.h"
#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {
namespace {

constexpr std::size_t max_list = std::size_t{1} << 19;        // bytes of lists that are put end to end
constexpr std::int64_t max_repeated = std::int64_t{1} << 24;  // elements that are written out one by one

/// Contents of a small constant in row-major order; nothing where it has none.
std::optional<std::vector<std::uint8_t>> contents(const Tensor& t) {
  if (t.kind != TensorKind::constant || t.opaque || t.elements() > max_repeated) return std::nullopt;
  if (!t.fill) return t.data;
  if (t.fill->kind != Fill::Kind::value || t.type != DataType::float32) return std::nullopt;
  const auto value = static_cast<float>(t.fill->value);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(t.bytes()));
  for (std::size_t at = 0; at < out.size(); at += sizeof value) std::memcpy(out.data() + at, &value, sizeof value);
  return out;
}

bool fold_gather(Reader& r, Node& n) {
  if (n.inputs.size() != 2) return false;
  const Tensor& from = r.tensor(n.inputs[0]);
  const auto data = contents(from);
  const auto indices = r.integers(n.inputs[1]);
  std::int64_t axis = n.integer("axis", 0);
  if (!data || !indices || from.shape.empty()) return false;
  if (!normalise_axis(n, axis, from.shape.size())) return true;
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t count = from.shape[at];
  std::size_t inner = static_cast<std::size_t>(size_of(from.type)), outer = 1;
  for (std::size_t d = 0; d < at; ++d) outer *= static_cast<std::size_t>(from.shape[d]);
  for (std::size_t d = at + 1; d < from.shape.size(); ++d) inner *= static_cast<std::size_t>(from.shape[d]);
  Shape shape(from.shape.begin(), from.shape.begin() + axis);
  shape.insert(shape.end(), r.shape(n, 1).begin(), r.shape(n, 1).end());
  shape.insert(shape.end(), from.shape.begin() + axis + 1, from.shape.end());
  if (shape.size() > 8 || outer * inner > (std::size_t{1} << 26) / std::max<std::size_t>(1, indices->size()))
    return false;
  std::vector<std::uint8_t> out;
  out.reserve(outer * inner * indices->size());
  for (std::size_t o = 0; o < outer; ++o)
    for (auto i : *indices) {
      if (i < -count || i >= count) return n.fail(fmt::format("index {} is outside the {} elements", i, count)), true;
      const auto row = o * static_cast<std::size_t>(count) + static_cast<std::size_t>(i < 0 ? i + count : i);
      const auto begin = data->begin() + static_cast<std::ptrdiff_t>(row * inner);
      out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(inner));
    }
  return bind_data(r, n, std::move(out), std::move(shape), from.type);
}

/// Lists end to end.
bool fold_concat(Reader& r, Node& n) {
  std::vector<std::uint8_t> out;
  const DataType type = r.tensor(n.inputs[0]).type;
  for (std::size_t i = 0; i < n.inputs.size(); ++i) {
    const auto part = n.has(i) ? contents(r.tensor(n.inputs[i])) : std::nullopt;
    if (!part || r.shape(n, i).size() != 1 || r.tensor(n.inputs[i]).type != type ||
        out.size() + part->size() > max_list)
      return false;
    out.insert(out.end(), part->begin(), part->end());
  }
  const auto count = static_cast<std::int64_t>(out.size()) / size_of(type);
  return bind_data(r, n, std::move(out), {count}, type);
}

bool fold_slice(Reader& r, Node& n) {
  const Tensor from = r.tensor(n.inputs[0]);
  const auto data = from.shape.size() == 1 ? contents(from) : std::nullopt;
  if (!data) return false;
  Node probe = n;
  if (!convert_slice(r, probe)) return n.fail(probe.bad), true;
  if (!probe.op.unsupported.empty()) return false;
  std::vector<std::uint8_t> out;
  const auto& o = probe.op.options;
  const std::int64_t size = size_of(from.type);
  for (std::int64_t i = o.begin[0]; o.strides[0] > 0 ? i < o.end[0] : i > o.end[0]; i += o.strides[0])
    out.insert(out.end(), data->begin() + i * size, data->begin() + (i + 1) * size);
  const auto count = static_cast<std::int64_t>(out.size()) / size;
  return bind_data(r, n, std::move(out), {count}, from.type);
}

/// Tile and Expand of a constant: element i of a dimension is element i modulo its extent.
bool fold_repeated(Reader& r, Node& n) {
  if (n.inputs.size() != 2) return false;
  const Tensor from = r.tensor(n.inputs[0]);
  const auto list = r.integers(n.inputs[1]);
  if (!list || list->size() > 8 || from.elements() == 0) return false;
  const bool tile = n.proto->op_type() == "Tile";
  const std::size_t rank = std::max(list->size(), from.shape.size());
  if (tile && list->size() != from.shape.size())
    return n.fail(fmt::format("{} repeats for the {} dimensions", list->size(), from.shape.size())), true;
  Shape in(rank - from.shape.size(), 1), shape;
  in.insert(in.end(), from.shape.begin(), from.shape.end());
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t asked = d + list->size() < rank ? 1 : (*list)[d + list->size() - rank];
    if (asked < 1 || asked > max_constant_elements) return false;
    if (!tile && asked != 1 && in[d] != 1 && asked != in[d])
      return n.fail(fmt::format("{} cannot become {}", text_of(from.shape), text_of(*list))), true;
    shape.push_back(tile ? asked * in[d] : std::max(asked, in[d]));
    if (shape.back() > max_constant_elements / elements) return false;
    elements *= shape.back();
  }
  if (from.fill) {
    Tensor t = from;
    t.shape = shape;
    return r.bind(n, 0, r.add(std::move(t))), true;
  }
  const auto data = contents(from);
  if (!data || elements > max_repeated) return false;
  auto out = repeated(*data, in, shape, size_of(from.type));
  return bind_data(r, n, std::move(out), std::move(shape), from.type);
}

}  // namespace

bool fold_pieces(Reader& r, Node& n) {
  const std::string& type = n.proto->op_type();
  if (type == "Gather") return fold_gather(r, n);
  if (type == "Concat") return fold_concat(r, n);
  if (type == "Slice") return n.inputs.size() <= 5 && fold_slice(r, n);
  return (type == "Tile" || type == "Expand") && fold_repeated(r, n);
}

}  // namespace dse::nn::onnx_import
