#include "models/hw/ethos_u/of_device.h"

#include <algorithm>

#include "base/diagnostics.h"

namespace dse::hw::ethos_u {

int DeviceNpu::memory_of(Area a) const {
  if (a == Area::shram) return -1;
  if (a == Area::sram || (a == Area::on_chip_flash && npu.mode == MemoryMode::sram_only)) return sram;
  return second;
}

DeviceNpuPtr npu_of(const Device& device) {
  const int at = device.npu();
  if (at < 0) return nullptr;
  const Engine& e = device.engines[static_cast<std::size_t>(at)];
  auto out = std::make_shared<DeviceNpu>();
  out->engine = at;
  ensure(e.memories.size() == 2, e.name + " has not two memories");
  out->sram = e.memories[0], out->second = e.memories[1];
  Npu& npu = out->npu;
  npu.accelerator = find_accelerator(e.accelerator);
  ensure(npu.accelerator != nullptr, e.name + " is no accelerator: " + e.accelerator);
  const SystemConfig* like =
      e.system.empty() ? &usual_system(npu.acc(), MemoryMode::shared_sram) : find_system(e.system);
  const MemoryMode* mode = e.memory_mode.empty() ? nullptr : find_memory_mode(e.memory_mode);
  ensure(like != nullptr && (mode != nullptr || e.memory_mode.empty()), e.name + ": no such system or memory mode");
  npu.mode = mode ? *mode : MemoryMode::shared_sram;
  SystemConfig& s = out->system;
  s = *like;
  s.clock_hz = e.clock_hz > 0 ? e.clock_hz : device.clock_hz;
  npu.system = &s;
  const auto share = [&](int memory, Area area) {  // of what the ports could take
    const Memory& m = device.memories[static_cast<std::size_t>(memory)];
    const double clock = static_cast<double>(m.clock_hz > 0 ? m.clock_hz : device.clock_hz);
    const double width = static_cast<double>(m.width.num) / static_cast<double>(m.width.den);
    return std::min(1.0,
                    width * clock / static_cast<double>(s.clock_hz) / (npu.acc().axi_bits / 8.0) / npu.ports(area));
  };
  s.sram.clock_scale = share(out->sram, Area::sram), s.second_port.clock_scale = share(out->second, s.second);
  const Memory& sram = device.memories[static_cast<std::size_t>(out->sram)];
  npu.arena_limit = sram.free();
  return out;
}

}  // namespace dse::hw::ethos_u
