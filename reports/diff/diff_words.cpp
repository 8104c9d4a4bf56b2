#include "reports/diff/diff_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "reports/diff/diff_parts.h"
#include "reports/words/causes.h"
#include "reports/words/energy.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

std::string choices_text(const LayerDiff& l) {
  std::string out;
  for (const auto& c : l.choices)
    out += fmt::format("{}{}: {} -> {}", out.empty() ? "" : ", ", c.name, or_none(c.a), or_none(c.b));
  return out;
}

std::string hertz(std::int64_t hz) { return hz % 1000000 == 0 ? grouped(hz / 1000000) + " MHz" : grouped(hz) + " Hz"; }

void describe_totals(const PointDiff& d, Document& out) {
  Table t{{{"", false}, {"A"}, {"B"}, {"difference"}, {"", false}}};
  const auto row = [&](const char* name, const Pair& p, bool always = false) {
    if (always || p.change() != 0)
      t.rows.push_back({name, grouped(p.a), grouped(p.b), signed_text(p.change()), change_text(p)});
  };
  if (d.timed) row("latency, cycles", d.cycles, true);
  if (d.timed && !d.same_clock() && d.time.per_second > 0) {
    const auto time = d.time.of(d.cycles);
    const auto us = [&](std::int64_t n) {
      return fmt::format("{:.3f}", static_cast<double>(n) * 1e6 / static_cast<double>(d.time.per_second));
    };
    t.rows.push_back(
        {"latency, us", us(time.a), us(time.b), (time.change() > 0 ? "+" : "") + us(time.change()), change_text(time)});
  }
  row("memory on chip, bytes", d.memory, true);
  row("load on chip, bytes", d.load);
  row("traffic off chip, bytes", d.traffic);
  if (d.energy_fj.change() != 0)
    t.rows.push_back({"energy, pJ (estimate)", picojoules(d.energy_fj.a), picojoules(d.energy_fj.b),
                      signed_picojoules(d.energy_fj.change()), change_text(d.energy_fj)});
  row("program, bytes", d.program_bytes);
  row("tasks", d.tasks);
  row("multiply-accumulates", d.macs);
  row("resident since start-up, bytes", d.startup_bytes);
  out.table(std::move(t));
}

/// Layers by the size of their difference in time, largest first.
std::vector<const LayerDiff*> by_size(const PointDiff& d) {
  std::vector<const LayerDiff*> order;
  for (const auto& l : d.layers) order.push_back(&l);
  const auto size = [&](const LayerDiff* l) {
    return std::abs(d.time.per_second > 0 ? d.time.of(l->cycles).change() : l->cycles.change());
  };
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return size(a) > size(b); });
  return order;
}

/// Which layers run together by phases, on each side.
void describe_segments(const PointDiff& d, Document& out) {
  for (const auto* side : {"A", "B"}) {
    std::string last;
    for (const auto& l : d.layers) {
      const auto& segment = *side == 'A' ? l.segment_a : l.segment_b;
      if (!segment.empty() && segment != last) out.line(fmt::format("{}  {}", side, segment));
      last = segment.empty() ? last : segment;
    }
  }
}

