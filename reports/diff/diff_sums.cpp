// That every table of a comparison adds up is not hoped but checked.
#include <fmt/format.h>

#include "reports/diff/diff_parts.h"

namespace dse::reports::parts {
namespace {

void require(const Pair& sum, const Pair& total, const PointDiff& d, const std::string& what) {
  const auto fail = [&](const std::string& label, std::int64_t parts, std::int64_t whole) {
    throw RecordError(fmt::format("{}: {} add up to {}, but the total is {}", label, what, parts, whole));
  };
  if (sum.a != total.a) fail(d.a.label, sum.a, total.a);
  if (sum.b != total.b) fail(d.b.label, sum.b, total.b);
}

void check_layers(const PointDiff& d) {
  Pair cycles, macs, energy;
  std::map<std::string, Pair> read, written;
  std::map<std::pair<std::string, std::string>, Pair> causes_fj;
  for (const auto& l : d.layers) {
    Pair causes;
    for (const auto& c : l.causes) causes += c;
    require(causes, l.cycles, d, "the causes of layer " + l.name);
    cycles += l.cycles, macs += l.macs, energy += l.energy_fj;
    Pair by_cause;
    for (const auto& [cause, fj] : l.energy) by_cause += fj, causes_fj[cause] += fj;
    require(by_cause, l.energy_fj, d, "what layer " + l.name + " takes energy for");
    for (const auto& [memory, bytes] : l.read) read[memory] += bytes;
    for (const auto& [memory, bytes] : l.written) written[memory] += bytes;
  }
  require(cycles, d.cycles, d, "the cycles of the layers");
  require(macs, d.macs, d, "the multiply-accumulates of the layers");
  require(energy, d.energy_fj, d, "the energies of the layers");
  Pair by_cause;
  for (const auto& e : d.energy) {
    by_cause += e.fj;
    require(causes_fj[{e.block, e.cause}], e.fj, d, "what the layers take for " + e.cause + " of " + e.block);
  }
  if (!d.energy.empty()) require(by_cause, d.energy_fj, d, "the causes of energy");
  for (const auto& m : d.memories) {
    require(read[m.name], m.read, d, "the bytes that the layers read from " + m.name);
    require(written[m.name], m.written, d, "the bytes that the layers write to " + m.name);
  }
}

void check_memories(const PointDiff& d) {
  Pair on_chip;
  for (const auto& m : d.memories) {
    on_chip += {m.on_chip_a ? m.arena.a : 0, m.on_chip_b ? m.arena.b : 0};
    Pair buffers, roles, parts = m.load;
    for (const auto& b : m.buffers) buffers += b.bytes;
    for (const auto& [role, bytes] : m.roles) roles += bytes;
    parts += m.packing;
    require(buffers, m.load, d, "the buffers alive at the peak of " + m.name);
    require(roles, m.load, d, "the roles of the buffers alive at the peak of " + m.name);
    require(parts, m.arena, d, "load and packing of " + m.name);
  }
  require(on_chip, d.memory, d, "the on-chip arenas");
}

}  // namespace

void check_sums(const PointDiff& d) {
  if (d.timed) check_layers(d);
  check_memories(d);
}

}  // namespace dse::reports::parts
