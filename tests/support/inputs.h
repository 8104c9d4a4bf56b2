// Devices that inputs come in to, and a network that reads its second input late.
#pragma once
#include <memory>

#include "models/hw/device.h"
#include "models/nn/network.h"

namespace dse::test {

/// The device with a memory `camera` that inputs come from, and a DMA of its own from there to the io memory.
inline hw::DevicePtr with_camera(const hw::Device& device) {
  auto out = std::make_shared<hw::Device>(device);
  hw::Memory m;
  m.name = "camera", m.size = std::int64_t{1} << 20, m.width = {1, 3}, m.latency = 2;
  out->input_from = static_cast<int>(out->memories.size());
  out->memories.push_back(m);
  hw::Engine e;
  e.name = "camera_dma", e.kind = hw::EngineKind::dma, e.setup = 7;
  e.links = {{out->input_from, out->io}};
  out->engines.push_back(e);
  return out;
}

/// out = w2 (w1 (w0 a)) + b over [1, 32] to [1, 8]: nothing reads the input b before the last layer.
inline nn::NetworkPtr late_input() {
  using nn::OperatorKind;
  using nn::TensorKind;
  nn::Network n;
  n.name = "late_input";
  const auto tensor = [&](const char* name, std::vector<std::int64_t> shape, TensorKind kind) {
    nn::Tensor t;
    t.name = name, t.shape = std::move(shape), t.kind = kind;
    t.quantization.scale = {kind == TensorKind::constant ? 0.02f : 0.1f}, t.quantization.zero_point = {0};
    if (kind == TensorKind::constant)
      for (std::int64_t i = 0; i < t.elements(); ++i) t.data.push_back(static_cast<std::uint8_t>(i * 37 + 11));
    n.tensors.push_back(std::move(t));
    return static_cast<int>(n.tensors.size()) - 1;
  };
  const int a = tensor("a", {1, 32}, TensorKind::input), b = tensor("b", {1, 8}, TensorKind::input);
  n.inputs = {a, b};
  int x = a;
  const auto op = [&](OperatorKind kind, std::vector<int> inputs, const char* name, std::int64_t width) {
    nn::Operator o;
    o.kind = kind, o.name = name, o.inputs = std::move(inputs);
    o.outputs = {tensor(name, {1, width}, TensorKind::activation)};
    n.operators.push_back(o);
    return o.outputs[0];
  };
  const std::int64_t widths[] = {32, 48, 40, 8};
  const char* const names[] = {"fc0", "fc1", "fc2"};
  for (int i = 0; i < 3; ++i) {
    const int w = tensor("w", {widths[i + 1], widths[i]}, TensorKind::constant);
    x = op(OperatorKind::fully_connected, {x, w, -1}, names[i], widths[i + 1]);
  }
  n.outputs = {op(OperatorKind::add, {x, b}, "sum", 8)};
  Diagnostics diags;
  auto done = nn::finish_network(std::move(n), diags, "late_input");
  ensure(done != nullptr, diags.text());
  return done;
}

}  // namespace dse::test
