#include "sim/npu/npu_run.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/platform.h"

namespace dse::sim {
namespace {

using namespace hw::ethos_u;

constexpr std::int64_t kScale = 1000;  // shares of a port's bytes are given in thousandths and finer

/// The memories around it as a device: reads and writes of the SRAM have a port each, as AXI has.
hw::DevicePtr device_of(const Npu& npu) {
  auto out = std::make_shared<hw::Device>();
  out->name = std::string(npu.acc().name);
  out->clock_hz = npu.system->clock_hz;
  const auto memory = [&](const char* name, const MemoryPort& port, int leading, int ports) {
    hw::Memory m;
    m.name = name, m.size = std::int64_t{1} << 32, m.ports = ports;
    const double bytes = npu.acc().axi_bits / 8.0 * port.clock_scale * std::min(port.ports, leading);
    m.width = {std::llround(bytes * kScale * kScale), kScale * kScale};
    out->memories.push_back(m);
  };
  memory("sram", npu.system->sram, npu.acc().sram_ports(), 2);
  memory("second", npu.system->second_port, npu.acc().other_ports(), 1);
  return out;
}

}  // namespace

NpuResult run_npu(const Npu& npu, std::span<const std::uint32_t> words, hw::npu::StreamBytes* bytes) {
  Platform& platform = Platform::instance();
  platform.configure(device_of(npu));
  hw::npu::StreamRun run{.npu = npu, .memory = {}, .cycle = 1, .words = words, .bytes = bytes};
  run.memory.fill(1);
  run.memory[static_cast<std::size_t>(Area::sram)] = 0;
  if (npu.mode == MemoryMode::sram_only) run.memory[static_cast<std::size_t>(Area::on_chip_flash)] = 0;
  const auto& state = platform.run_stream(run);
  NpuResult out;
  out.pmu = state.pmu, out.error = state.error;
  for (const auto& k : state.kernels) out.kernels.push_back(k.time);
  return out;
}

}  // namespace dse::sim
