// What a worker does for a case with an NPU: its schedules, and those of its front as whole plans in full.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "explore/engine/work.h"
#include "explore/workers/post.h"
#include "explore/workers/transport.h"
#include "plan/npu/schedule/least.h"

namespace dse::explore {

/// A schedule as a whole plan.
struct NpuFound {
  std::string assignment, decided;
  Measured measured;            // what became of it, as of any other whole plan
  std::int64_t shortfall = 0;   // bytes that are missing where it does not fit
  bool other_bytes = false;     // than the interpreter's
  std::string stopped;          // what the NPU stopped for where its waits order kernels and copies; mostly empty
  std::string point, document;  // where it runs
  std::int64_t beside = -1;     // ticks that are not the NPU's own
};
ByteWriter& operator<<(ByteWriter& out, const NpuFound& f);
ByteReader& operator>>(ByteReader& in, NpuFound& f);

/// How far a search went, beside what it found.
struct NpuEffort {
  std::int64_t simulated = 0;  // schedules, by the NPU alone or as whole plans, each once
  std::int64_t skipped = 0;    // at most so many more would have been, but for the budget
  bool timed = false;          // by the clock, so that another run may end elsewhere
  plan::npu::Least least;
};
ByteWriter& operator<<(ByteWriter& out, const NpuEffort& e);
ByteReader& operator>>(ByteReader& in, NpuEffort& e);

struct NpuBudget {
  std::int64_t schedules = 0;  // 0: no limit. The one that takes least memory is always simulated
  std::optional<std::chrono::steady_clock::time_point> end;
};

/// The front of a case's NPU, or of `known`, schedules that an earlier run has found. Each is sent (NpuFound) as soon
/// as nothing is tried any more to make it better, both rules' before that, so that there is a front at any time.
NpuEffort search_schedules(const Engine& engine, const Case& c, const std::optional<std::string>& known,
                           const NpuBudget& budget, Post& post);

}  // namespace dse::explore
