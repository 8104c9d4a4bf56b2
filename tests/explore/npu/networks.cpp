#include "tests/explore/npu/networks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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

hw::ethos_u::Npu npu(const std::string& accelerator, hw::ethos_u::MemoryMode mode) {
  const bool u65 = accelerator.find("u65") != std::string::npos;
  const char* system = mode == hw::ethos_u::MemoryMode::dedicated_sram ? "Ethos_U65_High_End"
                       : u65                                           ? "Ethos_U65_Embedded"
                                                                       : "Ethos_U55_High_End_Embedded";
  hw::ethos_u::Npu out{hw::ethos_u::find_accelerator(accelerator), hw::ethos_u::find_system(system), mode};
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

}  // namespace dse::explore::npu::test
