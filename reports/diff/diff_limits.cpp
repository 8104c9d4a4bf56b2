#include "reports/diff/diff_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/suggest.h"
#include "base/unit_text.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

__extension__ typedef __int128 Wide;

enum class Kind { time, bytes, energy, count, number };

const std::vector<std::pair<std::string, Kind>>& known() {
  static const std::vector<std::pair<std::string, Kind>> names = {
      {"latency", Kind::time},  {"memory", Kind::bytes},  {"load", Kind::bytes},
      {"energy", Kind::energy}, {"traffic", Kind::bytes}, {"program_bytes", Kind::bytes},
      {"tasks", Kind::count},   {"macs", Kind::count},    {"startup_bytes", Kind::bytes},
  };
  return names;
}

const std::vector<std::string>& memory_metrics() {
  static const std::vector<std::string> names = {"peak", "load", "read", "written"};
  return names;
}

/// "memories.l1.peak" -> {"l1", "peak"}; nothing for other forms.
std::optional<std::pair<std::string, std::string>> memory_metric(const std::string& name) {
  const auto dot = name.rfind('.');
  if (!name.starts_with("memories.") || dot < 9) return std::nullopt;
  return std::pair{name.substr(9, dot - 9), name.substr(dot + 1)};
}

Kind kind_of(const std::string& metric) {
  for (const auto& [name, kind] : known())
    if (name == metric) return kind;
  return memory_metric(metric) ? Kind::bytes : Kind::number;
}

const Unit& unit_of(Kind k) {
  static const Unit time{"a limit of time",
                         "2% or 100us",
                         {{"%", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"cycles", 1}}};
  static const Unit bytes{"a limit of bytes",
                          "2% or 4KiB",
                          {{"%", 1}, {"B", 1}, {"KB", 1000}, {"KiB", 1024}, {"MB", 1000000}, {"MiB", 1 << 20}}};
  static const Unit energy{"a limit of energy",
                           "1% or 5uJ",
                           {{"%", 1}, {"pJ", 1000}, {"nJ", 1000000}, {"uJ", 1000000000}, {"mJ", 1000000000000}}};
  static const Unit count{"a limit", "2% or 100", {{"%", 1}}, true};
  switch (k) {
    case Kind::time:
      return time;
    case Kind::bytes:
      return bytes;
    case Kind::energy:
      return energy;
    default:
      return count;
  }
}

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

std::optional<Limit> parse(const std::string& text, std::string& error) {
  const auto equals = text.find('=');
  Limit out;
  out.text = text;
  out.metric = trimmed(text.substr(0, equals));
  const auto amount = equals == std::string::npos ? "" : trimmed(text.substr(equals + 1));
  if (out.metric.empty() || amount.empty()) {
    error = quote(text) + " is no limit: write latency=2% or memory=0";
    return std::nullopt;
  }
  if (amount != "0") {
    const auto value = parse_quantity(amount, unit_of(kind_of(out.metric)));
    if (!value.value) {
      error = out.metric + ": " + value.error;
      return std::nullopt;
    }
    out.amount = *value.value;
  }
  if (amount.ends_with('%')) out.in = Limit::In::percent;
  if (amount.ends_with("cycles")) out.in = Limit::In::cycles;
  return out;
}

std::optional<Pair> bytes_of(const MemoryDiff& m, const std::string& metric) {
  if (metric == "peak") return m.arena;
  if (metric == "load") return m.load;
  if (metric == "read") return m.read;
  if (metric == "written") return m.written;
  return std::nullopt;
}

/// The metric on both sides in its base unit; latency in ticks. Nothing if it is not a whole number here.
std::optional<Pair> value_of(const std::string& metric, const PointDiff& d) {
  const std::pair<const char*, Pair> totals[] = {
      {"latency", d.cycles},   {"memory", d.memory},   {"load", d.load},
      {"energy", d.energy_fj}, {"traffic", d.traffic}, {"program_bytes", d.program_bytes},
      {"tasks", d.tasks},      {"macs", d.macs},       {"startup_bytes", d.startup_bytes}};
  for (const auto& [name, value] : totals)
    if (metric == name) return value;
  if (const auto named = memory_metric(metric))
    for (const auto& m : d.memories)
      if (m.name == named->first) return bytes_of(m, named->second);
  return std::nullopt;
}

/// What only a simulation measures.
bool needs_timing(const std::string& metric) {
  const auto memory = memory_metric(metric);
  if (memory) return memory->second == "read" || memory->second == "written";
  return metric == "latency" || metric == "energy" || metric == "traffic" || metric == "tasks" || metric == "macs";
}

bool over(const Limit& limit, const PointDiff& d, Pair value) {
  const Wide num = limit.amount.num, den = limit.amount.den;
  const bool time = limit.metric == "latency" && limit.in != Limit::In::cycles;
  if (time) value = d.time.of(value);
  const Wide change = static_cast<Wide>(value.b) - value.a;
  if (change <= 0) return false;
  if (limit.in == Limit::In::percent) return change * 100 * den > num * value.a;
  if (time) return change * 1000000000 * den > num * d.time.per_second;
  return change * den > num;
}

