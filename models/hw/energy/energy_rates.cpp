#include "models/hw/energy/energy_rates.h"

#include <algorithm>

namespace dse::hw {

EnergyRates::EnergyRates(const Device& device) {
  const double hz = static_cast<double>(std::max<std::int64_t>(device.tick_hz(), 1));
  const auto leaked = [&](double microwatts) { return std::llround(microwatts * 1e9 / hz); };
  const auto either = [](double own, double both) { return femtojoules(own < 0 ? both : own); };
  for (const auto& m : device.memories) {
    auto& r = memories.emplace_back();
    r.read = either(m.energy_pj_per_byte_read, m.energy_pj_per_byte);
    r.write = either(m.energy_pj_per_byte_written, m.energy_pj_per_byte);
    r.access = femtojoules(m.energy_pj_per_access);
    r.width = std::max<std::int64_t>(1, m.width.num / m.width.den);
    r.tick = leaked(m.leakage());
    by_cause |= r.read != r.write || r.access > 0 || m.leakage() > 0;
  }
  for (const auto& e : device.engines) {
    auto& r = engines.emplace_back();
    r.mac = femtojoules(e.energy_pj_per_mac);
    r.mac_int16 = either(e.energy_pj_per_mac_int16, e.energy_pj_per_mac);
    r.element = femtojoules(e.energy_pj_per_element);
    r.cycle = femtojoules(e.energy_pj_per_cycle);
    r.tick = leaked(e.leakage_uw);
    by_cause |= r.mac != r.mac_int16 || r.element > 0 || r.cycle > 0 || e.leakage_uw > 0;
  }
  tick = leaked(device.leakage_uw);
  by_cause |= device.leakage_uw > 0;
}

std::int64_t EnergyRates::per_tick() const {
  std::int64_t sum = tick;
  for (const auto& m : memories) sum += m.tick;
  for (const auto& e : engines) sum += e.tick;
  return sum;
}

std::int64_t EnergyRates::of(const program::TaskCost& cost, int engine) const {
  const auto& e = engines[static_cast<std::size_t>(engine)];
  std::int64_t sum = cost.macs * (cost.wide ? e.mac_int16 : e.mac) + cost.elements * e.element + cost.cycles * e.cycle;
  for (int i = 0; i < cost.flow_count; ++i) {
    const auto& flow = cost.flows[static_cast<std::size_t>(i)];
    sum += memories[static_cast<std::size_t>(flow.memory)].of(flow);
  }
  return sum;
}

}  // namespace dse::hw
