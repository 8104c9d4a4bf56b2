#include "tests/reports/page/inspected_network.h"

#include "base/diagnostics.h"

namespace dse::reports::testing {
namespace {

using nn::DataType;
using nn::Operator;
using nn::OperatorKind;
using nn::Tensor;
using nn::TensorKind;

Tensor tensor(const std::string& name, std::vector<std::int64_t> shape, DataType type, float scale = 0) {
  Tensor t;
  t.name = name, t.shape = std::move(shape), t.type = type;
  if (scale > 0) t.quantization = {{scale}, {0}, 0, {}};
  return t;
}

Operator make(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs) {
  Operator op;
  op.kind = kind, op.inputs = std::move(inputs), op.outputs = std::move(outputs);
  op.options.rounding = nn::Rounding::qformat;
  return op;
}

nn::NetworkPtr finish(nn::Network n) {
  Diagnostics d;
  nn::LoadOptions o;
  o.allow_float = o.keep_unsupported = true;
  auto done = nn::finish_network(std::move(n), d, n.name, o);
  ensure(done != nullptr, d.text());
  return done;
}

}  // namespace

nn::NetworkPtr small_network() {
  nn::Network n;
  n.name = "small";
  n.tensors = {
      tensor("input", {1, 8, 8, 2}, DataType::int8, 0x1p-4f), tensor("w", {2, 1, 1, 2}, DataType::int8, 0x1p-7f),
      tensor("sum", {1, 8, 8, 2}, DataType::int8, 0x1p-4f),   tensor("relu", {1, 8, 8, 2}, DataType::int8, 0x1p-4f),
      tensor("added", {1, 8, 8, 2}, DataType::int8, 0x1p-3f), tensor("left", {1, 8, 8, 1}, DataType::int8, 0x1p-3f),
      tensor("right", {1, 8, 8, 1}, DataType::int8, 0x1p-3f), tensor("made up", {10}, DataType::int8, 0x1p-3f),
      tensor("</script><b>", {3}, DataType::int8, 0x1p-3f)};
  n.tensors[0].kind = TensorKind::input;
  n.tensors[1].kind = TensorKind::constant;
  n.tensors[1].data.assign(4, 1);
  n.tensors[1].quantization = {{0x1p-7f, 0x1p-7f}, {0, 0}, 0, {2, 3}};
  n.operators = {make(OperatorKind::conv_2d, {0, 1, -1}, {2}), make(OperatorKind::relu, {2}, {3}),
                 make(OperatorKind::add, {2, 3}, {4}),         make(OperatorKind::split, {4}, {5, 6}),
                 make(OperatorKind::other, {5}, {7}),          make(OperatorKind::other, {6, 2}, {8})};
  n.operators[3].options.axis = 3;
  n.operators[3].options.sizes = {1, 1};
  n.operators[4].type = "MadeUp";
  n.operators[5].type = "</script><script>alert(1)</script>";
  n.inputs = {0}, n.outputs = {7, 8};
  return finish(std::move(n));
}

nn::NetworkPtr large_network(int operators) {
  nn::Network n;
  n.name = "large";
  n.tensors = {tensor("data", {1, 56, 56, 64}, DataType::float32)};
  n.tensors[0].kind = TensorKind::input;
  const auto add = [&](OperatorKind kind, std::vector<int> inputs, std::int64_t channels) {
    n.tensors.push_back(tensor("t" + std::to_string(n.tensors.size()), {1, 56, 56, channels}, DataType::float32));
    const auto out = static_cast<int>(n.tensors.size()) - 1;
    n.operators.push_back(make(kind, std::move(inputs), {out}));
    n.operators.back().options.rounding = nn::Rounding::tflite;
    return out;
  };
  int last = 0;
  std::int64_t channels = 64;
  while (static_cast<int>(n.operators.size()) < operators) {
    int t = last;
    for (int i = 0; i < 8; ++i) t = add(i % 2 == 0 ? OperatorKind::relu : OperatorKind::logistic, {t}, channels);
    channels *= 2;
    last = add(OperatorKind::concatenation, {last, t}, channels);
    n.operators.back().options.axis = 3;
    if (channels > 512) channels = 64, last = add(OperatorKind::slice, {last}, channels);
    auto& o = n.operators.back().options;
    if (n.operators.back().kind == OperatorKind::slice)
      o.begin = {0, 0, 0, 0}, o.end = {1, 56, 56, channels}, o.strides = {1, 1, 1, 1};
  }
  n.inputs = {0}, n.outputs = {last};
  return finish(std::move(n));
}

}  // namespace dse::reports::testing
