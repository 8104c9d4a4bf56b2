#include "explore/workers/transport.h"

#include <tuple>

#include "plan/choices/fields.h"

namespace dse::explore {
namespace {

template <class T, class Struct>
concept Is = std::is_same_v<std::remove_const_t<T>, Struct>;

// What travels, listed once for both ways. Details, Waits and charges of a traced run do not: no page shows them.

auto fields(Is<BufferLife> auto& b) {
  return std::tie(b.name, b.role, b.memory, b.offset, b.size, b.from_tick, b.to_tick, b.first, b.last, b.counted,
                  b.tensor, b.windows, b.at_peak, b.unit);
}
auto fields(Is<sim::Energy> auto& e) { return std::tie(e.memories, e.engines, e.leaked); }
auto fields(Is<LayerUse> auto& u) { return std::tie(u.memories, u.macs, u.energy_fj, u.energy); }
auto fields(Is<Roofline> auto& r) { return std::tie(r.macs, r.ticks, r.arithmetic, r.memories); }
auto fields(Is<sim::Failure> auto& f) { return std::tie(f.kind, f.what); }
auto fields(Is<sim::RunResult> auto& s) {
  return std::tie(s.ticks, s.energy_fj, s.energy, s.macs, s.tasks, s.layers, s.section_end, s.engines, s.memories,
                  s.trace, s.outputs, s.startup_bytes, s.failure);
}
auto fields(Is<LayerEntry> auto& e) { return std::tie(e.choice, e.costs, e.local, e.weight_bytes, e.fetches); }
auto fields(Is<LayerFront> auto& f) {
  return std::tie(f.entries, f.open, f.simulated, f.discarded, f.infeasible, f.skipped, f.outside, f.lost, f.own,
                  f.fetched, f.reason);
}
auto fields(Is<Candidate> auto& c) {
  return std::tie(c.assignment, c.status, c.costs, c.bound, c.memory, c.reason, c.plan);
}
auto fields(Is<Measured> auto& m) {
  return std::tie(m.reason, m.invalid, m.failed, m.beaten, m.plan, m.memory, m.load, m.costs, m.heights);
}
auto fields(Is<Composition> auto& c) { return std::tie(c.choices, c.order, c.values, c.memory, c.costs); }
auto fields(Is<CompositionFront> auto& f) {
  return std::tie(f.points, f.bound, f.runs, f.boxes, f.labels, f.exact, f.infeasible_reason, f.beaten);
}
auto fields(Is<std::pair<int, int>> auto& p) { return std::tie(p.first, p.second); }
auto fields(Is<RunOption> auto& o) { return std::tie(o.choices, o.costs, o.local, o.resident); }
auto fields(Is<Run> auto& r) { return std::tie(r.first, r.last, r.from, r.to, r.options); }
auto fields(Is<Runs> auto& r) { return std::tie(r.list, r.open, r.all); }
auto fields(Is<NearPlans> auto& p) { return std::tie(p.points, p.all); }
auto fields(Is<plan::shared::RowSegment> auto& s) {
  return std::tie(s.first, s.last, s.rows, s.grain, s.halo, s.strips);
}
auto fields(Is<plan::shared::Segmentation> auto& s) { return std::tie(s.peak, s.cost, s.segments); }
auto fields(Is<GapClosure> auto& c) { return std::tie(c.points, c.closed, c.left, c.plans, c.layouts, c.steps); }
auto fields(Is<Point> auto& p) {
  return std::tie(p.id, p.origin, p.marks, p.memory_bytes, p.load_bytes, p.costs, p.latency_ticks, p.latency_us,
                  p.energy_uj, p.metrics, p.bound_ticks, p.program_bytes, p.tasks, p.startup_bytes, p.verified,
                  p.plan_file, p.words, p.sections, p.layers, p.layer_kinds, p.file_names, p.assignment, p.loads,
                  p.energies_fj, p.images, p.uses, p.rooflines, p.buffers, p.run, p.on_npu);
}

void put(ByteWriter& w, const plan::LayerChoice& c) {
  plan::for_each_field(c, [&](const char*, const auto& field) { w << field; });
}
void get(ByteReader& r, plan::LayerChoice& c) {
  plan::for_each_field(c, [&](const char*, auto& field) { r >> field; });
}

template <class T>
void put(ByteWriter& w, const T& x);
template <class T>
void get(ByteReader& r, T& x);

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

template <class T>
void put(ByteWriter& w, const std::optional<T>& x) {
  w << x.has_value();
  if (x) put(w, *x);
}
template <class T>
void get(ByteReader& r, std::optional<T>& x) {
  bool is_there = false;
  r >> is_there;
  x.reset();
  if (is_there) get(r, x.emplace());
}

template <class T>
void put(ByteWriter& w, const T& x) {
  if constexpr (requires { fields(x); })
    std::apply([&](const auto&... field) { (put(w, field), ...); }, fields(x));
  else
    w << x;
}
template <class T>
void get(ByteReader& r, T& x) {
  if constexpr (requires { fields(x); })
    std::apply([&](auto&... field) { (get(r, field), ...); }, fields(x));
  else
    r >> x;
}

template <class T>
std::string bytes_of(const T& x) {
  ByteWriter w;
  put(w, x);
  return std::move(w.bytes);
}
template <class T>
T from(const std::string& bytes) {
  ByteReader r(bytes);
  T x;
  get(r, x);
  return x;
}

}  // namespace

std::string to_bytes(const LayerFront& f) { return bytes_of(f); }
LayerFront layer_front_from(const std::string& bytes) { return from<LayerFront>(bytes); }
std::string to_bytes(const Candidate& c) { return bytes_of(c); }
Candidate candidate_from(const std::string& bytes) { return from<Candidate>(bytes); }
std::string to_bytes(const Measured& m) { return bytes_of(m); }
Measured measured_from(const std::string& bytes) { return from<Measured>(bytes); }
std::string to_bytes(const CompositionFront& f) { return bytes_of(f); }
CompositionFront composition_from(const std::string& bytes) { return from<CompositionFront>(bytes); }
std::string to_bytes(const GapClosure& c) { return bytes_of(c); }
GapClosure closure_from(const std::string& bytes) { return from<GapClosure>(bytes); }
std::string to_bytes(const Runs& r) { return bytes_of(r); }
Runs runs_from(const std::string& bytes) { return from<Runs>(bytes); }
std::string to_bytes(const NearPlans& p) { return bytes_of(p); }
NearPlans near_from(const std::string& bytes) { return from<NearPlans>(bytes); }
std::string to_bytes(const std::vector<plan::shared::Segmentation>& p) { return bytes_of(p); }
std::vector<plan::shared::Segmentation> segmentations_from(const std::string& bytes) {
  return from<std::vector<plan::shared::Segmentation>>(bytes);
}
std::string to_bytes(const Point& p) { return bytes_of(p); }
Point point_from(const std::string& bytes) { return from<Point>(bytes); }

}  // namespace dse::explore
