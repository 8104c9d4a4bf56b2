// What an optimiser reads: one line of JSON per evaluation.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "explore/ask/evaluate.h"

namespace dse::explore {
namespace {

using ordered = nlohmann::ordered_json;

ordered diagnostic_json(const Diagnostic& d) {
  ordered out;
  // A column of the line; what a change breaks elsewhere in the device's description is told with its place there.
  if (d.where.file.empty()) {
    if (d.where.column > 0) out["column"] = d.where.column;
  } else {
    out["where"] = fmt::format("{}:{}:{}", d.where.file, d.where.line, d.where.column);
  }
  out["what"] = d.what;
  if (!d.hint.empty()) out["hint"] = d.hint;
  return out;
}

/// Counts as whole numbers, as long as a double holds them exactly.
ordered number(double v) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (v == std::floor(v) && std::fabs(v) <= exact) return static_cast<std::int64_t>(v);
  return v;
}

}  // namespace

std::string to_json(const Evaluation& e) {
  using Status = Evaluation::Status;
  ordered out;
  out["status"] = name_of(e.status);
  if (!e.id.empty()) out["id"] = ordered::parse(e.id);
  if (e.status == Status::invalid)
    for (const auto& d : e.errors) out["errors"].push_back(diagnostic_json(d));
  if (!e.reason.empty()) out["reason"] = e.reason;
  if (!e.hint.empty()) out["hint"] = e.hint;
  if (!e.plan.empty()) out["plan"] = e.plan;
  if (e.status == Status::ok || e.status == Status::mismatch) {
    out["memory"] = e.memory;
    out["latency_us"] = e.latency_us;
    out["latency_cycles"] = e.ticks;
    if (e.energy_uj) out["energy_uj"] = *e.energy_uj;
    out["traffic"] = e.traffic;
    auto& metrics = out["metrics"] = ordered::object();
    for (const auto& [name, value] : e.metrics) metrics[name] = number(value);
  }
  if (!e.assignment.empty()) out["assignment"] = e.assignment;
  return out.dump(-1, ' ', false, ordered::error_handler_t::replace);
}

}  // namespace dse::explore
