// Where a program's buffers lie and when, in the ticks of a run: what the memory map draws.
#pragma once
#include "explore/measure/results.h"

namespace dse::explore {

/// Every buffer of the program, in order: from the end of the section before its first to the end of its last one.
/// Windows are told in ticks by `run.trace`, which must be there when a buffer has any: a window lasts from the start
/// of its first task until the task after its last one starts (the section's end, after the last), tasks taken in the
/// order of their numbers and never before an earlier one. So windows that follow each other meet, and the bytes in use
/// at a tick are those of one task.
std::vector<BufferLife> buffer_lives(const program::Program& program, const sim::RunResult& run);

/// Bytes that the arena planner counts for a range: all units of the memory's alignment that it touches.
std::int64_t counted_bytes(std::int64_t offset, std::int64_t size, std::int64_t alignment);

/// Fills `counted`, `at_peak` and `unit` of the lives of one memory. `lives` are those of the program's buffers, in
/// order.
/// @param origin  offset that units count from (the constants image comes before it)
/// @param alignment  of the memory: bytes that are counted together as the planner counts, but for rings of rows
void count_lives(const program::Program& program, const std::string& memory, std::int64_t origin,
                 std::int64_t alignment, std::vector<BufferLife>& lives);

}  // namespace dse::explore
