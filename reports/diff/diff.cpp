#include <fmt/format.h>

#include <tuple>

#include "reports/diff/diff_parts.h"
#include "reports/diff/point_diff.h"
#include "reports/words/across.h"

namespace dse::reports {
namespace {

PointDiff::Side side_of(const RecordedPoint& m) {
  PointDiff::Side s;
  s.label = m.label;
  s.network = m.front.network, s.device = m.front.device;
  s.id = m.point.id, s.origin = m.point.origin;
  s.clock_hz = m.front.tick_hz;
  s.timed = m.point.latency_ticks > 0 && !m.point.run.failure;
  s.energy = m.point.energy_uj.has_value();
  if (s.clock_hz < 1) throw RecordError(m.label + ": clock_hz is not positive");
  return s;
}

void add_circumstance(const char* name, const std::string& a, const std::string& b, PointDiff& out) {
  if (a != b) out.circumstances.push_back({name, a, b});
}

void compare_circumstances(const explore::Front& a, const explore::Front& b, PointDiff& out) {
  add_circumstance("network", a.network, b.network, out);
  add_circumstance("network structure", a.network_hash, b.network_hash, out);
  add_circumstance("device", a.device, b.device, out);
  add_circumstance("device description", a.device_hash, b.device_hash, out);
  if (!out.same_clock())
    out.circumstances.push_back(
        {"fastest clock", fmt::format("{} Hz", out.a.clock_hz), fmt::format("{} Hz", out.b.clock_hz)});
  const auto area = [](const explore::Front& f) { return f.area_mm2 ? area_text(*f.area_mm2) : "not given"; };
  add_circumstance("area", area(a), area(b), out);
  add_circumstance("energies from", a.energy_source, b.energy_source, out);
  add_circumstance("kernel library", a.kernel_library, b.kernel_library, out);
  add_circumstance("accuracy", a.accuracy, b.accuracy, out);
  add_circumstance("origin", out.a.origin, out.b.origin, out);
}

PointDiff compare(const RecordedPoint& given_a, const RecordedPoint& given_b) {
  const parts::LayerNames names(given_a, given_b);
  auto a = names.in_common(given_a, true), b = names.in_common(given_b, false);
  PointDiff out;
  out.a = side_of(a), out.b = side_of(b);
  out.timed = out.a.timed && out.b.timed;
  if (!out.energy_known()) a.point.forget_energy(), b.point.forget_energy();
  compare_circumstances(a.front, b.front, out);
  const auto &p = a.point, &q = b.point;
  out.memory = {p.memory_bytes, q.memory_bytes};
  out.program_bytes = {p.program_bytes, q.program_bytes};
  out.startup_bytes = {p.startup_bytes, q.startup_bytes};
  if (out.timed) {
    out.cycles = {p.latency_ticks, q.latency_ticks};
    out.energy_fj = {p.run.energy_fj, q.run.energy_fj};
    out.tasks = {p.tasks, q.tasks};
    out.macs = {p.run.macs, q.run.macs};
  }
  out.time = common_time(out.a.clock_hz, out.b.clock_hz, out.cycles);
  for (const auto& [name, value] : p.metrics)
    if (const auto it = q.metrics.find(name); it != q.metrics.end()) out.metrics[name] = {value, it->second};
  parts::diff_layers(a, b, out);
  for (auto& l : out.layers) std::tie(l.name_a, l.name_b) = names.own(l.name);
  if (out.timed) parts::diff_energy(a, b, out);
  parts::diff_memories(a, b, out);
  parts::check_sums(out);
  return out;
}

}  // namespace

PointDiff diff_points(const RecordedPoint& a, const RecordedPoint& b) {
  for (const auto* m : {&a, &b}) {
    if (m->missing.count("assignment") + m->missing.count("energy_fj") > 0)
      throw RecordError(m->label + ": the point lacks its choices or its energy: it was written by an older version");
    if (!m->missing.empty()) throw RecordError(m->label + ": the point is damaged: it lacks " + *m->missing.begin());
  }
  return compare(a, b);
}

}  // namespace dse::reports
