#include "explore/workers/transport.h"

#include "plan/choices/fields.h"

namespace dse::explore {
namespace {

void put(ByteWriter& w, const plan::LayerChoice& c) {
  plan::for_each_field(c, [&](const char*, const auto& field) { w << field; });
}
void get(ByteReader& r, plan::LayerChoice& c) {
  plan::for_each_field(c, [&](const char*, auto& field) { r >> field; });
}

void put(ByteWriter& w, const BufferLife& b) {
  w << b.name << b.role << b.memory << b.offset << b.size << b.from_tick << b.to_tick << b.first << b.last << b.counted
    << b.tensor << b.windows << b.at_peak << b.unit;
}
void get(ByteReader& r, BufferLife& b) {
  r >> b.name >> b.role >> b.memory >> b.offset >> b.size >> b.from_tick >> b.to_tick >> b.first >> b.last >>
      b.counted >> b.tensor >> b.windows >> b.at_peak >> b.unit;
}

void put(ByteWriter& w, const LayerUse& u) { w << u.memories << u.macs << u.energy_fj; }
void get(ByteReader& r, LayerUse& u) { r >> u.memories >> u.macs >> u.energy_fj; }

void put(ByteWriter& w, const sim::RunResult& s) {
  w << s.ticks << s.energy_fj << s.macs << s.tasks << s.layers << s.section_end << s.engines << s.memories << s.trace
    << s.outputs << s.startup_bytes << s.failure.has_value();
  if (s.failure) w << s.failure->kind << s.failure->what;
}
void get(ByteReader& r, sim::RunResult& s) {
  bool failed = false;
  r >> s.ticks >> s.energy_fj >> s.macs >> s.tasks >> s.layers >> s.section_end >> s.engines >> s.memories >> s.trace >>
      s.outputs >> s.startup_bytes >> failed;
  if (failed) {
    s.failure.emplace();
    r >> s.failure->kind >> s.failure->what;
  }
}

void put(ByteWriter& w, const LayerEntry& e);
void get(ByteReader& r, LayerEntry& e);
void put(ByteWriter& w, const Composition& c);
void get(ByteReader& r, Composition& c);

template <class T>
void put(ByteWriter& w, const std::vector<T>& list) {
  w << static_cast<std::uint64_t>(list.size());
  for (const auto& x : list) put(w, x);
}
template <class T>
void get(ByteReader& r, std::vector<T>& list) {
  std::uint64_t n = 0;
  r >> n;
  list.clear();
  for (std::uint64_t i = 0; i < n; ++i) get(r, list.emplace_back());
}

void put(ByteWriter& w, const LayerEntry& e) {
  put(w, e.choice);
  w << e.ticks << e.energy_fj << e.traffic << e.local << e.weight_bytes;
}
void get(ByteReader& r, LayerEntry& e) {
  get(r, e.choice);
  r >> e.ticks >> e.energy_fj >> e.traffic >> e.local >> e.weight_bytes;
}
void put(ByteWriter& w, const Composition& c) {
  put(w, c.choices);
  w << c.values << c.memory << c.ticks << c.energy_fj << c.traffic;
}
void get(ByteReader& r, Composition& c) {
  get(r, c.choices);
  r >> c.values >> c.memory >> c.ticks >> c.energy_fj >> c.traffic;
}

}  // namespace

std::string to_bytes(const LayerFront& f) {
  ByteWriter w;
  put(w, f.entries), put(w, f.open);
  w << f.simulated << f.discarded << f.infeasible << f.skipped << f.outside << f.lost << f.reason;
  return std::move(w.bytes);
}
LayerFront layer_front_from(const std::string& bytes) {
  ByteReader r(bytes);
  LayerFront f;
  get(r, f.entries), get(r, f.open);
  r >> f.simulated >> f.discarded >> f.infeasible >> f.skipped >> f.outside >> f.lost >> f.reason;
  return f;
}

std::string to_bytes(const Candidate& c) {
  ByteWriter w;
  w << c.assignment << c.status << c.ticks << c.bound << c.memory << c.energy_fj << c.traffic << c.reason << c.plan;
  return std::move(w.bytes);
}
Candidate candidate_from(const std::string& bytes) {
  ByteReader r(bytes);
  Candidate c;
  r >> c.assignment >> c.status >> c.ticks >> c.bound >> c.memory >> c.energy_fj >> c.traffic >> c.reason >> c.plan;
  return c;
}

std::string to_bytes(const Measured& m) {
  ByteWriter w;
  w << m.reason << m.invalid << m.failed << m.beaten << m.plan << m.memory << m.load << m.ticks << m.energy_fj
    << m.traffic << m.heights;
  return std::move(w.bytes);
}
Measured measured_from(const std::string& bytes) {
  ByteReader r(bytes);
  Measured m;
  r >> m.reason >> m.invalid >> m.failed >> m.beaten >> m.plan >> m.memory >> m.load >> m.ticks >> m.energy_fj >>
      m.traffic >> m.heights;
  return m;
}

std::string to_bytes(const CompositionFront& f) {
  ByteWriter w;
  put(w, f.points);
  w << f.bound << f.boxes << f.labels << f.exact << f.infeasible_reason << f.beaten;
  return std::move(w.bytes);
}
CompositionFront composition_from(const std::string& bytes) {
  ByteReader r(bytes);
  CompositionFront f;
  get(r, f.points);
  r >> f.bound >> f.boxes >> f.labels >> f.exact >> f.infeasible_reason >> f.beaten;
  return f;
}

std::string to_bytes(const GapClosure& c) {
  ByteWriter w;
  put(w, c.points);
  w << c.closed << c.left << c.plans << c.layouts << c.steps;
  return std::move(w.bytes);
}
GapClosure closure_from(const std::string& bytes) {
  ByteReader r(bytes);
  GapClosure c;
  get(r, c.points);
  r >> c.closed >> c.left >> c.plans >> c.layouts >> c.steps;
  return c;
}

std::string to_bytes(const Point& p) {
  ByteWriter w;
  w << p.id << p.origin << p.marks << p.memory_bytes << p.load_bytes << p.latency_ticks << p.latency_us << p.energy_uj
    << p.metrics << p.bound_ticks << p.program_bytes << p.tasks << p.startup_bytes << p.verified << p.plan_file
    << p.words << p.sections << p.layers << p.layer_kinds << p.file_names << p.assignment << p.loads << p.energies_fj
    << p.images;
  put(w, p.uses);
  put(w, p.buffers);
  put(w, p.run);
  return std::move(w.bytes);
}
Point point_from(const std::string& bytes) {
  ByteReader r(bytes);
  Point p;
  r >> p.id >> p.origin >> p.marks >> p.memory_bytes >> p.load_bytes >> p.latency_ticks >> p.latency_us >>
      p.energy_uj >> p.metrics >> p.bound_ticks >> p.program_bytes >> p.tasks >> p.startup_bytes >> p.verified >>
      p.plan_file >> p.words >> p.sections >> p.layers >> p.layer_kinds >> p.file_names >> p.assignment >> p.loads >>
      p.energies_fj >> p.images;
  get(r, p.uses);
  get(r, p.buffers);
  get(r, p.run);
  return p;
}

}  // namespace dse::explore
