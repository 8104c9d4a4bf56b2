// Small faults put into a lowered program, as a wrong planner or a wrong lowering would make them.
#pragma once
#include <array>
#include <optional>
#include <random>
#include <string>

#include "program/program.h"

namespace dse::test {

enum class Mutation {
  view_offset,  // a view one row earlier or later
  halo,         // a range one element shorter at one end
  ring,         // a ring of one row or channel more or less
  dependency_removed,
  dependency_older,  // age + 1
  copy_shorter,      // a copy that leaves out its last column or channel
  swap,              // two neighbouring tasks exchanged
  overlap,           // two buffers that live at once laid onto the same offset, with all views into them
  wait_removed,
  loop_shorter,  // one iteration less
};
constexpr int kMutations = 10;
const char* name_of(Mutation m);

/// Puts one fault of a class into `program` (a clone: payloads are changed in place). @returns what was changed, for
/// messages; nothing when the program offers no place for it.
std::optional<std::string> mutate(program::Program& program, Mutation m, std::mt19937_64& rng);

}  // namespace dse::test
