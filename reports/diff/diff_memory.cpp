#include <fmt/format.h>

#include <algorithm>

#include "reports/diff/diff_parts.h"
#include "reports/words/format.h"

namespace dse::reports::parts {
namespace {

struct Live {
  std::string name, role;
  std::int64_t bytes;
};

/// One memory of one side: what its arena holds when it holds most.
struct Peak {
  std::int64_t load = 0;
  std::vector<int> layers;              // all sections in which `load` is reached
  std::vector<std::string> names;       // of all sections: a layer, or a segment of several that run by phases
  std::vector<std::vector<Live>> live;  // per section
};

/// Tensors go by what they hold: their numbers differ from network to network.
std::string called(const explore::BufferLife& b) { return b.tensor.empty() ? b.name : b.tensor; }

/// An operator in place made it: in its first layer its bytes are those of the tensor that ends there.
bool taken_over(const explore::BufferLife& b, const std::vector<explore::BufferLife>& buffers) {
  return b.role == "tensor" && std::any_of(buffers.begin(), buffers.end(), [&](const auto& o) {
           return o.role == "tensor" && o.name != b.name && o.memory == b.memory && o.offset == b.offset &&
                  o.size == b.size && o.last == b.first && o.first < b.first;
         });
}

/// What a buffer takes when the section whose first row this is needs most: all of it, unless it has windows there.
std::int64_t bytes_at_peak(const explore::BufferLife& b, int first_row) {
  for (const auto& [row, bytes] : b.at_peak)
    if (row == first_row) return bytes;
  return b.counted;
}

Peak peak_of(const RecordedPoint& m, const std::string& memory, std::int64_t constants) {
  const auto& point = m.point;
  Peak out;
  std::vector<std::size_t> section;  // of each row of the account
  std::vector<int> first_row;        // of each section
  std::string segment;
  for (std::size_t row = 0; row < point.run.layers.size(); ++row) {
    const auto phased = segment_of(point, row);
    if (phased.empty() || phased != segment) {
      out.names.push_back(phased.empty() ? layer_of(point, row) : phased);
      first_row.push_back(static_cast<int>(row));
    }
    segment = phased;
    section.push_back(out.names.size() - 1);
  }
  const auto rows = static_cast<int>(section.size()), sections = static_cast<int>(out.names.size());
  out.live.resize(out.names.size());
  for (const auto& b : point.buffers) {
    if (b.memory != memory) continue;
    if (b.first < 0 || b.last >= rows)
      throw RecordError(m.label + ": " + called(b) + " lives in a layer that is not in the account");
    if (b.first > b.last) continue;
    const auto begin = section[static_cast<std::size_t>(b.first)] + (taken_over(b, point.buffers) ? 1 : 0);
    for (auto s = begin; s <= section[static_cast<std::size_t>(b.last)]; ++s)
      if (const auto bytes = bytes_at_peak(b, first_row[s]); bytes > 0 || b.at_peak.empty())
        out.live[s].push_back({called(b), b.role, bytes});
  }
  for (int l = 0; l < sections; ++l) {
    auto& live = out.live[static_cast<std::size_t>(l)];
    if (constants > 0) live.push_back({"constants", "constants", constants});
    std::int64_t sum = 0;
    for (const auto& b : live) sum += b.bytes;
    if (sum > out.load) out.load = sum, out.layers.clear();
    if (sum == out.load) out.layers.push_back(l);
  }
  return out;
}

/// Where both sides reach their peaks in layers of the same name, there; else each at its first.
std::pair<int, int> moments(const Peak& a, const Peak& b) {
  for (const int i : a.layers)
    for (const int j : b.layers)
      if (a.names[static_cast<std::size_t>(i)] == b.names[static_cast<std::size_t>(j)]) return {i, j};
  return {a.layers.empty() ? -1 : a.layers.front(), b.layers.empty() ? -1 : b.layers.front()};
}

void add_live(const Peak& p, int moment, std::int64_t Pair::*side, std::string& peak, MemoryDiff& out) {
  out.load.*side = p.load;
  if (moment < 0 || p.load == 0) return;
  peak = p.names[static_cast<std::size_t>(moment)];
  for (const auto& live : p.live[static_cast<std::size_t>(moment)]) {
    auto it = std::find_if(out.buffers.begin(), out.buffers.end(),
                           [&](const BufferDiff& b) { return b.name == live.name && b.role == live.role; });
    if (it == out.buffers.end()) it = out.buffers.insert(it, {live.name, live.role, {}});
    it->bytes.*side += live.bytes;
    out.roles[live.role].*side += live.bytes;
  }
}

std::vector<std::string> memories_of(const RecordedPoint& m) {
  std::vector<std::string> out;
  for (const auto& memory : m.front.memories) out.push_back(memory.name);
  return out;
}

/// One side's memory. @returns its peak
Peak add_side(const RecordedPoint& m, std::int64_t Pair::*side, bool& on_chip, MemoryDiff& out) {
  const auto& described = m.front.memories;
  const auto it = std::find_if(described.begin(), described.end(), [&](const auto& d) { return d.name == out.name; });
  if (it == described.end()) return {};
  const auto i = static_cast<std::size_t>(it - described.begin());
  on_chip = it->on_chip;
  out.size.*side = it->size;
  for (const auto& used : m.point.run.memories) {
    if (used.memory != static_cast<int>(i)) continue;
    out.arena.*side = used.arena;
    out.read.*side = used.read;
    out.written.*side = used.written;
    out.energy_fj.*side = m.point.energies_fj.at(i);
    return peak_of(m, out.name, m.point.images.at(i));
  }
  return {};
}

}  // namespace

void diff_memories(const RecordedPoint& a, const RecordedPoint& b, PointDiff& out) {
  const auto in_a = memories_of(a), in_b = memories_of(b);
  for (const auto& name : merged(in_a, in_b)) {
    MemoryDiff m;
    m.name = name;
    if (std::count(in_b.begin(), in_b.end(), name) == 0) m.presence = Presence::only_a;
    if (std::count(in_a.begin(), in_a.end(), name) == 0) m.presence = Presence::only_b;
    const auto peak_a = add_side(a, &Pair::a, m.on_chip_a, m), peak_b = add_side(b, &Pair::b, m.on_chip_b, m);
    const auto [at_a, at_b] = moments(peak_a, peak_b);
    add_live(peak_a, at_a, &Pair::a, m.peak_a, m);
    add_live(peak_b, at_b, &Pair::b, m.peak_b, m);
    m.packing = {m.arena.a - m.load.a, m.arena.b - m.load.b};
    out.memories.push_back(std::move(m));
  }
  out.arithmetic_fj = out.energy_fj;
  out.arithmetic_fj += {-out.leakage_fj.a, -out.leakage_fj.b};
  for (const auto& m : out.memories) {
    out.load += {m.on_chip_a ? m.load.a : 0, m.on_chip_b ? m.load.b : 0};
    if (!out.timed) continue;
    out.traffic += {m.on_chip_a ? 0 : m.read.a + m.written.a, m.on_chip_b ? 0 : m.read.b + m.written.b};
    out.arithmetic_fj += {-m.energy_fj.a, -m.energy_fj.b};
  }
}

}  // namespace dse::reports::parts
