// Attributes of a node.
#include <fmt/format.h>

#include <algorithm>

#include "models/nn/onnx/reader.h"

namespace dse::nn::onnx_import {

bool Node::fail(std::string what) {
  if (bad.empty()) bad = std::move(what);
  return false;
}

bool Node::unsupported(std::string why) {
  if (op.unsupported.empty()) op.unsupported = std::move(why);
  return true;
}

const onnx::AttributeProto* Node::attribute(const char* name) const {
  for (const auto& a : proto->attribute())
    if (a.name() == name) return &a;
  return nullptr;
}

const onnx::AttributeProto* Node::typed(const char* name, int type) {
  const auto* a = attribute(name);
  if (!a) return nullptr;
  // Files of the first version of the format have no types; there the value itself tells.
  const bool untyped = a->type() == onnx::AttributeProto::UNDEFINED;
  const bool matches = a->type() == type;
  if (untyped || matches) return a;
  fail(fmt::format("attribute '{}' has type {}, not {}", name, a->type(), type));
  return nullptr;
}

std::int64_t Node::integer(const char* name, std::int64_t otherwise) {
  const auto* a = typed(name, onnx::AttributeProto::INT);
  return a ? a->i() : otherwise;
}

float Node::number(const char* name, float otherwise) {
  const auto* a = typed(name, onnx::AttributeProto::FLOAT);
  return a ? a->f() : otherwise;
}

std::string Node::text(const char* name, const std::string& otherwise) {
  const auto* a = typed(name, onnx::AttributeProto::STRING);
  return a ? a->s().substr(0, 64) : otherwise;
}

std::optional<std::vector<std::int64_t>> Node::integers(const char* name) {
  const auto* a = typed(name, onnx::AttributeProto::INTS);
  if (!a) return std::nullopt;
  return std::vector<std::int64_t>(a->ints().begin(), a->ints().end());
}

std::optional<std::vector<float>> Node::numbers(const char* name) {
  const auto* a = typed(name, onnx::AttributeProto::FLOATS);
  if (!a) return std::nullopt;
  return std::vector<float>(a->floats().begin(), a->floats().end());
}

bool normalise_axis(Node& n, std::int64_t& axis, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r) return n.fail(fmt::format("axis {} is outside the {} dimensions", axis, rank));
  if (axis < 0) axis += r;
  return true;
}

bool normalise_axes(Node& n, std::vector<std::int64_t>& axes, std::size_t rank) {
  for (auto& a : axes)
    if (!normalise_axis(n, a, rank)) return false;
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) return n.fail("an axis is named twice");
  return true;
}

}  // namespace dse::nn::onnx_import
