#include "reports/diff/point_diff.h"

#include <algorithm>
#include <numeric>

namespace dse::reports {

TimeUnit common_time(std::int64_t a, std::int64_t b, const Pair& ticks) {
  TimeUnit unit;
  const auto common = std::gcd(a, b);
  Pair time;
  if (__builtin_mul_overflow(a / common, b, &unit.per_second)) return {};
  unit.per_tick = {b / common, a / common};
  // No part of an account is larger than its total.
  if (__builtin_mul_overflow(ticks.a, unit.per_tick.a, &time.a) ||
      __builtin_mul_overflow(ticks.b, unit.per_tick.b, &time.b))
    return {};
  return unit;
}

const char* name_of(Presence p) {
  static const char* const names[] = {"both", "only in A", "only in B"};
  return names[static_cast<int>(p)];
}

std::string name_of(const LayerDiff& l) {
  return l.presence == Presence::both ? l.name : l.name + " (" + name_of(l.presence) + ")";
}

bool PointDiff::equal() const {
  const auto layer_equal = [](const LayerDiff& l) {
    const auto same = [](const auto& moved) { return moved.second.change() == 0; };
    return l.presence == Presence::both && l.choices.empty() &&
           std::all_of(l.causes.begin(), l.causes.end(), [](const Pair& p) { return p.change() == 0; }) &&
           l.hidden_dma.change() == 0 && l.energy_fj.change() == 0 && std::all_of(l.read.begin(), l.read.end(), same) &&
           std::all_of(l.written.begin(), l.written.end(), same);
  };
  const auto memory_equal = [](const MemoryDiff& m) {
    return m.presence == Presence::both && m.arena.change() == 0 && m.load.change() == 0 &&
           std::all_of(m.buffers.begin(), m.buffers.end(), [](const auto& b) { return b.bytes.change() == 0; });
  };
  return std::none_of(circumstances.begin(), circumstances.end(), [](const auto& c) { return c.name != "origin"; }) &&
         a.timed == b.timed && choices.empty() && program_bytes.change() == 0 && tasks.change() == 0 &&
         startup_bytes.change() == 0 && memory.change() == 0 &&
         std::all_of(layers.begin(), layers.end(), layer_equal) &&
         std::all_of(memories.begin(), memories.end(), memory_equal);
}

}  // namespace dse::reports
