// Values, constants and the nodes of an ONNX graph.
#include "models/nn/onnx/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/nn/graph/derivation.h"
#include "models/nn/shapes/given.h"
#include "models/nn/shapes/infer_shapes.h"

namespace dse::nn::onnx_import {
namespace {

constexpr std::int64_t max_small = std::int64_t{1} << 16;     // constants that are looked into
constexpr std::int64_t max_copied = std::int64_t{512} << 20;  // bytes of all constants, with those made by folding
constexpr std::size_t max_name = 256;

}  // namespace

bool Reader::fail(const std::string& what, const std::string& hint) {
  diags_.error({file_, 0, 0}, what, hint);
  return false;
}

int Reader::add(Tensor t) {
  copied_ += static_cast<std::int64_t>(t.data.size());
  network.tensors.push_back(std::move(t));
  return static_cast<int>(network.tensors.size()) - 1;
}

int Reader::reshaped(int t, Shape shape) {
  Tensor copy = tensor(t);
  copy.shape = std::move(shape);
  copy.name = fresh_name(copy.name);
  return add(std::move(copy));
}

std::string Reader::fresh_name(const std::string& stem) {
  std::string name;
  do name = fmt::format("{}__{}", stem.substr(0, max_name), running_++);
  while (values_.count(name) || is_used(name));
  return name;
}

bool Reader::add_value(const std::string& name, int t) {
  if (values_.emplace(name, t).second) return true;
  return fail(fmt::format("two values have the name '{}'", name.substr(0, max_name)));
}

void Reader::bind(Node& n, int i, int t) {
  n.folded = true;
  tensor(t).name = n.proto->output(i).substr(0, max_name);
  if (!values_.emplace(n.proto->output(i), t).second)
    n.fail(fmt::format("its output '{}' is already made", tensor(t).name));
  if (copied_ > max_copied) n.fail("the constants of the file take more than 512 MiB");
}

namespace {

template <class T>
std::vector<std::int64_t> widened(const std::vector<std::uint8_t>& data) {
  std::vector<std::int64_t> out(data.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T v{};
    std::memcpy(&v, data.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<std::int64_t>(v);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
  }
  return out;
}

}  // namespace

std::optional<std::vector<std::int64_t>> Reader::integers(int index) const {
  if (index < 0) return std::nullopt;
  const Tensor& t = tensor(index);
  if (t.kind != TensorKind::constant || t.type == DataType::float32 || t.elements() > max_small) return std::nullopt;
  if (t.fill) {
    if (t.fill->kind != Fill::Kind::value) return std::nullopt;
    return std::vector<std::int64_t>(static_cast<std::size_t>(t.elements()), static_cast<std::int64_t>(t.fill->value));
  }
  switch (t.type) {
    case DataType::int64:
      return widened<std::int64_t>(t.data);
    case DataType::int32:
      return widened<std::int32_t>(t.data);
    case DataType::int16:
      return widened<std::int16_t>(t.data);
    case DataType::int8:
      return widened<std::int8_t>(t.data);
    default:
      return widened<std::uint8_t>(t.data);
  }
}

std::optional<std::vector<float>> Reader::numbers(int index) const {
  if (index < 0) return std::nullopt;
  const Tensor& t = tensor(index);
  if (t.kind != TensorKind::constant || t.type != DataType::float32 || t.elements() > max_small) return std::nullopt;
  std::vector<float> out(static_cast<std::size_t>(t.elements()));
  if (t.fill) {
    if (t.fill->kind != Fill::Kind::value) return std::nullopt;
    std::fill(out.begin(), out.end(), static_cast<float>(t.fill->value));
  } else if (!out.empty()) {
    std::memcpy(out.data(), t.data.data(), t.data.size());
  }
  return out;
}

bool Reader::read_initializers() {
  for (int i = 0; i < graph_.initializer_size(); ++i) {
    const auto& from = graph_.initializer(i);
    Tensor to;
    std::string why;
    if (const int type = from.data_type(); !element_type(type) && type != onnx::TensorProto::UNDEFINED) {
      // Refuses the nodes that use it, not the file. The place holder has no contents.
      to.kind = TensorKind::constant, to.type = DataType::boolean, to.opaque = true, to.fill = Fill{};
      for (const auto d : from.dims()) to.shape.push_back(d);
      foreign_.emplace(
          static_cast<int>(network.tensors.size()),
          fmt::format("'{}': type {} is not supported", from.name().substr(0, max_name), element_type_name(type)));
    } else if (!read_tensor(from, to, why))
      return fail(fmt::format("initializer {} ('{}'): {}", i, from.name().substr(0, max_name), why));
    to.name = from.name().substr(0, max_name);
    if (!add_value(from.name(), add(std::move(to)))) return false;
    if (copied_ > max_copied) return fail("the constants of the file take more than 512 MiB");
  }
  return true;
}

bool Reader::input_shape(const onnx::ValueInfoProto& value, Shape& shape) {
  const std::string name = value.name().substr(0, max_name);
  const auto& type = value.type().tensor_type();
  const auto given = options_.shapes.find(value.name());
  std::string listed, example;
  bool open = !type.has_shape();
  shape.clear();
  for (const auto& d : type.shape().dim()) {
    const bool fixed = d.has_dim_value() && d.dim_value() > 0;
    open = open || !fixed;
    shape.push_back(fixed ? d.dim_value() : -1);
    const std::string text = fixed ? std::to_string(d.dim_value()) : d.dim_param().empty() ? "?" : d.dim_param();
    listed += (listed.empty() ? "" : ", ") + text.substr(0, 32);
    example += (example.empty() ? "" : "x") + (fixed ? text : std::string("1"));
  }
  if (given != options_.shapes.end()) {
    bool fits = !type.has_shape() || given->second.size() == shape.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || shape[i] == given->second[i];
    if (!fits)
      return fail(fmt::format("input '{}' has shape [{}], --shape says {}", name, listed, text_of(given->second)));
    shape = given->second;
  } else if (open) {
    return fail(fmt::format("input '{}' has {}", name,
                            type.has_shape() ? "the open shape [" + listed + "]" : std::string("no shape")),
                fmt::format("say which with --shape {}={}", name, example.empty() ? "1x3x224x224" : example));
  }
  if (shape.size() > 8) return fail(fmt::format("input '{}' has {} dimensions", name, shape.size()));
  std::int64_t elements = 1;
  for (const auto d : shape) {
    if (d < 1 || d > max_elements / elements)
      return fail(
          fmt::format("input '{}' has shape {}{}", name, text_of(shape), d < 1 ? "" : ", more than 64 M elements"));
    elements *= d;
  }
  return true;
}

bool Reader::read_inputs() {
  std::set<std::string> names;
  for (const auto& value : graph_.input()) {
    if (values_.count(value.name()) && !names.count(value.name())) continue;  // a constant that may be replaced
    names.insert(value.name());
    Tensor t;
    t.name = value.name().substr(0, max_name);
    t.kind = TensorKind::input;
    const auto type = element_type(value.type().tensor_type().elem_type());
    if (!type)
      return fail(fmt::format("input '{}' has type {}, which is not supported", t.name,
                              element_type_name(value.type().tensor_type().elem_type())));
    t.type = *type;
    if (!input_shape(value, t.shape)) return false;
    const int index = add(std::move(t));
    if (!add_value(value.name(), index)) return false;
    network.inputs.push_back(index);
  }
  for (const auto& [name, shape] : options_.shapes)
    if (!names.count(name) && !options_.several) {
      no_input_of_shape(name, {names.begin(), names.end()}, file_, diags_);
      return false;
    }
  return true;
}

bool Reader::read_outputs() {
  for (const auto& value : graph_.output()) {
    const auto found = values_.find(value.name());
    if (found == values_.end())
      return fail(fmt::format("network output '{}' is made by no node", value.name().substr(0, max_name)));
    network.outputs.push_back(found->second);
  }
  return true;
}

bool Reader::read(int opset) {
  if (!read_initializers() || !read_inputs()) return false;
  for (const auto& node : graph_.node()) {
    used_.insert(node.input().begin(), node.input().end());
    ++node_names_[node.name()];
  }
  for (const auto& value : graph_.output()) used_.insert(value.name());
  for (const auto& value : graph_.value_info()) infos_.emplace(value.name(), &value);
  std::vector<int> order;
  if (!sort_nodes(order)) return false;
  for (const int i : order)
    if (!read_node(i, opset)) return false;
  if (!report_refused() || !read_outputs()) return false;
  remove_unused();
  return true;
}

}  // namespace dse::nn::onnx_import
