// ONNX models for tests, made with the generated classes of our own schema.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "models/nn/network.h"
#include "onnx.pb.h"

namespace dse::nn::test {

using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// One attribute of a node.
struct Attribute {
  Attribute(const char* name, int value);
  Attribute(const char* name, std::int64_t value);
  Attribute(const char* name, float value);
  Attribute(const char* name, const char* value);
  Attribute(const char* name, std::initializer_list<int> values);
  Attribute(const char* name, std::vector<float> values);
  Attribute(const char* name, const onnx::TensorProto& value);
  onnx::AttributeProto proto;
};

class OnnxModel {
 public:
  explicit OnnxModel(int opset = 13);

  /// -1 in `shape`: an open dimension named "N".
  OnnxModel& input(const std::string& name, const Shape& shape, int type = onnx::TensorProto::FLOAT);
  OnnxModel& output(const std::string& name);
  OnnxModel& node(const std::string& type, const Names& inputs, const Names& outputs,
                  std::vector<Attribute> attributes = {}, const std::string& domain = "");
  OnnxModel& floats(const std::string& name, const Shape& shape, const std::vector<float>& values);
  OnnxModel& scalar(const std::string& name, float value) { return floats(name, {}, {value}); }
  OnnxModel& int64s(const std::string& name, const std::vector<std::int64_t>& values);
  OnnxModel& int32s(const std::string& name, const std::vector<std::int32_t>& values);
  OnnxModel& int8s(const std::string& name, const Shape& shape, const std::vector<int>& values);
  OnnxModel& uint8s(const std::string& name, const Shape& shape, const std::vector<int>& values);
  OnnxModel& raw(const std::string& name, const Shape& shape, int type, const std::string& bytes);

  std::vector<std::uint8_t> bytes() const;
  onnx::ModelProto proto;

 private:
  onnx::TensorProto& initializer(const std::string& name, const Shape& shape, int type);
};

onnx::TensorProto tensor_of(const Shape& shape, const std::vector<float>& values);

/// What the importer says: a network or the text of its diagnostics.
struct Imported {
  NetworkPtr network;
  std::string errors;
  const Network* operator->() const { return network.get(); }
};
Imported import(const std::vector<std::uint8_t>& bytes, LoadOptions options = {});
Imported import(const OnnxModel& model, LoadOptions options = {});

/// Raw bytes of float32 values and back.
std::vector<std::uint8_t> bytes_of(const std::vector<float>& values);
std::vector<float> floats_of(const std::vector<std::uint8_t>& bytes);
/// Seeded values in [-1, 1).
std::vector<float> noise(std::size_t count, std::uint64_t seed);
std::vector<int> integers(std::size_t count, int lo, int hi, std::uint64_t seed);

}  // namespace dse::nn::test
