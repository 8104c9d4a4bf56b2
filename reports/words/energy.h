// Where a point's energy goes, cause by cause, where its device takes it apart: for every report that tells it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "reports/words/document.h"

namespace dse::reports {

/// f(name in results.json, in words, femtojoules): what a memory and an engine take energy for, in order.
template <class Memory, class F>
void memory_causes(Memory& m, const F& f) {
  f("read_fj", "read", m.read), f("written_fj", "written", m.written), f("leakage_fj", "leakage", m.leaked);
}
template <class Engine, class F>
void engine_causes(Engine& e, const F& f) {
  f("macs_fj", "MACs", e.macs), f("macs_int16_fj", "16-bit MACs", e.macs_int16);
  f("elements_fj", "elements", e.elements), f("cycles_fj", "cycles", e.cycles), f("leakage_fj", "leakage", e.leaked);
}

/// Points of this front say by cause what takes their energy.
bool tells_energy(const explore::Front& front);

struct EnergyCause {
  std::string block;  // "l1", "array"; empty: the device, apart from memories and engines
  std::string cause;  // "read", "16-bit MACs", "leakage"
  std::int64_t fj = 0;
};
/// All that takes some: memories, engines, the rest, in the device's order. They add up to the energy.
std::vector<EnergyCause> energy_causes(const explore::Front& front, const sim::Energy& energy);

/// Femtojoules as "1,234.567" picojoules, and with a sign before what is more than nothing.
std::string picojoules(std::int64_t fj);
std::string signed_picojoules(std::int64_t fj);

/// By cause, with shares; of a point whose energy is taken apart.
Table energy_table(const explore::Front& front, const explore::Point& p);
/// By layer: what each memory and each engine take for their work, and leakage.
Table layer_energy_table(const explore::Front& front, const explore::Point& p);

}  // namespace dse::reports
