#include "reports/page/html.h"

#include <array>

#include "reports/page/assets.h"
#include "reports/page/page.h"

namespace dse::reports {
namespace {

/// In load order: each script may use those before it, and listens in this order (the header shows the parts that draw
/// after it).
constexpr std::array kScripts = {"data.js",     "format.js",        "marks.js",       "state.js",      "wheel.js",
                                 "header.js",   "front_chart.js",   "more_memory.js", "table.js",      "account.js",
                                 "timeline.js", "memory_shapes.js", "memory_load.js", "memory_map.js", "details.js",
                                 "compare.js",  "main.js"};

}  // namespace

std::string report_html(const explore::Sweep& sweep, const PageLimits& limits) {
  std::string page(asset("report.html"));
  std::string scripts;
  for (const char* name : kScripts) scripts += std::string("// ") + name + "\n" + std::string(asset(name));
  fill_slot(page, "/*slot:style*/", std::string(asset("tokens.css")) + std::string(asset("report.css")));
  fill_slot(page, "/*slot:d3*/", d3_source());
  fill_slot(page, "/*slot:scripts*/", scripts);
  const auto left = limits.bytes - static_cast<std::int64_t>(page.size());
  fill_slot(page, "/*slot:data*/", page_text(page_payload(sweep, limits, left)));
  return page;
}

}  // namespace dse::reports
