#include "tflite_writer.h"

#include "models/nn/import.h"
#include "models/nn/tflite_writing.h"

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

}  // namespace dse::nn::test
