// Logging: to stderr, or to a file, never to stdout (that is for data).
#pragma once
#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace dse {

/// Sets up the process-wide logger. `level`: trace, debug, info, warn, error or off (`--log-level`); `file`: appended
/// to, empty = stderr
/// (`--log-file`). Colours follow the terminal and NO_COLOR. Returns false after a diagnostic (unknown level, file
/// cannot be opened), and leaves the logger as it was.
bool set_up_log(const std::string& level, const std::string& file, Diagnostics& diagnostics);

}  // namespace dse
