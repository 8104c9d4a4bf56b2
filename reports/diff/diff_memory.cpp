#include <fmt/format.h>

#include <algorithm>

#include "reports/diff/diff_parts.h"

namespace dse::reports::parts {
namespace {

using nlohmann::json;

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
std::string called(const json& buffer) {
  const auto tensor = buffer.at("tensor").get<std::string>();
  return tensor.empty() ? buffer.at("name").get<std::string>() : tensor;
}

/// An operator in place made it: in its first layer its bytes are those of the tensor that ends there.
bool taken_over(const json& b, const json& buffers) {
  if (b.at("role") != "tensor" || !b.contains("offset")) return false;
  return std::any_of(buffers.begin(), buffers.end(), [&](const json& o) {
    return o.at("role") == "tensor" && o.contains("offset") && o.at("name") != b.at("name") &&
           o.at("memory") == b.at("memory") && o.at("offset") == b.at("offset") && o.at("size") == b.at("size") &&
           o.at("last_layer") == b.at("first_layer") && o.at("first_layer") < b.at("first_layer");
  });
}

/// What a buffer takes when the section whose first row this is needs most: all of it, unless it has windows there.
std::int64_t bytes_at_peak(const json& buffer, int first_row) {
  if (const auto it = buffer.find("at_peak"); it != buffer.end())
    for (const auto& entry : *it)
      if (entry.at(0) == first_row) return entry.at(1).get<std::int64_t>();
  return buffer.at("counted_bytes").get<std::int64_t>();
}

Peak peak_of(const Measured& m, const std::string& memory, std::int64_t constants) {
  const auto& point = m.point;
  Peak out;
  std::vector<std::size_t> section;  // of each row of the account
  std::vector<int> first_row;        // of each section
  std::string segment;
  for (const auto& row : point.at("account")) {
    const auto phased = row.value("segment", std::string());
    if (phased.empty() || phased != segment) {
      out.names.push_back(phased.empty() ? row.value("layer", std::string("?")) : phased);
      first_row.push_back(static_cast<int>(section.size()));
    }
    segment = phased;
    section.push_back(out.names.size() - 1);
  }
  const auto rows = static_cast<int>(section.size()), sections = static_cast<int>(out.names.size());
  out.live.resize(out.names.size());
  for (const auto& b : point.at("buffers")) {
    if (b.at("memory") != memory) continue;
    const int first = b.at("first_layer"), last = b.at("last_layer");
    if (first < 0 || last >= rows)
      throw DiffError(m.label + ": " + called(b) + " lives in a layer that is not in the account");
    if (first > last) continue;
    const auto begin = section[static_cast<std::size_t>(first)] + (taken_over(b, point.at("buffers")) ? 1 : 0);
    for (auto s = begin; s <= section[static_cast<std::size_t>(last)]; ++s)
      if (const auto bytes = bytes_at_peak(b, first_row[s]); bytes > 0 || !b.contains("at_peak"))
        out.live[s].push_back({called(b), b.at("role").get<std::string>(), bytes});
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

const json* find(const json& list, const char* key, const std::string& name) {
  for (const auto& entry : list)
    if (entry.at(key) == name) return &entry;
  return nullptr;
}

std::vector<std::string> memories_of(const Measured& m) {
  std::vector<std::string> out;
  for (const auto& memory : m.front.at("memories")) out.push_back(memory.at("name"));
  return out;
}

/// One side's memory. @returns its peak
Peak add_side(const Measured& m, std::int64_t Pair::*side, bool& on_chip, MemoryDiff& out) {
  const auto* described = find(m.front.at("memories"), "name", out.name);
  if (described == nullptr) return {};
  on_chip = described->at("on_chip").get<bool>();
  out.size.*side = described->at("size_bytes").get<std::int64_t>();
  const auto* used = find(m.point.at("memories"), "memory", out.name);
  if (used == nullptr) return {};
  out.arena.*side = used->at("arena_bytes").get<std::int64_t>();
  out.read.*side = used->at("read_bytes").get<std::int64_t>();
  out.written.*side = used->at("written_bytes").get<std::int64_t>();
  out.energy_fj.*side = used->at("energy_fj").get<std::int64_t>();
  return peak_of(m, out.name, used->at("constants_bytes").get<std::int64_t>());
}

}  // namespace

void diff_memories(const Measured& a, const Measured& b, PointDiff& out) {
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
  for (const auto& m : out.memories) {
    out.load += {m.on_chip_a ? m.load.a : 0, m.on_chip_b ? m.load.b : 0};
    if (!out.timed) continue;
    out.traffic += {m.on_chip_a ? 0 : m.read.a + m.written.a, m.on_chip_b ? 0 : m.read.b + m.written.b};
    out.arithmetic_fj += {-m.energy_fj.a, -m.energy_fj.b};
  }
}

}  // namespace dse::reports::parts
