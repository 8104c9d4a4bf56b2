#include "reports/page/html.h"

#include <array>

#include "reports/page/page.h"

namespace dse::reports {
namespace {

/// In load order: each script may use those before it, and listens in this order (the header shows the parts that draw
/// after it).
constexpr std::array kScripts = {"data.js",           "format.js",     "marks.js",   "state.js",    "wheel.js",
                                 "variants_chart.js", "area_chart.js", "across.js",  "header.js",   "front_chart.js",
                                 "more_memory.js",    "table.js",      "account.js", "timeline.js", "memory_shapes.js",
                                 "memory_load.js",    "memory_map.js", "details.js", "compare.js",  "main.js"};

}  // namespace

std::string report_html(const explore::Sweep& sweep, const PageLimits& limits) {
  auto page = page_of("report", "dse report", kScripts);
  const auto left = limits.bytes - static_cast<std::int64_t>(page.size());
  fill_slot(page, "/*slot:data*/", page_text(page_payload(sweep, limits, left)));
  return page;
}

}  // namespace dse::reports
