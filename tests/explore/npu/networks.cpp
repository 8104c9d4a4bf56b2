#include "tests/explore/npu/networks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/nn/import.h"

namespace dse::explore::npu::test {

nn::NetworkPtr yaml_network(const std::string& text) {
  Diagnostics d;
  auto n = nn::import_yaml(text, "test.yaml", d, {});
  ensure(n != nullptr, d.text());
  return n;
}

nn::NetworkPtr thesis_network(int first, int second) {
  return yaml_network(fmt::format(R"(format: 1
name: thesis-{0}-{1}
seed: 1
input: {{shape: [1, 28, 28, 1], scale: 0.0078, zero_point: 0}}
layers:
  - average_pool: {{kernel: 1}}
  - conv: {{filters: {0}, kernel: 3, padding: valid, activation: relu}}
  - max_pool: {{kernel: 2}}
  - conv: {{filters: {1}, kernel: 3, padding: valid, activation: relu}}
  - max_pool: {{kernel: 2}}
  - reshape: {{shape: [1, {2}]}}
  - fully_connected: {{units: 10}}
  - softmax
)",
                                  first, second, second * 25));
}

nn::NetworkPtr with_between(nn::OperatorKind kind, bool times_itself) {
  nn::Network n = *yaml_network(R"(format: 1
name: between
seed: 1
input: {shape: [1, 8, 8, 4], scale: 0.02, zero_point: 3}
layers:
  - conv: {filters: 8, kernel: 3}
  - conv: {filters: 4, kernel: 3}
)");
  const int from = n.operators[0].outputs[0];
  const auto add = [&](nn::OperatorKind k, std::vector<int> inputs, float scale, int zero) {
    nn::Tensor t = n.tensors[static_cast<std::size_t>(from)];
    t.name = "between" + std::to_string(n.tensors.size());
    t.quantization.scale = {scale}, t.quantization.zero_point = {zero};
    n.tensors.push_back(t);
    nn::Operator op;
    op.kind = k, op.inputs = std::move(inputs), op.outputs = {static_cast<int>(n.tensors.size()) - 1};
    n.operators.insert(n.operators.end() - 1, op);
    return op.outputs[0];
  };
  int made = add(kind, {from}, 1.0F / 256, -128);
  if (times_itself) made = add(nn::OperatorKind::mul, {from, made}, 0.01F, -5);
  n.operators.back().inputs[0] = made;
  for (nn::Operator& op : n.operators) {
    nn::Operator plain;  // nothing derived
    plain.kind = op.kind, plain.inputs = op.inputs, plain.outputs = op.outputs, plain.options = op.options;
    op = std::move(plain);
  }
  Diagnostics d;
  auto out = nn::finish_network(std::move(n), d, "between");
  EXPECT_TRUE(out) << d.text();
  return out;
}

hw::ethos_u::Npu npu(const std::string& accelerator, hw::ethos_u::MemoryMode mode) {
  const auto* found = hw::ethos_u::find_accelerator(accelerator);
  hw::ethos_u::Npu out{found, &hw::ethos_u::usual_system(*found, mode), mode};
  if (out.spills()) out.arena_limit = 384 * 1024;
  return out;
}

hw::Device cpu() {
  hw::Device out;
  out.name = "cpu", out.clock_hz = 250'000'000;
  hw::Engine core;
  core.name = "core", core.kind = hw::EngineKind::cpu;
  out.engines.push_back(core);
  return out;
}

hw::DevicePtr device_with_npu(const std::string& accelerator, hw::ethos_u::MemoryMode mode, std::int64_t sram) {
  using hw::ethos_u::MemoryMode;
  const auto like = npu(accelerator, mode);
  auto out = std::make_shared<hw::Device>(cpu());
  out->name = "core-with-npu", out->clock_hz = like.system->clock_hz, out->control.issue = 7;
  const auto memory = [&](const char* name, std::int64_t size, const hw::ethos_u::MemoryPort& port, bool on_chip) {
    const int ports = std::min(port.ports, on_chip ? like.acc().sram_ports() : like.acc().other_ports());
    hw::Memory m;
    m.name = name, m.size = size, m.on_chip = on_chip, m.ports = on_chip ? 2 : 1, m.alignment = 16;
    m.width = {std::llround(like.acc().axi_bits / 8.0 * port.clock_scale * ports * 1e6), 1000000};
    out->memories.push_back(m);
  };
  memory("sram", sram, like.system->sram, true),
      memory("second", std::int64_t{1} << 30, like.system->second_port, false);
  out->constants = mode == MemoryMode::sram_only ? 0 : 1, out->io = mode == MemoryMode::dedicated_sram ? 1 : 0;
  out->engines[0].memories = {0, 1};
  out->engines[0].cycles_per_mac = {{"default", {2, 1}}}, out->engines[0].cycles_per_element = {{"default", {1, 1}}};
  hw::Engine e;
  e.name = "npu", e.kind = hw::EngineKind::npu, e.accelerator = accelerator, e.memories = {0, 1}, e.hand_over = 300;
  e.memory_mode = hw::ethos_u::name_of(mode), e.system = std::string(like.system->name);
  out->engines.push_back(e);
  return out;
}

}  // namespace dse::explore::npu::test
