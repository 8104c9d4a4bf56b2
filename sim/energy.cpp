#include "sim/energy.h"

#include <algorithm>

namespace dse::sim {

void Energy::add(const hw::EnergyRates& rates, const program::TaskCost& cost, int engine) {
  const auto e = static_cast<std::size_t>(engine);
  auto& own = engines[e];
  const auto& rate = rates.engines[e];
  (cost.wide ? own.macs_int16 : own.macs) += cost.macs * (cost.wide ? rate.mac_int16 : rate.mac);
  own.elements += cost.elements * rate.element;
  own.cycles += cost.cycles * rate.cycle;
  for (int i = 0; i < cost.flow_count; ++i) {
    const auto& flow = cost.flows[static_cast<std::size_t>(i)];
    const auto m = static_cast<std::size_t>(flow.memory);
    (flow.write ? memories[m].written : memories[m].read) += rates.memories[m].of(flow);
  }
}

void Energy::add(const hw::EnergyRates& rates, const hw::RunLog& log, const std::vector<program::Queue>& queues) {
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const auto& rate = rates.memories[m];
    memories[m].read += log.read[m] * rate.read + log.read_accesses[m] * rate.access;
    memories[m].written += log.written[m] * rate.write + log.write_accesses[m] * rate.access;
  }
  for (std::size_t q = 0; q < queues.size(); ++q) {
    const auto& rate = rates.engines[static_cast<std::size_t>(queues[q].engine)];
    auto& e = engines[static_cast<std::size_t>(queues[q].engine)];
    e.macs += (log.macs[q] - log.macs_int16[q]) * rate.mac, e.macs_int16 += log.macs_int16[q] * rate.mac_int16;
    e.elements += log.elements[q] * rate.element, e.cycles += log.cycles[q] * rate.cycle;
  }
}

void Energy::pass(const hw::EnergyRates& rates, std::int64_t ticks) {
  for (std::size_t m = 0; m < memories.size(); ++m) memories[m].leaked += ticks * rates.memories[m].tick;
  for (std::size_t e = 0; e < engines.size(); ++e) engines[e].leaked += ticks * rates.engines[e].tick;
  leaked += ticks * rates.tick;
}

std::int64_t Energy::total() const {
  std::int64_t sum = leaked;
  for (const auto& m : memories) sum += m.read + m.written + m.leaked;
  for (const auto& e : engines) sum += e.macs + e.macs_int16 + e.elements + e.cycles + e.leaked;
  return sum;
}

std::int64_t Energy::all_leaked() const {
  std::int64_t sum = leaked;
  for (const auto& m : memories) sum += m.leaked;
  for (const auto& e : engines) sum += e.leaked;
  return sum;
}

Energy& Energy::operator+=(const Energy& o) {
  memories.resize(std::max(memories.size(), o.memories.size()));
  engines.resize(std::max(engines.size(), o.engines.size()));
  for (std::size_t m = 0; m < o.memories.size(); ++m) {
    memories[m].read += o.memories[m].read, memories[m].written += o.memories[m].written;
    memories[m].leaked += o.memories[m].leaked;
  }
  for (std::size_t e = 0; e < o.engines.size(); ++e) {
    auto& own = engines[e];
    const auto& more = o.engines[e];
    own.macs += more.macs, own.macs_int16 += more.macs_int16, own.elements += more.elements;
    own.cycles += more.cycles, own.leaked += more.leaked;
  }
  leaked += o.leaked;
  return *this;
}

}  // namespace dse::sim
