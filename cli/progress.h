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
  /// Removes the bar, so that what follows begins on a clean line.
  void clear();

 private:
  bool terminal_, colour_, drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// `resnet8 on gap8-class   [####----]  50 %  14,210 simulated  412/s  front 23  ETA 0:14`; without the bar if `bar` is
/// false.
std::string progress_line(const explore::Progress& progress, bool bar);

}  // namespace dse::cli
