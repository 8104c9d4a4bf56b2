// What the parts of `dse study` share.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "explore/study/study_reader.h"

namespace dse::cli {

/// The columns that tell a subject, as fields of a JSON object: kind, network, layer, device, key, model, ...
nlohmann::ordered_json study_subject_json(const explore::StudySubject& subject);
/// One candidate with `latency_us` and `energy_uj` beside what is stored; null where nothing is known.
nlohmann::ordered_json study_candidate_json(const explore::StudySubject& subject, const explore::StudyRow& row);
/// Microseconds of these ticks; negative when they or the clock are not known.
double study_latency_us(const explore::StudySubject& subject, std::int64_t ticks);

/// Writes every candidate of a study to `file` ("-": standard output) as CSV or JSON, row by row; a file appears when
/// it is whole. @throws std::runtime_error when it cannot be written.
void export_study(const explore::StudyReader& study, const std::string& file, bool as_json);

}  // namespace dse::cli
