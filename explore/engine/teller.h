// Tells how far a sweep is, at most ten times a second.
#pragma once
#include <chrono>
#include <string>

#include "explore/question/options.h"

namespace dse::explore {

class Teller {
 public:
  explicit Teller(const ExploreOptions& options);
  /// What is done from now on. Units are counted anew.
  void stage(std::string name);
  /// `weight` more units of work are known of. A unit is about one simulated layer schedule.
  void expect(double weight) { total_ += weight; }
  /// `weight` of them are done. Told at most every 100 ms.
  void done(const std::string& what, double weight);
  /// What was not told yet: at the end, the last counts are those of the whole search.
  void tell();
  void simulated(std::int64_t n) { simulated_ += n; }
  void discarded(std::int64_t n) { discarded_ += n; }
  /// The front as it stands: its points, and how far from the bound it is proven to be (below 0: not known).
  void front(int points, double gap) { front_ = points, gap_ = gap; }

 private:
  using Clock = std::chrono::steady_clock;
  const ExploreOptions& options_;
  double done_ = 0, total_ = 0, gap_ = -1;
  std::string stage_;
  std::int64_t simulated_ = 0, discarded_ = 0;
  int front_ = 0;
  std::string what_;
  bool behind_ = false;                     // something is done that was not told
  Clock::time_point start_, told_, began_;  // began_: the stage
};

}  // namespace dse::explore
