#include "reports/run/json.h"

#include <cmath>

#include "reports/page/memory_map.h"
#include "reports/run/fields.h"
#include "reports/words/answers.h"
#include "reports/words/causes.h"
#include "reports/words/certificate.h"
#include "reports/words/energy.h"
#include "reports/words/format.h"
#include "reports/words/roofline.h"

namespace dse::reports {
namespace {

using nlohmann::json;

/// Writes fields by their names in results.json.
auto into(json& to) {
  return [&to](const char* name, const char* /*in the page*/, const auto& value) { to[name] = value; };
}

/// What takes no energy is left out.
json energy_json(const explore::Front& front, const sim::Energy& energy) {
  json out = {{"memories", json::object()}, {"engines", json::object()}, {"leakage_fj", energy.leaked}};
  const auto into = [](json& of, const std::string& block) {
    return [&of, block](const char* name, const char*, std::int64_t fj) {
      if (fj != 0) of[block][name] = fj;
    };
  };
  for (std::size_t m = 0; m < energy.memories.size(); ++m)
    memory_causes(energy.memories[m], into(out["memories"], front.memories.at(m).name));
  for (std::size_t e = 0; e < energy.engines.size(); ++e)
    engine_causes(energy.engines[e], into(out["engines"], front.engines.at(e)));
  return out;
}

/// What a layer moved: memories that it did not touch are left out. `energy`: it is known.
void add_use(const explore::Front& front, const explore::LayerUse& use, bool energy, json& row) {
  row["macs"] = use.macs;
  if (energy) row["energy_fj"] = use.energy_fj;
  if (!use.energy.empty()) row["energy"] = energy_json(front, use.energy);
  row["memories"] = json::object();
  for (std::size_t m = 0; m < use.memories.size(); ++m)
    if (use.memories[m].read + use.memories[m].written > 0)
      row["memories"][front.memories.at(m).name] = {{"read_bytes", use.memories[m].read},
                                                    {"written_bytes", use.memories[m].written}};
}

/// What a buffer takes by tick, and at its sections' peaks; only of buffers that do not take all of their bytes always.
void add_windows(const explore::BufferLife& b, const std::vector<Box>& windows, json& row) {
  if (!b.at_peak.empty()) row["at_peak"] = json::array();
  for (const auto& [layer, bytes] : b.at_peak) row["at_peak"].push_back({layer, bytes});
  if (b.windows.empty()) return;
  row["windows"] = json::array();
  for (const auto& w : windows) row["windows"].push_back({w.from, w.to, w.begin, w.end});
}

/// Windows of every buffer, no more than the page draws.
std::vector<std::vector<Box>> windows_of(const explore::Front& front, const explore::Point& p) {
  constexpr std::size_t kMost = 300;
  std::vector<std::vector<Box>> out(p.buffers.size());
  for (const auto& m : front.memories)
    for (const auto& box : thin(boxes_of(p, m.name), kMost)) out[box.of].push_back(box);
  return out;
}

json account_json(const explore::Front& front, const explore::Point& p) {
  json layers = json::array();
  for (std::size_t s = 0; s < p.run.layers.size(); ++s) {
    const auto& a = p.run.layers[s];
    json causes = json::object();
    for (std::size_t c = 0; c < a.ticks.size(); ++c) causes[kCauseNames[c].key] = a.ticks[c];
    json row = {{"cycles", a.total()}, {"causes", causes}, {"hidden_dma_cycles", a.hidden_dma}};
    if (auto segment = segment_of(p, s); !segment.empty()) row["segment"] = std::move(segment);
    if (s < p.layers.size()) row["layer"] = p.layers[s];
    if (s < p.file_names.size() && !p.file_names[s].empty()) row["file_name"] = p.file_names[s];
    if (s < p.layer_kinds.size()) row["kind"] = p.layer_kinds[s];
    if (s < p.uses.size()) add_use(front, p.uses[s], p.energy_uj.has_value(), row);
    layers.push_back(std::move(row));
  }
  return layers;
}

json number(const std::optional<double>& n) { return n ? json(*n) : json(); }

/// Ratios that say nothing are null.
json roofline_json(const explore::Front& front, const explore::Point& p) {
  json rows = json::array();
  for (std::size_t i = 0; i < p.rooflines.size(); ++i) {
    const auto& r = p.rooflines[i];
    const auto words = roofline_row(front, p, i);
    json memories = json::object();
    for (std::size_t m = 0; m < r.memories.size(); ++m)
      if (r.memories[m].bytes > 0)
        memories[front.memories.at(m).name] = {{"bytes", r.memories[m].bytes}, {"cycles", r.memories[m].ticks}};
    rows.push_back({{"layer", words.layer},
                    {"macs", r.macs},
                    {"cycles", r.ticks},
                    {"arithmetic_cycles", r.arithmetic},
                    {"memories", std::move(memories)},
                    {"roof_cycles", words.roof},
                    {"bound", words.bound.empty() ? json() : json(words.bound)},
                    {"macs_per_cycle", number(words.reached)},
                    {"peak_macs_per_cycle", number(words.peak)},
                    {"roof_macs_per_cycle", number(words.at_roof)},
                    {"of_peak", number(words.of_peak)},
                    {"of_roof", number(words.of_roof)}});
  }
  return rows;
}

json point_json(const explore::Front& front, const explore::Point& p) {
  json j;
  point_fields(p, into(j));
  if (p.energy_uj) energy_fields(*p.energy_uj, p.run.energy_fj, into(j));
  if (!p.run.energy.empty()) j["energy"] = energy_json(front, p.run.energy);
  if (!p.as_fast_as.empty()) j["as_fast_as"] = p.as_fast_as;
  j["account"] = account_json(front, p);
  if (!p.rooflines.empty()) j["roofline"] = roofline_json(front, p);
  j["latency_cycles"] = p.latency_ticks > 0 ? json(p.latency_ticks) : json();
  j["latency_us"] = p.latency_ticks > 0 ? json(p.latency_us) : json();
  j["engines"] = json::array();
  for (const auto& e : p.run.engines) {
    const auto queue = static_cast<std::size_t>(e.queue);
    j["engines"].push_back({{"queue", queue < front.queues.size() ? front.queues[queue] : std::to_string(queue)},
                            {"tasks", e.tasks},
                            {"busy_cycles", e.busy},
                            {"stalled_cycles", e.stalled}});
  }
  j["memories"] = json::array();
  for (const auto& m : p.run.memories) {
    j["memories"].push_back({{"memory", front.memories.at(static_cast<std::size_t>(m.memory)).name},
                             {"arena_bytes", m.arena},
                             {"read_bytes", m.read},
                             {"written_bytes", m.written}});
    const auto i = static_cast<std::size_t>(m.memory);
    if (i >= p.loads.size() || i >= p.energies_fj.size() || i >= p.images.size()) continue;
    j["memories"].back()["load_bytes"] = p.loads[i];
    if (p.energy_uj) j["memories"].back()["energy_fj"] = p.energies_fj[i];
    j["memories"].back()["constants_bytes"] = p.images[i];
  }
  j["buffers"] = json::array();
  const auto windows = windows_of(front, p);
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const auto& b = p.buffers[i];
    buffer_fields(b, into(j["buffers"].emplace_back(json::object())));
    add_windows(b, windows[i], j["buffers"].back());
  }
  if (!p.outside.empty()) j["outside"] = p.outside;
  if (p.on_npu) j["on_npu"] = true;
  if (p.run.failure) j["failure"] = p.run.failure->what;
  return j;
}

json dots_json(const std::vector<explore::Front::Dot>& dots) {
  json list = json::array();
  for (const auto& d : dots) list.push_back({d.memory_bytes, d.latency_ticks});
  return list;
}

/// What limits would have to be; `beside` where each of them can be kept alone, null where others exclude each other.
json least_json(const std::vector<explore::Least>& least) {
  const auto found = [](const explore::Least::Found& f) -> json {
    if (f.value < 0) return nullptr;
    return {{"value", f.value}, {"plan", f.plan}, {"complete", f.complete}, {"outside", f.outside}};
  };
  json list = json::array();
  for (const auto& l : least)
    list.push_back({{"metric", l.metric}, {"limit", l.limit}, {"alone", found(l.alone)}, {"beside", found(l.beside)}});
  return list;
}

/// A share that is not known, or not bounded, is null.
json gap_json(double gap) { return gap < 0 || !std::isfinite(gap) ? json() : json(gap); }

json front_json(const explore::Front& front) {
  json constraints = json::object();  // upper limits, in bytes, microseconds, microjoules
  for (const auto& k : front.constraints) constraints[k.metric] = k.limit;
  json j = {{"queues", front.queues},
            {"complete", all_complete(front)},
            {"certificate",
             {{"covers", (front.on_npu ? "schedules of the NPU: " : "plans that are decided layer by layer: ") +
                             certified_text(front)},
              {"complete", front.complete},
              {"runs", front.runs_gap < 0 ? json()
                                          : json({{"count", front.runs},
                                                  {"gap", front.runs_gap},
                                                  {"pointwise_gap", gap_json(front.runs_pointwise_gap)}})},
              {"outside", outside_points(front)}}},
            {"gap", gap_json(front.gap)},
            {"pointwise_gap", gap_json(front.pointwise_gap)},
            {"simulated", front.simulated},
            {"proven_dominated", front.proven_dominated},
            {"infeasible", front.infeasible},
            {"outside", front.outside},
            {"skipped", front.skipped},
            {"lost", front.lost},
            {"left_out", front.left_out},
            {"notes", front.notes},
            {"objectives", front.objectives},
            {"constraints", constraints},
            {"answers", answers(front)},
            {"dominated", dots_json(front.dominated)},
            {"bound", dots_json(front.bound)}};
  front_fields(front, into(j));
  if (tells_energy(front)) j["engines"] = front.engines;  // that `energy` names
  if (!front.base.empty()) j["base"] = front.base;
  if (front.on_npu) j["on_npu"] = true;
  if (front.area_mm2) j["area_mm2"] = *front.area_mm2;
  if (!front.energy_source.empty()) j["energy_source"] = front.energy_source;
  if (front.weight_bytes > 0) j["weight_bytes"] = front.weight_bytes;
  if (const auto& facts = front.facts; facts.accuracy || !facts.base.empty()) {
    json& v = j["variant"];
    v = {{"of", facts.base}, {"axes", json::object()}, {"accuracy_of", facts.accuracy_of}};
    for (const auto& [path, value] : facts.axes) v["axes"][path] = value;
    v["accuracy"] = facts.accuracy ? json(*facts.accuracy) : json();
    v["equal_dense"] = facts.equal_dense ? json(*facts.equal_dense) : json();
  }
  if (!front.infeasible_reason.empty()) j["infeasible_reason"] = front.infeasible_reason;
  if (front.undecided) j["undecided"] = true;
  if (!front.least.empty()) j["least"] = least_json(front.least);
  if (front.within > 0) j["within"] = {{"objective", front.within_objective}, {"share", front.within}};
  for (const auto& w : front.without)
    j["without"].push_back({{"axis", w.axis},
                            {"points", w.points},
                            {"smallest_bytes", w.smallest_bytes < 0 ? json() : json(w.smallest_bytes)},
                            {"fastest_us", w.fastest_us < 0 ? json() : json(w.fastest_us)},
                            {"hypervolume_lost", w.lost},
                            {"complete", w.complete},
                            {"reason", w.reason}});
  if (!front.axes.empty()) j["axes"] = json::object();
  for (const auto& [path, value] : front.axes) j["axes"][path] = value;
  j["memories"] = json::array();
  for (const auto& m : front.memories) memory_fields(m, into(j["memories"].emplace_back(json::object())));
  if (!front.layers.empty()) j["layers"] = front.layers;
  j["points"] = json::array();
  j["marked"] = json::array();
  for (const auto* p : in_order(front.points)) j["points"].push_back(point_json(front, *p));
  for (const auto* p : in_order(front.marked)) j["marked"].push_back(point_json(front, *p));
  return j;
}

json across_json(const explore::Sweep& sweep, const explore::Across& a) {
  json out = {{"network", a.network}, {"base", a.base}, {"objectives", a.objectives}, {"devices", json::array()}};
  for (const auto f : a.fronts) out["devices"].push_back(sweep.fronts[f].device);
  out["points"] = json::array();
  for (const auto& p : a.points)
    out["points"].push_back(
        {{"device", sweep.fronts[p.front].device}, {"point", sweep.fronts[p.front].points[p.point].id}});
  return out;
}

}  // namespace

json results_json(const explore::Sweep& sweep) {
  json j = {{"format", 1},
            {"origins",
             {{"memory_bytes", "simulated"},
              {"latency_cycles", "simulated"},
              {"latency_us", "simulated"},
              {"energy_uj", "estimate"},
              {"load_bytes", "bound"},
              {"area_mm2", "device file"},
              {"bound_cycles", "bound"},
              {"bound", "bound"}}},
            {"provenance", sweep.provenance},
            {"fronts", json::array()}};
  for (const auto& front : sweep.fronts) j["fronts"].push_back(front_json(front));
  for (const auto& a : sweep.across) j["across"].push_back(across_json(sweep, a));
  return j;
}

}  // namespace dse::reports