/// Layers and causes. @param time  in common units of time instead of each side's own cycles
void describe_cycles(const PointDiff& d, bool time, Document& out) {
  const auto shown = [&](const Pair& p) { return time ? d.time.of(p) : p; };
  std::vector<std::size_t> causes;
  for (std::size_t c = 0; c < sim::kCauses; ++c)
    if (std::any_of(d.layers.begin(), d.layers.end(), [&](const auto& l) { return shown(l.causes[c]).change() != 0; }))
      causes.push_back(c);
  const bool any_choice =
      !time && std::any_of(d.layers.begin(), d.layers.end(), [](const auto& l) { return !l.choices.empty(); });
  Table t{{{"layer", false}, {"A"}, {"B"}, {"difference"}}, {}, true};
  for (const auto c : causes) t.columns.push_back({kCauseNames[c].label});
  if (any_choice) t.columns.push_back({"choices", false});
  const auto row = [&](const std::string& name, const Pair& cycles, const auto& parts, const std::string& choices) {
    const auto p = shown(cycles);
    std::vector<std::string> cells = {name, grouped(p.a), grouped(p.b), signed_text(p.change())};
    for (const auto c : causes) cells.push_back(signed_text(shown(parts[c]).change()));
    if (any_choice) cells.push_back(choices);
    t.rows.push_back(std::move(cells));
  };
  std::size_t left_out = 0;
  Pair rest = d.cycles;  // A and B of the rows left out: so that both columns add up too
  for (const auto* l : by_size(d)) {
    const bool zero =
        std::all_of(l->causes.begin(), l->causes.end(), [&](const Pair& p) { return shown(p).change() == 0; });
    if (zero && l->choices.empty() && l->presence == Presence::both) {
      ++left_out;
      continue;
    }
    row(name_of(*l), l->cycles, l->causes, choices_text(*l));
    rest += {-l->cycles.a, -l->cycles.b};
  }
  if (t.rows.empty()) return;
  if (left_out > 0)
    row(fmt::format("{} {} without difference", left_out, left_out == 1 ? "layer" : "layers"), rest,
        std::array<Pair, sim::kCauses>{}, "");
  row("total", d.cycles, d.causes, "");
  out.heading(time ? fmt::format("time by layer and cause, in units of 1/{} s; B - A", grouped(d.time.per_second))
                   : "cycles by layer and cause, B - A");
  if (!d.same_clock())
    out.line(time ? fmt::format("a cycle is {} units in A ({}) and {} in B ({})", grouped(d.time.per_tick.a),
                                hertz(d.a.clock_hz), grouped(d.time.per_tick.b), hertz(d.b.clock_hz))
                  : fmt::format("a cycle is one of each device's own fastest clock: {} in A, {} in B",
                                hertz(d.a.clock_hz), hertz(d.b.clock_hz)));
  describe_segments(d, out);
  out.table(std::move(t));
}

void describe_memories(const PointDiff& d, Document& out) {
  Table t{{{"memory", false},
           {"A"},
           {"B"},
           {"difference"},
           {"= load"},
           {"+ packing"},
           {"peak in A", false},
           {"peak in B", false}}};
  for (const auto& m : d.memories) {
    if (m.arena.change() == 0 && m.load.change() == 0 && m.presence == Presence::both) continue;
    const auto name = m.name + (m.on_chip_a || m.on_chip_b ? "" : " (off chip)") +
                      (m.presence == Presence::both ? std::string() : fmt::format(" ({})", name_of(m.presence)));
    t.rows.push_back({name, grouped(m.arena.a), grouped(m.arena.b), signed_text(m.arena.change()),
                      signed_text(m.load.change()), signed_text(m.packing.change()), m.peak_a, m.peak_b});
  }
  if (t.rows.empty()) return;
  const auto on_chip =
      std::count_if(d.memories.begin(), d.memories.end(), [](const auto& m) { return m.on_chip_a || m.on_chip_b; });
  if (on_chip > 1)
    t.rows.push_back({"total on chip", grouped(d.memory.a), grouped(d.memory.b), signed_text(d.memory.change()),
                      signed_text(d.load.change()), signed_text(d.memory.change() - d.load.change()), "", ""});
  out.heading("arenas in bytes: load is what is alive at the peak, packing what the arena needs beyond it");
  out.table(std::move(t));
  for (const auto& m : d.memories) {
    Table alive{{{"buffer", false}, {"role", false}, {"A"}, {"B"}, {"difference"}}, {}, true};
    for (const auto& b : m.buffers)
      if (b.bytes.change() != 0)
        alive.rows.push_back({b.name, b.role, grouped(b.bytes.a), grouped(b.bytes.b), signed_text(b.bytes.change())});
    if (alive.rows.empty()) continue;
    Pair same;
    for (const auto& b : m.buffers)
      if (b.bytes.change() == 0) same += b.bytes;
    if (same.a != 0) alive.rows.push_back({"buffers of the same size", "", grouped(same.a), grouped(same.b), "0"});
    alive.rows.push_back({"total", "", grouped(m.load.a), grouped(m.load.b), signed_text(m.load.change())});
    out.heading(fmt::format("alive at the peak of {}, bytes", m.name));
    std::string roles;
    for (const auto& [role, bytes] : m.roles)
      if (bytes.change() != 0)
        roles += fmt::format("{}{} {}", roles.empty() ? "" : ", ", role, signed_text(bytes.change()));
    if (!roles.empty()) out.line("by role: " + roles);
    out.table(std::move(alive));
  }
}

