// Traces in the Chrome Trace Event format, which ui.perfetto.dev and chrome://tracing open.
#pragma once
#include "reports/trace/traced.h"

namespace dse::reports {

struct TraceCounts {
  std::int64_t slices = 0, tracks = 0, counters = 0;
};

/// Writes a JSON object with `traceEvents`, one event a line, and what they are of in `otherData`. Times are
/// microseconds to the picosecond; `args` have the cycles. Slices of one track stand in the order of time and never
/// overlap:
///   layers    whose every tick is, as the account says; under them the segments that run by phases
///   account   the same ticks by cause
///   control   the Waits that it stood at
///   <queue>   the tasks of each engine and DMA channel, with arrows from the task of another queue that made one ready
/// Counters by memory: bytes alive, and bytes in flight. Only text of single events is kept.
TraceCounts write_chrome_trace(const Traced& traced, const Sink& sink);

}  // namespace dse::reports
