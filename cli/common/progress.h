// Progress on stderr: a bar on a terminal, a line now and then elsewhere.
#pragma once
#include <chrono>
#include <string>

#include "explore/explore.h"

namespace dse::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  void show(const explore::Progress& progress);
  /// `choosing bits  [####----]  50 %  3 of 6  ETA 0:14`. Steps of one thing have one total and go up.
  void show(const std::string& what, std::int64_t done, std::int64_t total);
  /// Removes the bar, so that what follows begins on a clean line.
  void clear();

 private:
  void draw(const std::string& with_bar, const std::string& without);
  bool terminal_, colour_, drawn_ = false;
  std::chrono::steady_clock::time_point last_;
  struct Steps {
    std::int64_t first = 0, done = 0, total = -1;
    std::chrono::steady_clock::time_point since;
  } steps_;  // of what is shown
};

/// `resnet8 on gap8-class   [####----]  50 %  14,210 simulated  412/s  front 23  ETA 0:14`; without the bar if `bar` is
/// false.
std::string progress_line(const explore::Progress& progress, bool bar);

}  // namespace dse::cli
