// docs/validation.md: measured cycles against simulated ones, as a page of Markdown.
#pragma once
#include <string>

#include "explore/calibrate/validation.h"

namespace dse::reports {

/// `made_by`: the command that makes the page again.
std::string validation_page(const explore::Validation& v, const std::string& made_by);

}  // namespace dse::reports
