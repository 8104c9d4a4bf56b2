// Runs other programs: compilers, emulators.
#pragma once
#include <string>
#include <vector>

namespace dse {

struct Finished {
  int code = -1;           // its exit code; 128 + the signal that ended it; -1: it could not be started
  bool timed_out = false;  // it was ended because it took too long
  std::string output;      // of both streams, at most 1 MiB
};

/// Runs `argv` (found by PATH, no shell) in `folder`, without input, for at most `seconds`.
Finished run_process(const std::vector<std::string>& argv, const std::string& folder, double seconds);

/// Whether there is a program of that name.
bool has_program(const std::string& name);

}  // namespace dse
