// The names that results.json and the page give to what a sweep found. Who writes and who reads visits these lists, so
// that a field has one name in one place: f(name in results.json, name in the page, field). No name in the page: it is
// not there, or as something else.
#pragma once
#include <nlohmann/json.hpp>

#include "explore/measure/results.h"

// These are called in results.json what they are called here.
namespace dse::explore {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeftOut, what, plan, assignment, why, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Provenance, version, command_line, date, inputs, seconds, interrupted)
}  // namespace dse::explore
namespace dse::nn {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LayerForm, name, kind, options, weights, inputs, outputs, from)
}

namespace dse::reports {

/// What a front is of.
template <class Front, class F>
void front_fields(Front& front, const F& f) {
  f("network", "network", front.network);
  f("network_hash", "networkHash", front.network_hash);
  f("device", "device", front.device);
  f("device_hash", "deviceHash", front.device_hash);
  f("kernel_library", "library", front.kernel_library);
  f("accuracy", "accuracy", front.accuracy);
  f("clock_hz", "hz", front.tick_hz);
}

template <class Memory, class F>
void memory_fields(Memory& m, const F& f) {
  f("name", "name", m.name);
  f("size_bytes", "size", m.size);
  f("reserved_bytes", "reserved", m.reserved);
  f("on_chip", "onChip", m.on_chip);
}

template <class Point, class F>
void point_fields(Point& p, const F& f) {
  f("id", "id", p.id);
  f("origin", "origin", p.origin);
  f("marks", "marks", p.marks);
  f("memory_bytes", "memory", p.memory_bytes);
  f("load_bytes", "load", p.load_bytes);
  f("metrics", "metrics", p.metrics);
  f("bound_cycles", "bound", p.bound_ticks);
  f("program_bytes", "program", p.program_bytes);
  f("tasks", "tasks", p.tasks);
  f("startup_bytes", "startup", p.startup_bytes);
  f("macs", "macs", p.run.macs);
  f("verified", "verified", p.verified);
  f("plan", "plan", p.plan_file);
  f("plan_in_words", nullptr, p.words);
  f("assignment", nullptr, p.assignment);
}

/// Of a point whose energy is known: microjoules, and femtojoules.
template <class Uj, class Fj, class F>
void energy_fields(Uj& uj, Fj& fj, const F& f) {
  f("energy_uj", "uj", uj);
  f("energy_fj", nullptr, fj);
}

template <class Buffer, class F>
void buffer_fields(Buffer& b, const F& f) {
  f("name", nullptr, b.name);
  f("role", nullptr, b.role);
  f("memory", nullptr, b.memory);
  f("offset", nullptr, b.offset);
  f("size", nullptr, b.size);
  f("from_cycle", nullptr, b.from_tick);
  f("to_cycle", nullptr, b.to_tick);
  f("first_layer", nullptr, b.first);
  f("last_layer", nullptr, b.last);
  f("counted_bytes", nullptr, b.counted);
  f("tensor", nullptr, b.tensor);
}

}  // namespace dse::reports