void describe_traffic(const PointDiff& d, Document& out) {
  struct Column {
    std::string memory;
    bool write;
  };
  std::vector<Column> columns;
  Table t{{{"layer", false}}, {}, true};
  const auto moved = [](const LayerDiff& l, const Column& c) {
    const auto& map = c.write ? l.written : l.read;
    const auto it = map.find(c.memory);
    return it == map.end() ? Pair{} : it->second;
  };
  for (const auto& m : d.memories)
    for (const bool write : {false, true}) {
      const Column c{m.name, write};
      if (std::none_of(d.layers.begin(), d.layers.end(), [&](const auto& l) { return moved(l, c).change() != 0; }))
        continue;
      columns.push_back(c);
      t.columns.push_back({m.name + (write ? " written" : " read")});
    }
  if (columns.empty()) return;
  struct Row {
    const LayerDiff* layer;
    std::int64_t size = 0;
  };
  std::vector<Row> rows;
  for (const auto& l : d.layers) {
    Row r{&l};
    for (const auto& c : columns) r.size += std::abs(moved(l, c).change());
    if (r.size > 0) rows.push_back(r);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.size > b.size; });
  std::vector<std::int64_t> sums(columns.size(), 0);
  for (const auto& r : rows) {
    std::vector<std::string> cells = {name_of(*r.layer)};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto change = moved(*r.layer, columns[c]).change();
      sums[c] += change;
      cells.push_back(signed_text(change));
    }
    t.rows.push_back(std::move(cells));
  }
  std::vector<std::string> total = {"total"};
  for (const auto s : sums) total.push_back(signed_text(s));
  t.rows.push_back(std::move(total));
  out.heading("bytes moved by layer and memory, B - A");
  out.table(std::move(t));
}

}  // namespace

void describe(const PointDiff& d, Document& out) {
  const auto side = [](const PointDiff::Side& s) {
    return fmt::format("{}: {} ({}) of {} on {}", s.label, s.id, s.origin, s.network, s.device);
  };
  out.heading(fmt::format("{} -> {}", d.a.id, d.b.id));
  out.line("A  " + side(d.a));
  out.line("B  " + side(d.b));
  if (d.equal()) {
    out.line(d.energy_known() ? "equal: the same choices, cycles, bytes and energy in every layer"
                              : "equal: the same choices, cycles and bytes in every layer");
    return;
  }
  Table differs{{{"differs", false}, {"A", false}, {"B", false}}};
  for (const auto& c : d.circumstances) differs.rows.push_back({c.name, or_none(c.a), or_none(c.b)});
  for (const auto& c : d.choices) differs.rows.push_back({c.name, or_none(c.a), or_none(c.b)});
  out.table(std::move(differs));
  for (const auto* s : {&d.a, &d.b})
    if (!s->timed) out.line(s->label + " was not timed: memory alone is compared");
  describe_totals(d, out);
  if (d.timed) {
    describe_cycles(d, false, out);
    if (!d.same_clock() && d.time.per_second > 0) describe_cycles(d, true, out);
  }
  describe_memories(d, out);
  if (d.timed) describe_traffic(d, out), parts::describe_energy(d, out);
}

}  // namespace dse::reports
