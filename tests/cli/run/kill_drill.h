// A run that is disturbed, and what has to come out of it nevertheless.
#pragma once
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace dse::test {

/// What a run leaves for its user, byte for byte.
struct Outcome {
  std::string front;                         // front.csv
  std::map<std::string, std::string> plans;  // by file name
  std::string results;                       // results.json without provenance and without counts of the way there
  bool operator==(const Outcome&) const = default;
};
Outcome outcome(const std::string& folder);
/// Names the first difference; empty when there is none.
std::string difference(const Outcome& got, const Outcome& expected);

/// A sweep of so many sizes of the L1 that takes a second or a few, and what it gives undisturbed.
class Drill {
 public:
  /// @throws std::runtime_error when the undisturbed run fails.
  Drill(const std::string& networks, const std::string& l1_sizes, unsigned seed);

  std::vector<std::string> command(const std::string& out, int jobs) const;
  /// Goes on, or afresh where there is nothing yet: with the same command, or, every other time, with --resume.
  std::vector<std::string> resuming(const std::string& out, int jobs, int time) const;
  /// Runs it in folder `out` and kills it, if it is not quicker, at a random moment. True when the kill came in time;
  /// then no process of it is alive any more. Otherwise it has succeeded.
  bool kill_once(const std::string& out, int jobs);
  /// The same with one or two of its workers (a candidate that takes three with it counts as crashed). The run has to
  /// succeed; returns the kills.
  int kill_workers(const std::string& out, int jobs);
  /// A moment within the time that the undisturbed run took, in seconds.
  double moment();

  Folder here;
  Outcome expected;
  double seconds = 0;  // of the undisturbed run
  std::mt19937 random;

 private:
  std::string sweep_;
};

}  // namespace dse::test
