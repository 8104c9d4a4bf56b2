#include "models/hw/device.h"

#include <algorithm>
#include <cmath>

#include "base/fnv.h"

namespace dse::hw {

const char* name_of(EngineKind k) {
  static const char* const words[] = {"dma", "mac-array", "cpu", "npu"};
  return words[static_cast<int>(k)];
}

bool Engine::reaches(int memory) const { return std::find(memories.begin(), memories.end(), memory) != memories.end(); }

namespace {

template <class Things>
int index_of(const Things& things, const std::string& name) {
  for (std::size_t i = 0; i < things.size(); ++i)
    if (things[i].name == name) return static_cast<int>(i);
  return -1;
}

int first_of(const std::vector<Engine>& engines, EngineKind kind) {
  for (std::size_t i = 0; i < engines.size(); ++i)
    if (engines[i].kind == kind) return static_cast<int>(i);
  return -1;
}

/// Every value is preceded by its length or is of fixed width, so that no two devices spell the same bytes.
class Hash {
 public:
  void add(std::int64_t v) { fnv_.word(v); }
  void add(const std::string& s) { fnv_.word(static_cast<std::int64_t>(s.size())).characters(s); }
  void add(Ratio r) { add(r.num), add(r.den); }
  void add(const std::map<std::string, Ratio>& m) {
    add(static_cast<std::int64_t>(m.size()));
    for (const auto& [key, value] : m) add(key), add(value);
  }
  /// Energies have at most six decimals (base/unit_text.h).
  void add_energy(double pj) { add(std::llround(pj * 1e6)); }
  std::string hex() const { return fnv_.hex(); }

 private:
  Fnv fnv_;
};

}  // namespace

int Device::memory(const std::string& n) const { return index_of(memories, n); }
int Device::engine(const std::string& n) const { return index_of(engines, n); }

std::int64_t Device::tick_hz() const {
  std::int64_t hz = clock_hz;
  for (const auto& m : memories) hz = std::max(hz, m.clock_hz);
  for (const auto& e : engines) hz = std::max(hz, e.clock_hz);
  return hz;
}

int Device::compute_engine() const {
  const int array = first_of(engines, EngineKind::mac_array);
  return array >= 0 ? array : cpu();
}

int Device::cpu() const { return first_of(engines, EngineKind::cpu); }

int Device::copy_engine(int from, int to) const {
  for (std::size_t i = 0; i < engines.size(); ++i)
    for (const auto& [a, b] : engines[i].links)
      if ((a == from && b == to) || (a == to && b == from)) return static_cast<int>(i);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    const auto& e = engines[i];
    if (e.kind == EngineKind::cpu && !e.copy_bytes_per_cycle.zero() && e.reaches(from) && e.reaches(to))
      return static_cast<int>(i);
  }
  return -1;
}

std::string Device::hash() const {
  Hash h;
  h.add(clock_hz), h.add(kernel_library), h.add(arbitration), h.add(constants), h.add(io);
  h.add(control.issue), h.add(control.wait), h.add(control.engine);
  h.add(static_cast<std::int64_t>(memories.size()));
  for (const auto& m : memories) {
    h.add(m.name), h.add(m.size), h.add(m.width), h.add(m.latency), h.add(m.ports), h.add(m.banks),
        h.add(m.on_chip ? 1 : 0);
    h.add(m.reserved), h.add_energy(m.energy_pj_per_byte), h.add(m.clock_hz), h.add(m.alignment);
  }
  h.add(static_cast<std::int64_t>(engines.size()));
  for (const auto& e : engines) {
    h.add(e.name), h.add(static_cast<std::int64_t>(e.kind)), h.add(e.clock_hz), h.add(e.queue);
    h.add(static_cast<std::int64_t>(e.links.size()));
    for (const auto& [a, b] : e.links) h.add(a), h.add(b);
    h.add(e.channels), h.add(e.dimensions), h.add(e.setup), h.add(e.per_row), h.add(e.outstanding), h.add(e.burst);
    h.add(static_cast<std::int64_t>(e.memories.size()));
    for (int m : e.memories) h.add(m);
    h.add(e.macs_per_cycle), h.add(e.efficiency), h.add(e.cycles_per_mac), h.add(e.cycles_per_element);
    h.add(e.dispatch), h.add(e.kernel_switch), h.add(e.copy_bytes_per_cycle), h.add_energy(e.energy_pj_per_mac);
  }
  // Fields that came later count where they are used, so that older devices keep their hashes.
  for (std::size_t i = 0; i < engines.size(); ++i)
    if (!engines[i].cycles_per_shift.zero())
      h.add(std::string("cycles_per_shift")), h.add(static_cast<std::int64_t>(i)), h.add(engines[i].cycles_per_shift);
  if (input_from >= 0) h.add(std::string("input_from")), h.add(input_from);
  return h.hex();
}

}  // namespace dse::hw
