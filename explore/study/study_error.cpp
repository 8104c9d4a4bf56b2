#include "explore/study/study_error.h"

namespace dse::explore {

static std::string one_line(const Diagnostic& d) {
  return d.where.file + ": " + d.what + (d.hint.empty() ? "" : " (" + d.hint + ")");
}

StudyError::StudyError(Diagnostic d) : std::runtime_error(one_line(d)), diagnostic(std::move(d)) {}

}  // namespace dse::explore
