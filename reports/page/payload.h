// The data behind the page: the sweep in a compact form that assets/report/data.js unfolds.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>

#include "explore/measure/results.h"

namespace dse::reports {

/// What the page leaves out to stay small; each cut is named on the page.
struct PageLimits {
  std::int64_t bytes = 10'000'000;       // the whole file
  std::int64_t dots_per_front = 20'000;  // dominated candidates drawn
  std::int64_t boxes_per_memory = 300;   // of a point's memory map; in a large sweep down to a fifth of that
  std::int64_t boxes = 30'000;           // shared by all points, per memory
  std::int64_t marked_weight = 4;        // a marked point may keep this many times the trace of an unmarked one
};

/// The page's data. Names are interned in `strings`; integer tables are `pack`ed (pack.h):
/// * `dots`, `bound`: count, then all memories, then all latencies, both as differences;
/// * `account`: rows of number, one number per cause, hidden DMA; `rowSections`: section of each row, empty where the
///   rows are the sections; `sections`: their names;
/// * `buffers`: rows of name, role, memory, offset, size, from, to, whose bytes;
/// * `maps`, per memory that has buffers: `windows`, rows of buffer (difference), from (difference), to - from, begin,
/// end -
///   begin, of the buffers that have windows (memory_map.h); `constants`: bytes of the constants image, `drawn` of
///   `boxes` boxes; `curve`, rows of from (difference), to - from, bytes (difference), of at first `steps` steps of the
///   bytes alive at once, of which `load` is the most;
/// * `trace.data`: columns row of the account, tile, template, queue, issued (differences), ready - issued, start -
/// ready, end - start, of the
///   first `trace.kept` of `trace.total` tasks by start.
/// `budget` is the number of bytes that `page_text` of it may take; traces share what the rest leaves.
nlohmann::json page_payload(const explore::Sweep& sweep, const PageLimits& limits, std::int64_t budget);

/// The document as it stands in a script element: no `<`, so that no name can close the element; invalid UTF-8 becomes
/// U+FFFD.
std::string page_text(const nlohmann::json& page);

}  // namespace dse::reports
