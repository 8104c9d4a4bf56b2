#include "explore/npu/whole_system.h"

#include <cmath>

#include "base/diagnostics.h"
#include "base/index.h"
#include "models/hw/compute_timing.h"

namespace dse::explore::npu {

SystemTime time_of(const Compiled& c, const Simulated& s, const hw::Device& cpu, std::int64_t hand_over) {
  SystemTime out;
  out.active = s.pmu.active;
  out.idle = hand_over * static_cast<std::int64_t>(s.invocations.size());
  const int core = cpu.cpu();
  ensure(core >= 0, cpu.name + " has no CPU");
  const hw::Engine& engine = cpu.engines[index(core)];
  const hw::ComputeTiming timing(engine, cpu.kernel_library);
  const double clock = static_cast<double>(engine.clock_hz ? engine.clock_hz : cpu.clock_hz);
  for (const auto& f : c.graph->fallbacks) {
    CpuOperator one{.source = f.source, .why = f.why, .cycles = 0};
    for (const auto& call : c.network->operators[index(f.source)].calls)
      one.cycles += timing.library().cycles(program::call_on(call.op, call.tile));
    out.cpu_us += static_cast<double>(one.cycles) / clock * 1e6;
    out.cpu.push_back(std::move(one));
  }
  const double npu_clock = static_cast<double>(c.npu.system->clock_hz);
  out.total_us = static_cast<double>(out.active + out.idle) / npu_clock * 1e6 + out.cpu_us;
  out.total_cycles = out.active + out.idle + static_cast<std::int64_t>(std::ceil(out.cpu_us * npu_clock / 1e6));
  return out;
}

}  // namespace dse::explore::npu
