#include "reports/diff/diff.h"

#include <fmt/format.h>

#include <tuple>

#include "reports/diff/diff_parts.h"

namespace dse::reports {
namespace {

using nlohmann::json;

PointDiff::Side side_of(const Measured& m) {
  PointDiff::Side s;
  s.label = m.label;
  s.network = m.front.at("network"), s.device = m.front.at("device");
  s.id = m.point.at("id"), s.origin = m.point.at("origin");
  s.clock_hz = m.front.at("clock_hz");
  s.timed = !m.point.at("latency_cycles").is_null() && !m.point.contains("failure");
  if (s.clock_hz < 1) throw DiffError(m.label + ": clock_hz is not positive");
  return s;
}

void add_circumstance(const char* name, const std::string& a, const std::string& b, PointDiff& out) {
  if (a != b) out.circumstances.push_back({name, a, b});
}

void compare_circumstances(const Measured& a, const Measured& b, PointDiff& out) {
  const auto both = [&](const char* name, const char* key) {
    add_circumstance(name, a.front.at(key).get<std::string>(), b.front.at(key).get<std::string>(), out);
  };
  both("network", "network");
  both("network structure", "network_hash");
  both("device", "device");
  both("device description", "device_hash");
  if (!out.same_clock())
    out.circumstances.push_back(
        {"fastest clock", fmt::format("{} Hz", out.a.clock_hz), fmt::format("{} Hz", out.b.clock_hz)});
  both("kernel library", "kernel_library");
  both("accuracy", "accuracy");
  add_circumstance("origin", out.a.origin, out.b.origin, out);
}

PointDiff compare(const Measured& given_a, const Measured& given_b) {
  const parts::LayerNames names(given_a, given_b);
  const auto a = names.in_common(given_a, true), b = names.in_common(given_b, false);
  PointDiff out;
  out.a = side_of(a), out.b = side_of(b);
  out.timed = out.a.timed && out.b.timed;
  compare_circumstances(a, b, out);
  const auto both = [&](const char* key) {
    return Pair{a.point.at(key).get<std::int64_t>(), b.point.at(key).get<std::int64_t>()};
  };
  out.memory = both("memory_bytes");
  out.program_bytes = both("program_bytes");
  out.startup_bytes = both("startup_bytes");
  if (out.timed) {
    out.cycles = both("latency_cycles");
    out.energy_fj = both("energy_fj");
    out.tasks = both("tasks");
    out.macs = both("macs");
  }
  out.time = common_time(out.a.clock_hz, out.b.clock_hz, out.cycles);
  for (const auto& [name, value] : a.point.at("metrics").items())
    if (const auto it = b.point.at("metrics").find(name); it != b.point.at("metrics").end())
      out.metrics[name] = {value.get<double>(), it->get<double>()};
  parts::diff_layers(a, b, out);
  for (auto& l : out.layers) std::tie(l.name_a, l.name_b) = names.own(l.name);
  parts::diff_memories(a, b, out);
  parts::check_sums(out);
  return out;
}

}  // namespace

PointDiff diff_points(const Measured& a, const Measured& b) {
  for (const auto* m : {&a, &b})
    if (!m->point.contains("assignment") || !m->point.contains("energy_fj"))
      throw DiffError(m->label + ": the point lacks its choices or its energy: it was written by an older version");
  try {
    return compare(a, b);
  } catch (const json::exception& e) {
    throw DiffError(fmt::format("{} or {}: the point is damaged: {}", a.label, b.label, e.what()));
  }
}

}  // namespace dse::reports
