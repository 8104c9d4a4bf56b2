// Logging: to stderr, or to a file, never to stdout (that is for data).
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace dse {

/// Sets up the process-wide logger. `level`: trace, debug, info, warn, error or off (`--log-level`); `file`: appended
/// to, empty = stderr
/// (`--log-file`). Colours follow the terminal and NO_COLOR. Returns false after a diagnostic (unknown level, file
/// cannot be opened), and leaves the logger as it was.
bool set_up_log(const std::string& level, const std::string& file, Diagnostics& diagnostics);

/// One line at this level. Cheap where the level is off, but the text is made before.
void log_debug(const std::string& text);
void log_info(const std::string& text);

/// A stage of some work: says at debug that it begins and, when it is gone, how long it took.
class LoggedStage {
 public:
  explicit LoggedStage(std::string name);
  ~LoggedStage();
  LoggedStage(const LoggedStage&) = delete;
  LoggedStage& operator=(const LoggedStage&) = delete;

 private:
  std::string name_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace dse
