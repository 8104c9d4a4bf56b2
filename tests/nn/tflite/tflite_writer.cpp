#include "tests/nn/tflite/tflite_writer.h"

#include "models/nn/import.h"
#include "models/nn/tflite/write/writing.h"

namespace dse::nn::test {

std::vector<std::uint8_t> to_tflite(const Network& network, const Damage& damage) {
  Diagnostics diags;
  const auto model = tflite_model(network, diags);
  ensure(model != nullptr, diags.text());
  if (damage) damage(*model);
  return pack_tflite(*model);
}

NetworkPtr every_operator() {
  Diagnostics diags;
  return import_yaml(R"(format: 1
name: every-operator
input: {shape: [1, 6, 6, 2]}
layers:
  - conv: {name: stem, filters: 4, kernel: 3, activation: relu}
  - depthwise: {kernel: [3, 2], dilation: [2, 1], activation: relu6}
  - conv: {filters: 4, kernel: 1, bias: false}
  - add: {with: stem, activation: relu}
  - max_pool: {kernel: 2}
  - average_pool: {kernel: 3, stride: 1, padding: same}
  - reshape: {shape: [1, 36]}
  - fully_connected: {units: 3}
  - softmax
)",
                     "every-operator.yaml", diags);
}

NetworkPtr running_sum(std::uint8_t initial) {
  Network n;
  n.name = "running-sum";
  const auto tensor = [&](const char* name, TensorKind kind) {
    Tensor t;
    t.name = name, t.shape = {1, 4}, t.kind = kind, t.quantization = {{0.5f}, {0}, 0};
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size() - 1);
  };
  const int x = tensor("x", TensorKind::input), v = tensor("v", TensorKind::variable),
            before = tensor("before", TensorKind::activation), y = tensor("y", TensorKind::activation);
  if (initial != 0) n.tensors[static_cast<std::size_t>(v)].data.assign(4, initial);
  const auto add = [&](OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs) {
    Operator op;
    op.kind = kind, op.inputs = std::move(inputs), op.outputs = std::move(outputs);
    n.operators.push_back(std::move(op));
  };
  add(OperatorKind::read_variable, {v}, {before});
  add(OperatorKind::add, {x, before}, {y});
  add(OperatorKind::assign_variable, {y}, {v});
  n.inputs = {x}, n.outputs = {y};
  Diagnostics diags;
  return finish_network(std::move(n), diags, "running-sum");
}

}  // namespace dse::nn::test
