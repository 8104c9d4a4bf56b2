// Executes a program on plain byte arrays, without any notion of time: what must hold for every legal interleaving of
// its tasks. The bytes that a task may not look at hold poison, and every byte knows whether it has been written.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace dse::test {

/// The order in which tasks run, among those that dependencies, queues and Waits allow.
/// eager: each task when it is issued. lazy: none before a Wait (or the end) asks for it, and then only what that
/// needs. random: tasks of different queues start and end at random, also overlapping: outputs are poisoned at the
/// start and written at the end, sources are read at the start and must be unchanged at the end.
enum class Interleaving { eager, lazy, random };
const char* name_of(Interleaving i);

struct ExecutionResult {
  std::vector<std::vector<std::uint8_t>> outputs;  // per Program::outputs; empty after a failure
  std::int64_t tasks = 0;                          // tasks run, Waits left out
  /// Why it stopped: "out_of_range: ...", "uninitialised_read: ...", "conflict: ...", "execution: ...", "deadlock:
  /// ...", "malformed: ...".
  std::optional<std::string> failure;
  bool ok() const { return !failure; }
};

/// Runs the whole program. `constants`: the constants image (at least Program::constants_size bytes); `inputs`: one
/// byte vector per Program::inputs. The first failure ends the run. Same arguments, same result.
ExecutionResult execute(const program::Program& program, std::span<const std::uint8_t> constants,
                        const std::vector<std::vector<std::uint8_t>>& inputs, Interleaving order,
                        std::uint64_t seed = 0);

/// "conv3 call tile 2 (queue cluster, task 7)": how findings and failures name a task.
std::string describe(const program::Program& program, const program::TaskInstance& t);

}  // namespace dse::test
