// What is wrong with a file that should be a study.
#pragma once
#include <stdexcept>

#include "base/diagnostics.h"

namespace dse::explore {

/// A file that is not a study of this format, or is damaged: bad input. what() is in one line, with the hint.
struct StudyError : std::runtime_error {
  explicit StudyError(Diagnostic d);
  Diagnostic diagnostic;
};

}  // namespace dse::explore
