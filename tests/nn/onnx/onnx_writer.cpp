#include "onnx_writer.h"

#include <cstring>

#include "models/nn/import.h"
#include "models/nn/made/splitmix.h"

namespace dse::nn::test {

namespace {

onnx::AttributeProto attribute(const char* name, int type) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(type);
  return a;
}

}  // namespace

Attribute::Attribute(const char* name, int value) : Attribute(name, std::int64_t{value}) {}
Attribute::Attribute(const char* name, std::int64_t value) : proto(attribute(name, onnx::AttributeProto::INT)) {
  proto.set_i(value);
}
Attribute::Attribute(const char* name, float value) : proto(attribute(name, onnx::AttributeProto::FLOAT)) {
  proto.set_f(value);
}
Attribute::Attribute(const char* name, const char* value) : proto(attribute(name, onnx::AttributeProto::STRING)) {
  proto.set_s(value);
}
Attribute::Attribute(const char* name, std::initializer_list<int> values)
    : proto(attribute(name, onnx::AttributeProto::INTS)) {
  for (const int v : values) proto.add_ints(v);
}
Attribute::Attribute(const char* name, std::vector<float> values)
    : proto(attribute(name, onnx::AttributeProto::FLOATS)) {
  for (const float v : values) proto.add_floats(v);
}
Attribute::Attribute(const char* name, const onnx::TensorProto& value)
    : proto(attribute(name, onnx::AttributeProto::TENSOR)) {
  *proto.mutable_t() = value;
}

OnnxModel::OnnxModel(int opset) {
  proto.set_ir_version(7);
  proto.mutable_graph()->set_name("test");
  auto* set = proto.add_opset_import();
  set->set_domain("");
  set->set_version(opset);
}

OnnxModel& OnnxModel::input(const std::string& name, const Shape& shape, int type) {
  auto* value = proto.mutable_graph()->add_input();
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const auto d : shape) {
    auto* dim = tensor->mutable_shape()->add_dim();
    if (d < 0)
      dim->set_dim_param("N");
    else
      dim->set_dim_value(d);
  }
  return *this;
}

OnnxModel& OnnxModel::output(const std::string& name) {
  proto.mutable_graph()->add_output()->set_name(name);
  return *this;
}

OnnxModel& OnnxModel::node(const std::string& type, const Names& inputs, const Names& outputs,
                           std::vector<Attribute> attributes, const std::string& domain) {
  auto* n = proto.mutable_graph()->add_node();
  n->set_op_type(type);
  n->set_name(type + "_" + outputs.front());
  n->set_domain(domain);
  for (const auto& i : inputs) n->add_input(i);
  for (const auto& o : outputs) n->add_output(o);
  for (auto& a : attributes) *n->add_attribute() = std::move(a.proto);
  return *this;
}

onnx::TensorProto& OnnxModel::initializer(const std::string& name, const Shape& shape, int type) {
  auto* t = proto.mutable_graph()->add_initializer();
  t->set_name(name);
  t->set_data_type(type);
  for (const auto d : shape) t->add_dims(d);
  return *t;
}

OnnxModel& OnnxModel::floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  auto& t = initializer(name, shape, onnx::TensorProto::FLOAT);
  for (const float v : values) t.add_float_data(v);
  return *this;
}

OnnxModel& OnnxModel::int64s(const std::string& name, const std::vector<std::int64_t>& values) {
  auto& t = initializer(name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
  for (const auto v : values) t.add_int64_data(v);
  return *this;
}

OnnxModel& OnnxModel::int32s(const std::string& name, const std::vector<std::int32_t>& values) {
  auto& t = initializer(name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT32);
  t.set_raw_data(values.data(), 4 * values.size());
  return *this;
}

OnnxModel& OnnxModel::int8s(const std::string& name, const Shape& shape, const std::vector<int>& values) {
  auto& t = initializer(name, shape, onnx::TensorProto::INT8);
  for (const int v : values) t.add_int32_data(v);
  return *this;
}

OnnxModel& OnnxModel::uint8s(const std::string& name, const Shape& shape, const std::vector<int>& values) {
  auto& t = initializer(name, shape, onnx::TensorProto::UINT8);
  for (const int v : values) t.add_int32_data(v);
  return *this;
}

OnnxModel& OnnxModel::raw(const std::string& name, const Shape& shape, int type, const std::string& bytes) {
  initializer(name, shape, type).set_raw_data(bytes);
  return *this;
}

std::vector<std::uint8_t> OnnxModel::bytes() const {
  const std::string text = proto.SerializeAsString();
  return {text.begin(), text.end()};
}

onnx::TensorProto tensor_of(const Shape& shape, const std::vector<float>& values) {
  onnx::TensorProto t;
  t.set_data_type(onnx::TensorProto::FLOAT);
  for (const auto d : shape) t.add_dims(d);
  for (const float v : values) t.add_float_data(v);
  return t;
}

Imported import(const std::vector<std::uint8_t>& bytes, LoadOptions options) {
  Diagnostics d;
  options.allow_float = true;
  Imported out;
  out.network = import_onnx(bytes, "test.onnx", d, options);
  out.errors = d.text();
  return out;
}

Imported import(const OnnxModel& model, LoadOptions options) { return import(model.bytes(), std::move(options)); }

std::vector<std::uint8_t> bytes_of(const std::vector<float>& values) {
  std::vector<std::uint8_t> out(4 * values.size());
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

std::vector<float> floats_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> out(bytes.size() / 4);
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), 4 * out.size());
  return out;
}

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  std::vector<float> out(count);
  SplitMix64 random(seed);
  for (float& v : out) v = static_cast<float>(static_cast<std::int64_t>(random.draw() >> 40)) * 0x1p-23f - 1;
  return out;
}

std::vector<int> integers(std::size_t count, int lo, int hi, std::uint64_t seed) {
  std::vector<int> out(count);
  SplitMix64 random(seed);
  for (int& v : out) v = lo + static_cast<int>(random.draw() % static_cast<std::uint64_t>(hi - lo + 1));
  return out;
}

}  // namespace dse::nn::test
