#include "same_network.h"

#include <gtest/gtest.h>

#include <cstring>

#include "models/nn/import.h"
#include "models/nn/tflite/write_tflite.h"

namespace dse::nn::test {
namespace {

void expect_same_tensor(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.shape, b.shape) << b.name;
  EXPECT_EQ(a.type, b.type) << b.name;
  EXPECT_EQ(a.kind, b.kind) << b.name;
  EXPECT_EQ(a.quantization.scale, b.quantization.scale) << b.name;
  EXPECT_EQ(a.quantization.zero_point, b.quantization.zero_point) << b.name;
  EXPECT_EQ(a.quantization.axis, b.quantization.axis) << b.name;
  EXPECT_EQ(a.data, b.data) << b.name;
}

template <class T>
bool same(const T& a, const void* b) {
  return a == *static_cast<const T*>(b);
}

void expect_same_options(const OperatorOptions& a, const OperatorOptions& b, const std::string& where) {
  std::vector<const void*> fields;
  for_each_option(b, [&](const char*, const auto& v) { fields.push_back(&v); });
  std::size_t i = 0;
  for_each_option(a,
                  [&](const char* name, const auto& v) { EXPECT_TRUE(same(v, fields[i++])) << where << " " << name; });
}

}  // namespace

void expect_same_network(const Network& copy, const Network& original) {
  EXPECT_EQ(copy.inputs, original.inputs);
  EXPECT_EQ(copy.outputs, original.outputs);
  ASSERT_GE(copy.tensors.size(), original.tensors.size());
  for (std::size_t t = 0; t < original.tensors.size(); ++t) expect_same_tensor(copy.tensors[t], original.tensors[t]);
  for (std::size_t t = original.tensors.size(); t < copy.tensors.size(); ++t)
    EXPECT_EQ(copy.tensors[t].kind, TensorKind::constant) << copy.tensors[t].name;
  ASSERT_EQ(copy.operators.size(), original.operators.size());
  for (std::size_t o = 0; o < original.operators.size(); ++o) {
    const Operator &a = copy.operators[o], &b = original.operators[o];
    EXPECT_EQ(a.kind, b.kind) << b.name;
    EXPECT_EQ(a.type, b.type.empty() ? a.type : b.type) << b.name;
    EXPECT_EQ(a.inputs, b.inputs) << b.name;
    EXPECT_EQ(a.outputs, b.outputs) << b.name;
    expect_same_options(a.options, b.options, b.name);
    EXPECT_EQ(a.evaluation, b.evaluation) << b.name;
    EXPECT_EQ(std::memcmp(&a.kernel, &b.kernel, sizeof a.kernel), 0) << b.name;
    EXPECT_EQ(a.calls.size(), b.calls.size()) << b.name;
    EXPECT_EQ(a.channel_params, b.channel_params) << b.name;
    EXPECT_EQ(a.table, b.table) << b.name;
    EXPECT_EQ(a.weights, b.weights) << b.name;
  }
}

void expect_round_trip(const Network& original) {
  Diagnostics diags;
  LoadOptions options;
  options.allow_float = true;
  options.as_in_file = true;
  const auto bytes = write_tflite(original, diags);
  ASSERT_FALSE(bytes.empty()) << diags.text();
  const auto copy = import_tflite(bytes, original.name + ".tflite", diags, options);
  ASSERT_TRUE(copy) << diags.text();
  expect_same_network(*copy, original);
  EXPECT_EQ(write_tflite(*copy, diags), bytes) << original.name;
}

}  // namespace dse::nn::test
