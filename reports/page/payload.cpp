#include "reports/page/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/page/memory_map.h"
#include "reports/page/pack.h"
#include "reports/page/trace.h"
#include "reports/run/fields.h"
#include "reports/words/across.h"
#include "reports/words/answers.h"
#include "reports/words/causes.h"
#include "reports/words/certificate.h"
#include "reports/words/energy.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

using nlohmann::json;
using Integers = std::vector<std::int64_t>;

class Strings {
 public:
  std::int64_t operator()(const std::string& text) {
    const auto [at, fresh] = index_.try_emplace(text, static_cast<std::int64_t>(list_.size()));
    if (fresh) list_.push_back(text);
    return at->second;
  }
  Integers all(const std::vector<std::string>& texts) {
    Integers out;
    for (const auto& t : texts) out.push_back((*this)(t));
    return out;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, std::int64_t> index_;
  std::vector<std::string> list_;
};

/// Writes those fields that the page has.
auto into(json& to) {
  return [&to](const char* /*in results.json*/, const char* name, const auto& value) {
    if (name != nullptr) to[name] = value;
  };
}

/// Sorted by memory so that differences are short; every k-th when there are more than `most`.
json dots_json(std::vector<explore::Front::Dot> dots, std::int64_t most) {
  const auto total = static_cast<std::int64_t>(dots.size());
  std::stable_sort(dots.begin(), dots.end(), [](const auto& a, const auto& b) {
    return std::pair(a.memory_bytes, a.latency_ticks) < std::pair(b.memory_bytes, b.latency_ticks);
  });
  const std::int64_t step = total > most ? (total + most - 1) / most : 1;
  Integers memory, latency;
  std::int64_t m = 0, l = 0;
  for (std::int64_t i = 0; i < total; i += step) {
    const auto& d = dots[static_cast<std::size_t>(i)];
    memory.push_back(d.memory_bytes - m);
    latency.push_back(d.latency_ticks - l);
    m = d.memory_bytes;
    l = d.latency_ticks;
  }
  memory.insert(memory.end(), latency.begin(), latency.end());
  return {{"kept", memory.size() / 2}, {"total", total}, {"data", pack(memory)}};
}

/// All steps: between those that are left out a staircase would lie too high.
json bound_json(const explore::Front& front) {
  json out = json::array();
  for (const auto& part : bound_parts(front)) {
    out.push_back(dots_json(part.steps, static_cast<std::int64_t>(part.steps.size())));
    out.back()["open"] = part.open;
  }
  return out;
}

std::string certified(const explore::Front& front) {
  auto text = fmt::format("{} ({})", completeness_text(front), certified_text(front));
  for (const auto& more : {runs_text(front), outside_text(front)})
    if (!more.empty()) text += "; " + more;
  return text;
}

/// The boxes of buffers that have windows (the others are one box: what `buffers` says), and the curve of bytes alive.
json map_json(const explore::Front& front, const explore::Point& p, std::size_t most) {
  json maps = json::array();
  for (std::size_t m = 0; m < front.memories.size(); ++m) {
    const auto& name = front.memories[m].name;
    const auto all = boxes_of(p, name), drawn = thin(all, most);
    const std::int64_t constants = m < p.images.size() ? p.images[m] : 0;
    if (all.empty() && constants == 0) continue;
    Integers boxes, curve;
    std::int64_t of = 0, from = 0;
    for (const auto& b : drawn) {
      if (p.buffers[b.of].windows.empty()) continue;
      boxes.insert(boxes.end(),
                   {static_cast<std::int64_t>(b.of) - of, b.from - from, b.to - b.from, b.begin, b.end - b.begin});
      of = static_cast<std::int64_t>(b.of), from = b.from;
    }
    const auto alive = load_curve(p, name, constants);
    std::int64_t load = 0, tick = 0, bytes = 0;
    for (const auto& b : alive) load = std::max(load, b.end);
    for (const auto& b : thin(alive, most)) {
      curve.insert(curve.end(), {b.from - tick, b.to - b.from, b.end - bytes});
      tick = b.from, bytes = b.end;
    }
    maps.push_back({{"memory", m},
                    {"constants", constants},
                    {"boxes", all.size()},
                    {"drawn", drawn.size()},
                    {"windows", pack(boxes)},
                    {"load", load},
                    {"steps", alive.size()},
                    {"curve", pack(curve)}});
  }
  return maps;
}

/// Empty where every section is one row.
std::string packed_sections(const explore::Point& p) {
  Integers sections;
  for (const auto& a : p.run.layers) sections.push_back(a.section);
  const bool split = !sections.empty() && sections.back() + 1 != static_cast<std::int64_t>(sections.size());
  return split ? pack(sections) : "";
}

/// As the console writes it.
json energy_page(const Table& table) {
  json heads = json::array();
  for (const auto& c : table.columns) heads.push_back({{"text", c.title}, {"num", c.right}});
  return {{"heads", std::move(heads)}, {"rows", table.rows}};
}

json point_json(const explore::Front& front, const explore::Point& p, bool on_front, std::size_t boxes,
                Strings& strings) {
  Integers account, buffers, engines, memories;
  for (std::size_t row = 0; row < p.run.layers.size(); ++row) {
    const auto& a = p.run.layers[row];
    account.push_back(static_cast<std::int64_t>(row));
    account.insert(account.end(), a.ticks.begin(), a.ticks.end());
    account.push_back(a.hidden_dma);
  }
  for (const auto& b : p.buffers)
    buffers.insert(buffers.end(), {strings(b.name), strings(b.role), strings(b.memory), b.offset, b.size, b.from_tick,
                                   b.to_tick, strings(b.tensor)});
  for (const auto& e : p.run.engines) engines.insert(engines.end(), {e.queue, e.tasks, e.busy, e.stalled});
  for (const auto& m : p.run.memories) memories.insert(memories.end(), {m.memory, m.read, m.written, m.arena});
  json j = {{"front", on_front},
            {"ticks", p.latency_ticks},
            {"words", strings.all(p.words)},
            {"layers", strings.all(p.layers)},
            {"kinds", strings.all(p.layer_kinds)},
            {"fileNames", strings.all(p.file_names)},
            {"sections", strings.all(p.sections.empty() ? p.layers : p.sections)},
            {"rowSections", packed_sections(p)},
            {"account", pack(account)},
            {"sectionEnd", pack(p.run.section_end)},
            {"buffers", pack(buffers)},
            {"maps", map_json(front, p, boxes)},
            {"engines", pack(engines)},
            {"memories", pack(memories)},
            {"trace", {{"total", p.run.trace.size()}, {"kept", 0}, {"data", ""}}}};
  point_fields(p, into(j));
  if (p.energy_uj) energy_fields(*p.energy_uj, p.run.energy_fj, into(j));
  if (!p.run.energy.empty())
    j["energy"] = {energy_page(energy_table(front, p)), energy_page(layer_energy_table(front, p))};
  if (!p.as_fast_as.empty()) j["asFastAs"] = p.as_fast_as;
  if (p.on_npu) j["onNpu"] = true;
  if (p.run.failure) j["failure"] = p.run.failure->what;
  return j;
}

json front_json(const explore::Front& front, const PageLimits& limits, std::size_t boxes, Strings& strings) {
  json j = {{"queues", front.queues},
            {"complete", all_complete(front)},
            {"completeness", certified(front)},
            {"runsCovered", front.complete && covers_runs(front)},
            {"simulated", front.simulated},
            {"proven", front.proven_dominated},
            {"infeasible", front.infeasible},
            {"reason", front.infeasible_reason},
            {"none", front.points.empty() ? none_text(front) : ""},
            {"notes", front.notes},
            {"without", without_rows(front)},
            {"answers", answers(front)},
            {"marks", mark_names(front)},
            {"chart", in_memory_and_latency(front) ? ""
                                                   : "the front is in " + objectives_text(front.objectives) +
                                                         "; the chart shows its points by memory and latency"},
            {"dots", dots_json(front.dominated, limits.dots_per_front)},
            {"bound", bound_json(front)},
            {"memories", json::array()},
            {"points", json::array()}};
  front_fields(front, into(j));
  if (front.area_mm2) j["area"] = *front.area_mm2;
  for (const auto& m : front.memories) memory_fields(m, into(j["memories"].emplace_back(json::object())));
  const auto order = ordered_points(front);
  for (std::size_t i = 0; i < order.size(); ++i)
    j["points"].push_back(point_json(front, *order[i], i < front.points.size(), boxes, strings));
  return j;
}

/// `left`: per device point the ids of its points that are.
json across_json(const explore::Sweep& sweep, const explore::Across& a) {
  const auto table = across_table(sweep, a);
  json out = {{"headline", across_headline(a)},
              {"fronts", a.fronts},
              {"objectives", a.objectives},
              {"rows", table.rows},
              {"heads", json::array()}};
  for (const auto& c : table.columns) out["heads"].push_back(c.title);
  out["left"] = json::array();
  if (a.variants) {
    out["variants"] = json::array();
    for (const auto f : a.fronts) {
      const auto& front = sweep.fronts[f];
      const auto fastest = std::min_element(front.points.begin(), front.points.end(),
                                            [](const auto& x, const auto& y) { return x.latency_us < y.latency_us; });
      const bool any = fastest != front.points.end();
      out["variants"].push_back({{"label", variant_text(front)},
                                 {"weights", front.weight_bytes},
                                 {"accuracy", front.facts.accuracy ? json(*front.facts.accuracy) : json()},
                                 {"of", front.facts.accuracy_of},
                                 {"equal", front.facts.equal_dense ? json(*front.facts.equal_dense) : json()},
                                 {"us", any ? json(fastest->latency_us) : json()}});
    }
  }
  for (const auto f : a.fronts) {
    auto& ids = out["left"].emplace_back(json::array());
    for (const auto& p : a.points)
      if (p.front == f) ids.push_back(sweep.fronts[f].points[p.point].id);
  }
  return out;
}

}  // namespace