std::string shown(const std::string& metric, const PointDiff& d, const Pair& v) {
  const auto change = " (" + change_text(static_cast<double>(v.b), static_cast<double>(v.a)) + ")";
  const auto plain = [&](const char* unit) { return fmt::format("{} -> {}{}", grouped(v.a), grouped(v.b), unit); };
  switch (kind_of(metric)) {
    case Kind::time: {
      if (d.same_clock()) return plain(" cycles") + change;
      const auto us = [&](std::int64_t ticks, std::int64_t hz) {
        return fmt::format("{:.3f}", static_cast<double>(ticks) * 1e6 / static_cast<double>(hz));
      };
      const auto t = d.time.of(v);
      return us(v.a, d.a.clock_hz) + " -> " + us(v.b, d.b.clock_hz) + " us (" +
             change_text(static_cast<double>(t.b), static_cast<double>(t.a)) + ")";
    }
    case Kind::bytes:
      return plain(" bytes") + change;
    case Kind::energy:
      return fmt::format("{:.3f} -> {:.3f} uJ{}", static_cast<double>(v.a) * 1e-9, static_cast<double>(v.b) * 1e-9,
                         change);
    default:
      return plain("") + change;
  }
}

/// Metrics beyond those told apart here are numbers without parts.
std::optional<std::string> over_number(const Limit& limit, const PointDiff& d) {
  const auto it = d.metrics.find(limit.metric);
  if (it == d.metrics.end()) return std::nullopt;
  const auto [a, b] = it->second;
  const double allowed = limit.in == Limit::In::percent ? limit.amount.value() / 100 * a : limit.amount.value();
  if (!(b - a > allowed)) return std::nullopt;
  return fmt::format("{} -> {}", a, b);
}

}  // namespace

std::vector<Limit> parse_limits(const std::vector<std::string>& lists, const std::string& option, Diagnostics& diags) {
  std::vector<Limit> out;
  for (const auto& list : lists)
    for (std::size_t at = 0; at <= list.size();) {
      const auto comma = std::min(list.find(',', at), list.size());
      std::string error;
      if (auto limit = parse(trimmed(list.substr(at, comma - at)), error))
        out.push_back(std::move(*limit));
      else
        diags.error({option, 0, 0}, error);
      at = comma + 1;
    }
  return out;
}

bool limits_apply(const std::vector<Limit>& limits, const PointDiff& diff, const std::string& option,
                  Diagnostics& diags) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : known()) names.push_back(name);
  for (const auto& m : diff.memories)
    for (const auto& metric : memory_metrics()) names.push_back("memories." + m.name + "." + metric);
  for (const auto& [name, value] : diff.metrics)
    if (std::count(names.begin(), names.end(), name) == 0) names.push_back(name);
  bool all = true;
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    diags.error({option, 0, 0}, what, hint);
    all = false;
  };
  for (const auto& l : limits) {
    if (std::count(names.begin(), names.end(), l.metric) == 0) {
      const auto guess = nearest(l.metric, names);
      refuse("no metric is named " + quote(l.metric) + (guess.empty() ? "" : "; did you mean " + guess + "?"),
             "there is " + join_or(names));
    } else if (needs_timing(l.metric) && !diff.a.timed) {
      refuse(l.text + ": " + diff.a.label + " was not timed", "");
    } else if (l.metric == "energy" && diff.timed && !diff.energy_known()) {
      const auto& side = diff.a.energy ? diff.b : diff.a;
      refuse(l.text + ": the energy of " + side.label + " is not known",
             "the file of " + side.device + " needs energy_source: where its energies were measured or published");
    } else if (l.in == Limit::In::cycles && !diff.same_clock()) {
      refuse(l.text + ": the devices' clocks differ", "give a percentage or a time");
    } else if (l.metric == "latency" && diff.time.per_second == 0) {
      refuse(l.text + ": the devices' clocks have no common unit of time within 64 bits", "");
    }
  }
  return all;
}

std::vector<std::string> exceeded(const std::vector<Limit>& limits, const PointDiff& diff) {
  std::vector<std::string> out;
  for (const auto& l : limits) {
    const auto value = value_of(l.metric, diff);
    if (value && needs_timing(l.metric) && !diff.b.timed)
      out.push_back(fmt::format("{}: {} was not timed", l.text, diff.b.label));
    else if (value && over(l, diff, *value))
      out.push_back(fmt::format("{}: {}", l.text, shown(l.metric, diff, *value)));
    else if (const auto number = value ? std::nullopt : over_number(l, diff))
      out.push_back(fmt::format("{}: {}", l.text, *number));
  }
  return out;
}

}  // namespace dse::reports
