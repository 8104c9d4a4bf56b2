#include "models/hw/device.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/fnv.h"

namespace dse::hw {

const char* name_of(EngineKind k) {
  static const char* const words[] = {"dma", "mac-array", "cpu", "npu", "table"};
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

template <class Is>
int first_that(const std::vector<Engine>& engines, const Is& is) {
  const auto it = std::find_if(engines.begin(), engines.end(), is);
  return it == engines.end() ? -1 : static_cast<int>(it - engines.begin());
}

/// Every value is preceded by its length or is of fixed width, so that no two devices spell the same bytes.
class Hash {
 public:
  template <class T>
  void add(const T& v) {
    if constexpr (std::is_class_v<T>)
      for_each_field(v, *this);
    else if constexpr (std::is_floating_point_v<T>)
      fnv_.word(std::llround(v * 1e6));  // energies, which have at most six decimals (base/unit_text.h)
    else
      fnv_.word(static_cast<std::int64_t>(v));
  }
  void add(const std::string& s) { fnv_.word(static_cast<std::int64_t>(s.size())).characters(s); }
  void add(const Ratio& r) { add(r.num), add(r.den); }
  template <class A, class B>
  void add(const std::pair<A, B>& p) {
    add(p.first), add(p.second);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    const auto outer = at_;
    for (std::size_t i = 0; i < list.size(); ++i) at_ = i, add(list[i]);
    at_ = outer;
  }
  void add(const std::map<std::string, Ratio>& table) {
    add(table.size());
    for (const auto& entry : table) add(entry);
  }

  template <class T>
  void operator()(const char*, const T& field) {
    add(field);
  }
  template <class T>
  void operator()(const char* name, const T& field, const Later<T>& later) {
    if (field == later.usual) return;
    later_.push_back([this, name = std::string(name), at = at_, &field] {
      add(name);
      if (at) add(*at);
      add(field);
    });
  }
  template <class T>
  void operator()(const char*, const T&, Never) {}

  std::string hex() {
    for (const auto& add_it : later_) add_it();
    return fnv_.hex();
  }

 private:
  Fnv fnv_;
  std::optional<std::size_t> at_;             // of the memory or engine that is being added
  std::vector<std::function<void()>> later_;  // behind everything else, so that older devices keep their hashes
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
  const int array = first_that(engines, [](const Engine& e) { return e.is_array() && !e.partial(); });
  return array >= 0 ? array : cpu();
}

int Device::cpu() const {
  return first_that(engines, [](const Engine& e) { return e.kind == EngineKind::cpu; });
}

int Device::npu() const {
  return first_that(engines, [](const Engine& e) { return e.kind == EngineKind::npu; });
}

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

std::optional<double> Device::area_mm2() const {
  double um2 = area_um2;
  for (const auto& m : memories) um2 += m.area_um2 + m.area_um2_per_kib * static_cast<double>(m.size) / 1024;
  for (const auto& e : engines) {
    double peak = 0;
    for (const auto& [type, macs] : e.macs_per_cycle) peak = std::max(peak, macs.value());
    um2 += e.area_um2 + e.area_um2_per_mac * peak;
    if (e.kind == EngineKind::dma) um2 += e.area_um2_per_channel * e.channels;
    if (e.kind == EngineKind::mac_array) um2 += e.area_um2_per_core * e.cores;
  }
  return um2 > 0 ? std::optional(um2 / 1e6) : std::nullopt;
}

bool Device::states_energies() const {
  const auto memory = [](const Memory& m) {
    return std::max({m.energy_pj_per_byte, m.energy_pj_per_byte_read, m.energy_pj_per_byte_written,
                     m.energy_pj_per_access, m.leakage_uw, m.leakage_uw_per_kib}) > 0;
  };
  const auto engine = [](const Engine& e) {
    return std::max({e.energy_pj_per_mac, e.energy_pj_per_mac_int16, e.energy_pj_per_element, e.energy_pj_per_cycle,
                     e.leakage_uw}) > 0;
  };
  return leakage_uw > 0 || std::any_of(memories.begin(), memories.end(), memory) ||
         std::any_of(engines.begin(), engines.end(), engine);
}

std::string Device::hash() const {
  Hash h;
  h.add(*this);
  return h.hex();
}

}  // namespace dse::hw
