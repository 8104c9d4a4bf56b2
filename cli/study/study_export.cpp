// Studies as rows and objects for other programs.
#include <fmt/format.h>

#include <cmath>

#include "cli/common/output.h"
#include "cli/study/study.h"
#include "reports/run/csv.h"

namespace dse::cli {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& j) { return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

std::string field_of(const ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return dump(value);
  return reports::csv_field(value.get<std::string>());
}

/// Rounded to three decimals, as reports do.
ordered_json rounded(double v) { return v < 0 ? ordered_json() : ordered_json(std::round(v * 1000) / 1000); }

ordered_json known(std::int64_t v) { return v == -1 ? ordered_json() : ordered_json(v); }

ordered_json known(const std::string& s) { return s.empty() ? ordered_json() : ordered_json(s); }

}  // namespace

double study_latency_us(const explore::StudySubject& s, std::int64_t ticks) {
  if (ticks < 0 || s.subject.tick_hz <= 0) return -1;
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(s.subject.tick_hz);
}

ordered_json study_subject_json(const explore::StudySubject& s) {
  return {{"subject", s.id},
          {"kind", s.subject.kind},
          {"network", s.subject.network},
          {"layer", s.subject.name},
          {"device", s.subject.device},
          {"key", s.subject.key},
          {"device_hash", s.subject.device_hash},
          {"tick_hz", s.subject.tick_hz},
          {"model", s.model}};
}

ordered_json study_candidate_json(const explore::StudySubject& s, const explore::StudyRow& row) {
  const auto& c = row.candidate;
  const auto ticks = c.costs[explore::kTicks], energy = c.costs[explore::kEnergy];
  return {{"assignment", c.assignment},
          {"status", to_string(c.status)},
          {"ticks", known(ticks)},
          {"latency_us", rounded(study_latency_us(s, ticks))},
          {"bound_ticks", known(c.bound)},
          {"memory_bytes", known(c.memory)},
          {"energy_uj", energy < 0 ? ordered_json() : ordered_json(static_cast<double>(energy) * 1e-9)},
          {"energy_fj", known(energy)},
          {"traffic_bytes", known(c.costs[explore::kTraffic])},
          {"reason", known(c.reason)},
          {"plan", known(c.plan)},
          {"session", row.session}};
}

void export_study(const explore::StudyReader& study, const std::string& file, bool as_json) {
  const auto subjects = study.subjects();
  Output out(file);
  bool first = true;
  if (as_json) out.write("[");
  const explore::StudySubject nobody;
  if (!as_json) {
    std::string head;
    for (const auto& part : {study_subject_json(nobody), study_candidate_json(nobody, {})})
      for (const auto& [name, value] : part.items()) head += (head.empty() ? "" : ",") + name;
    out.write(head + "\n");
  }
  for (const auto& s : subjects) {
    const auto columns = study_subject_json(s);
    std::string start;
    for (const auto& [name, value] : columns.items()) start += field_of(value) + ",";
    study.each(s.id, [&](const explore::StudyRow& row) {
      const auto candidate = study_candidate_json(s, row);
      if (as_json) {
        auto object = columns;
        object.update(candidate);
        out.write((first ? "\n" : ",\n") + dump(object));
      } else {
        std::string line = start;
        for (const auto& [name, value] : candidate.items()) line += (name == "assignment" ? "" : ",") + field_of(value);
        out.write(line + "\n");
      }
      first = false;
    });
  }
  if (as_json) out.write("\n]\n");
  out.close();
}

}  // namespace dse::cli
