// How a sweep is run, beside what it asks: workers, folders, and what follows it as it goes.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "explore/study/records.h"
#include "plan/choices/choice.h"

namespace dse::explore {

struct Progress {
  std::string what;                  // "resnet8 on gap8-class/l1=64KiB"
  std::string stage;                 // what is done with it: "composing"
  std::int64_t done = 0, total = 0;  // work items of this stage
  std::int64_t simulated = 0, discarded = 0;
  int front = 0;
  double gap = -1;  // how far the front is proven to be from the best there is, at most; below 0: not known yet
  double seconds = 0, eta_seconds = -1;  // since the start; to the end of the stage, below 0: not known
};

struct ExploreOptions {
  int jobs = 1;
  std::string out;                                // output folder: plans/ and the study go there
  std::function<void(const Progress&)> progress;  // called from the parent only; may be empty
  const std::atomic<bool>* interrupted = nullptr;
  StudyInfo info;                                  // of this run, for the study
  const plan::ChoiceRegistry* registry = nullptr;  // nullptr: the standard one
  double hang_seconds = 60;                        // a simulation without an end after so long costs its candidate
  /// Called in a worker before each simulation, with the assignment: for tests that make workers fail.
  std::function<void(const std::string&)> before_candidate;
  bool store_plans = true;  // points' plan documents go to `out`
  bool verify = true;       // front and marked points run with real bytes, compared with the interpreter
};

}  // namespace dse::explore
