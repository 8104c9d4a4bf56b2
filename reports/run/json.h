// The results of a sweep as one JSON document: everything the report shows except traces.
#pragma once
#include <nlohmann/json.hpp>

#include "explore/measure/results.h"

namespace dse::reports {

/// Format 1, described field by field in docs/run/report.md. Everything but `provenance` is equal for equal sweeps.
/// Integers are exact; latencies are in cycles of the device's fastest clock and in microseconds, memory in bytes,
/// energy in microjoules. A plan that was not timed has `latency_cycles: null`.
nlohmann::json results_json(const explore::Sweep& sweep);

}  // namespace dse::reports