std::string page_text(const json& page) {
  std::string text = page.dump(-1, ' ', false, json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6) text.replace(at, 1, "\\u003c");
  return text;
}

json page_payload(const explore::Sweep& sweep, const PageLimits& limits, std::int64_t budget) {
  Strings strings;
  const auto& from = sweep.provenance;
  json page = {{"format", 1}, {"fronts", json::array()}, {"causes", json::array()}};
  page["provenance"] = {{"version", from.version},
                        {"command", from.command_line},
                        {"date", from.date},
                        {"inputs", from.inputs},
                        {"seconds", from.seconds}};
  for (const auto& c : kCauseNames) page["causes"].push_back({{"key", c.key}, {"label", c.label}, {"means", c.means}});
  constexpr std::size_t kDigits = 20;  // `kept` is written as 0 until the shares are known
  std::vector<TraceShare> shares;
  std::int64_t points = 0;
  for (const auto& front : sweep.fronts) points += static_cast<std::int64_t>(ordered_points(front).size());
  const auto boxes = std::clamp(limits.boxes / std::max<std::int64_t>(points, 1), limits.boxes_per_memory / 5,
                                limits.boxes_per_memory);
  for (const auto& front : sweep.fronts) {
    page["fronts"].push_back(front_json(front, limits, static_cast<std::size_t>(boxes), strings));
    for (const auto* p : ordered_points(front)) {
      const bool marked = p->origin != "front" || !p->marks.empty();
      shares.push_back({&p->run.trace, marked ? limits.marked_weight : 1});
    }
  }
  page["across"] = json::array();
  for (const auto& a : sweep.across) page["across"].push_back(across_json(sweep, a));
  page["strings"] = strings.list();
  share_traces(shares, budget - static_cast<std::int64_t>(page_text(page).size() + kDigits * shares.size()));
  std::size_t next = 0;
  for (auto& front : page["fronts"])
    for (auto& point : front["points"]) {
      auto& share = shares[next++];
      point["trace"]["kept"] = share.kept;
      point["trace"]["data"] = std::move(share.data);
    }
  return page;
}

}  // namespace dse::reports
