// Errors of the C runtime in words.
#pragma once
#include <string>

namespace dse::deploy {

/// Words for an error (enum dse_error).
std::string explain(int error);

}  // namespace dse::deploy
