#include "reports/diff/diff_words.h"
#include "reports/words/causes.h"

namespace dse::reports {
namespace {

using nlohmann::json;

json causes(const std::array<Pair, sim::kCauses>& list) {
  json out = json::object();
  for (std::size_t c = 0; c < list.size(); ++c) out[kCauseNames[c].key] = json_of(list[c]);
  return out;
}

json side(const PointDiff::Side& s) {
  return {{"label", s.label},   {"network", s.network},   {"device", s.device}, {"point", s.id},
          {"origin", s.origin}, {"clock_hz", s.clock_hz}, {"timed", s.timed}};
}

json energy_of(const std::string& block, const std::string& cause, const Pair& fj) {
  return {{"block", json_of(block)}, {"cause", cause}, {"fj", json_of(fj)}};
}

json energy(const PointDiff& d) {
  json out = json::array();
  for (const auto& e : d.energy) out.push_back(energy_of(e.block, e.cause, e.fj));
  return out;
}

json layer(const LayerDiff& l, const PointDiff& d) {
  json out = {{"layer", l.name},
              {"names", {{"a", json_of(l.name_a)}, {"b", json_of(l.name_b)}}},
              {"presence", name_of(l.presence)},
              {"choices", json_of(l.choices)},
              {"cycles", json_of(l.cycles)},
              {"causes", causes(l.causes)},
              {"hidden_dma_cycles", json_of(l.hidden_dma)},
              {"macs", json_of(l.macs)},
              {"memories", json::object()}};
  if (d.energy_known()) out["energy_fj"] = json_of(l.energy_fj);
  if (d.time.per_second > 0) out["time_units"] = json_of(d.time.of(l.cycles));
  if (!d.energy.empty()) {
    out["energy"] = json::array();
    for (const auto& [cause, fj] : l.energy)
      if (fj.change() != 0) out["energy"].push_back(energy_of(cause.first, cause.second, fj));
  }
  if (!l.segment_a.empty() || !l.segment_b.empty())
    out["segment"] = {{"a", json_of(l.segment_a)}, {"b", json_of(l.segment_b)}};
  for (const auto& m : d.memories) {
    const auto read = l.read.find(m.name), written = l.written.find(m.name);
    if (read == l.read.end() && written == l.written.end()) continue;
    out["memories"][m.name] = {{"read_bytes", json_of(read == l.read.end() ? Pair{} : read->second)},
                               {"written_bytes", json_of(written == l.written.end() ? Pair{} : written->second)}};
  }
  return out;
}

json memory(const MemoryDiff& m, bool energy) {
  json out = {{"memory", m.name},
              {"presence", name_of(m.presence)},
              {"on_chip", {{"a", m.on_chip_a}, {"b", m.on_chip_b}}},
              {"size_bytes", json_of(m.size)},
              {"arena_bytes", json_of(m.arena)},
              {"load_bytes", json_of(m.load)},
              {"packing_bytes", json_of(m.packing)},
              {"peak_layer", {{"a", m.peak_a}, {"b", m.peak_b}}},
              {"read_bytes", json_of(m.read)},
              {"written_bytes", json_of(m.written)},
              {"roles", json::object()},
              {"buffers", json::array()}};
  if (energy) out["energy_fj"] = json_of(m.energy_fj);
  for (const auto& [role, bytes] : m.roles) out["roles"][role] = json_of(bytes);
  for (const auto& b : m.buffers)
    out["buffers"].push_back({{"name", b.name}, {"role", b.role}, {"bytes", json_of(b.bytes)}});
  return out;
}

json point(const explore::Point& p) {
  const bool timed = p.latency_ticks > 0;
  return {{"id", p.id},
          {"memory_bytes", p.memory_bytes},
          {"latency_cycles", timed ? json(p.latency_ticks) : json()},
          {"latency_us", timed ? json(p.latency_us) : json()}};
}

json front_side(const explore::Front& s) {
  json out = {{"network", s.network}, {"device", s.device}, {"points", s.points.size()}, {"complete", s.complete}};
  if (!s.infeasible_reason.empty()) out["infeasible_reason"] = s.infeasible_reason;
  return out;
}

json along(const std::optional<FrontDiff::Along>& a) {
  if (!a) return nullptr;
  return {{"from", a->from},         {"to", a->to},          {"mean", a->mean}, {"least", a->least}, {"most", a->most},
          {"least_at", a->least_at}, {"most_at", a->most_at}};
}

}  // namespace

json to_json(const PointDiff& d) {
  json out = {{"a", side(d.a)},
              {"b", side(d.b)},
              {"equal", d.equal()},
              {"timed", d.timed},
              {"differs", json_of(d.circumstances)},
              {"choices", json_of(d.choices)},
              {"memory_bytes", json_of(d.memory)},
              {"load_bytes", json_of(d.load)},
              {"program_bytes", json_of(d.program_bytes)},
              {"startup_bytes", json_of(d.startup_bytes)},
              {"layers", json::array()},
              {"memories", json::array()},
              {"metrics", json::object()}};
  if (d.timed) {
    out["latency_cycles"] = json_of(d.cycles);
    out["causes"] = causes(d.causes);
    if (d.energy_known()) out["energy_fj"] = json_of(d.energy_fj), out["arithmetic_fj"] = json_of(d.arithmetic_fj);
    if (!d.energy.empty()) out["leakage_fj"] = json_of(d.leakage_fj), out["energy"] = energy(d);
    out["traffic_bytes"] = json_of(d.traffic);
    out["tasks"] = json_of(d.tasks);
    out["macs"] = json_of(d.macs);
    if (d.time.per_second > 0) {
      out["time_unit"] = {{"per_second", d.time.per_second},
                          {"per_cycle", {{"a", d.time.per_tick.a}, {"b", d.time.per_tick.b}}}};
      out["latency_time_units"] = json_of(d.time.of(d.cycles));
    }
  }
  for (const auto& l : d.layers) out["layers"].push_back(layer(l, d));
  for (const auto& m : d.memories) out["memories"].push_back(memory(m, d.energy_known()));
  for (const auto& [name, values] : d.metrics) out["metrics"][name] = {{"a", values[0]}, {"b", values[1]}};
  return out;
}

json to_json(const FrontDiff& d) {
  json out = {{"a", front_side(d.a)},
              {"b", front_side(d.b)},
              {"equal", d.equal()},
              {"in_both", d.in_both},
              {"only_in_a", json::array()},
              {"only_in_b", json::array()},
              {"named", json::array()},
              {"time_units_per_second", d.time.per_second},
              {"latency_at_equal_memory", along(d.latency_at_equal_memory)},
              {"memory_at_equal_latency", along(d.memory_at_equal_latency)}};
  for (const auto& p : d.only_a) out["only_in_a"].push_back(point(p));
  for (const auto& p : d.only_b) out["only_in_b"].push_back(point(p));
  for (const auto& n : d.named)
    out["named"].push_back({{"name", n.name}, {"a", n.a ? point(*n.a) : json()}, {"b", n.b ? point(*n.b) : json()}});
  return out;
}

}  // namespace dse::reports
