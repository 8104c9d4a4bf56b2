#include <algorithm>

#include "reports/diff/diff_parts.h"
#include "reports/words/energy.h"

namespace dse::reports::parts {
namespace {

/// Where one figure per memory and engine says it all: every byte of a memory takes the same.
std::vector<EnergyCause> by_figure(const RecordedPoint& m, const std::vector<explore::LayerUse::Moved>& moved,
                                   std::int64_t all) {
  std::vector<EnergyCause> out;
  for (const auto& used : m.point.run.memories) {
    const auto i = static_cast<std::size_t>(used.memory);
    const auto bytes = used.read + used.written;
    if (bytes == 0 || i >= moved.size()) continue;
    const auto each = m.point.energies_fj.at(i) / bytes;
    const auto& name = m.front.memories.at(i).name;
    out.push_back({name, "read", each * moved[i].read});
    out.push_back({name, "written", each * moved[i].written});
    all -= each * (moved[i].read + moved[i].written);
  }
  out.push_back({"", "arithmetic", all});
  std::erase_if(out, [](const EnergyCause& c) { return c.fj == 0; });
  return out;
}

std::vector<EnergyCause> causes_of(const RecordedPoint& m) {
  if (!m.point.run.energy.empty()) return energy_causes(m.front, m.point.run.energy);
  std::vector<explore::LayerUse::Moved> moved(m.front.memories.size());
  for (const auto& used : m.point.run.memories)
    moved.at(static_cast<std::size_t>(used.memory)) = {used.read, used.written};
  return by_figure(m, moved, m.point.run.energy_fj);
}

}  // namespace

void add_energy(const RecordedPoint& m, std::size_t row, std::int64_t Pair::*side, LayerDiff& out) {
  const auto& use = m.point.uses.at(row);
  const auto causes =
      use.energy.empty() ? by_figure(m, use.memories, use.energy_fj) : energy_causes(m.front, use.energy);
  for (const auto& c : causes) out.energy[{c.block, c.cause}].*side += c.fj;
}

void diff_energy(const RecordedPoint& a, const RecordedPoint& b, PointDiff& out) {
  const auto &p = a.point.run.energy, &q = b.point.run.energy;
  if (p.empty() && q.empty()) return;
  out.leakage_fj = {p.all_leaked(), q.all_leaked()};
  const auto add = [&](const RecordedPoint& m, std::int64_t Pair::*side) {
    for (const auto& c : causes_of(m)) {
      auto it = std::find_if(out.energy.begin(), out.energy.end(),
                             [&](const EnergyDiff& e) { return e.block == c.block && e.cause == c.cause; });
      if (it == out.energy.end()) it = out.energy.insert(it, {c.block, c.cause, {}});
      it->fj.*side += c.fj;
    }
  };
  add(a, &Pair::a), add(b, &Pair::b);
}

}  // namespace dse::reports::parts
