// What holds of every trace beside the point that it is of: every sum, the order of events, and that tracks are flat.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace dse::test {

/// `point`: as results.json and `dse explain --json` have it. Counts slices, tracks and counters.
struct TraceRead {
  std::int64_t slices = 0, tracks = 0, counters = 0, arrows = 0;
};
TraceRead expect_sound_trace(const std::string& text, const nlohmann::json& point);

/// A value change dump: header, times that never fall, the busy time of every queue, the run's end. `tick_hz` is the
/// clock of the cycles. @returns the number of signals.
int expect_sound_vcd(const std::string& text, const nlohmann::json& point, std::int64_t tick_hz);

}  // namespace dse::test
