#include "explore/npu/whole_system.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostics.h"
#include "base/index.h"
#include "models/hw/clocking.h"
#include "plan/lower/lower.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/npu/program/sections.h"
#include "sim/platform.h"

namespace dse::explore::npu {
namespace {

/// Cycles of a memory of another clock.
std::int64_t latency_of(const hw::Device& d, const hw::Memory& m, std::int64_t clock_hz) {
  return hw::scale_up(m.latency, clock_hz, m.clock_hz ? m.clock_hz : d.clock_hz);
}

/// Where an area of the NPU lies: 0 the SRAM, 1 what is behind the second port.
int memory_of(const hw::ethos_u::Npu& npu, hw::ethos_u::Area a) {
  using hw::ethos_u::Area;
  return a == Area::sram || (a == Area::on_chip_flash && npu.mode == hw::ethos_u::MemoryMode::sram_only) ? 0 : 1;
}

hw::Memory memory(const char* name, const hw::ethos_u::Npu& npu, const hw::ethos_u::MemoryPort& port, int leading) {
  constexpr std::int64_t kScale = 1'000'000;  // shares of a port's bytes are given in thousandths and finer
  hw::Memory m;
  m.name = name, m.size = std::int64_t{1} << 32, m.clock_hz = npu.system->clock_hz, m.alignment = 16;
  m.width = {std::llround(npu.acc().axi_bits / 8.0 * port.clock_scale * std::min(port.ports, leading) * kScale),
             kScale};
  return m;
}

/// Whole ones.
std::int64_t cycles_of(std::int64_t ticks, const hw::Clock& clock) {
  return std::llround(
      std::floor(static_cast<double>(ticks) * static_cast<double>(clock.hz) / static_cast<double>(clock.tick_hz)));
}

double microseconds(std::int64_t ticks, const hw::Device& d) {
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(d.tick_hz());
}

}  // namespace

hw::DevicePtr device_of(const hw::ethos_u::Npu& npu, const hw::Device& cpu, std::int64_t hand_over) {
  const int at = cpu.cpu();
  ensure(at >= 0, cpu.name + " has no CPU");
  const auto& system = *npu.system;
  auto out = std::make_shared<hw::Device>();
  out->name = cpu.name, out->clock_hz = cpu.clock_hz, out->kernel_library = cpu.kernel_library;
  out->control = cpu.control, out->arbitration = cpu.arbitration;
  auto sram = memory("sram", npu, system.sram, npu.acc().sram_ports());
  auto second = memory("second", npu, system.second_port, npu.acc().other_ports());
  sram.on_chip = true, sram.ports = 2;  // reads and writes have one each
  for (const auto& m : cpu.memories)
    if (m.on_chip) sram.latency = std::max(sram.latency, latency_of(cpu, m, system.clock_hz));
  if (cpu.constants >= 0) second.latency = latency_of(cpu, cpu.memories[index(cpu.constants)], system.clock_hz);
  out->memories = {std::move(sram), std::move(second)};
  out->constants = memory_of(npu, npu.constants()), out->io = memory_of(npu, npu.feature_maps());
  hw::Engine core = cpu.engines[index(at)], unit;
  if (core.clock_hz == 0) core.clock_hz = cpu.clock_hz;
  core.memories = {0, 1};
  unit.name = "npu", unit.kind = hw::EngineKind::npu, unit.memories = {0, 1}, unit.clock_hz = system.clock_hz;
  unit.accelerator = std::string(npu.acc().name), unit.memory_mode = hw::ethos_u::name_of(npu.mode);
  if (hw::ethos_u::find_system(system.name)) unit.system = std::string(system.name);
  unit.hand_over = hand_over;
  out->control.engine = cpu.control.engine == at ? 0 : -1;
  out->engines = {std::move(core), std::move(unit)};
  return out;
}

SystemTime time_of(const Compiled& c, const Simulated& s, const hw::Device& cpu, std::int64_t hand_over) {
  SystemTime out;
  const auto device = device_of(c.npu, cpu, hand_over);
  const auto made = plan::npu::npu_plan(*device, std::make_shared<const Compiled>(c));
  if (const auto* lacking = std::get_if<plan::Infeasible>(&made)) {
    out.error = lacking->what;
    return out;
  }
  const auto program = plan::lower(*c.network, *device, std::get<plan::Plan>(made));
  auto& platform = sim::Platform::instance();
  platform.configure(device);
  const auto run =
      platform.run({sim::whole_program(program, *device)}, {.data = false, .accounts = false, .trace = true});
  if (run.failure) {
    out.error = run.failure->what;
    return out;
  }
  const hw::Clock unit(*device, c.npu.system->clock_hz), core(*device, device->engines[0].clock_hz);
  const auto sections = plan::npu::sections_of(c);
  std::vector<std::int64_t> taken(c.graph->fallbacks.size(), 0);
  std::int64_t ticks = run.ticks, cpu_ticks = 0;
  std::size_t invocation = 0;
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const auto& t = run.trace[i];
    const auto& section = sections[index(t.section)];
    if (section.on_npu)
      ticks += run.details[i].fixed + unit.ticks(s.invocations[invocation++]) - (t.end - t.start);
    else
      taken[index(section.number)] += t.end - t.start, cpu_ticks += t.end - t.start;
  }
  for (std::size_t f = 0; f < taken.size(); ++f) {
    const auto& fallback = c.graph->fallbacks[f];
    out.cpu.push_back({.source = fallback.source, .why = fallback.why, .cycles = cycles_of(taken[f], core)});
  }
  out.active = s.pmu.active, out.hand_over = hand_over * std::ssize(s.invocations);
  out.on_cpu = cycles_of(cpu_ticks, unit), out.total = hw::scale_up(ticks, unit.hz, unit.tick_hz);
  out.control = out.total - out.active - out.hand_over - out.on_cpu;
  out.cpu_us = microseconds(cpu_ticks, *device), out.total_us = microseconds(ticks, *device);
  return out;
}

}  // namespace dse::explore::npu
