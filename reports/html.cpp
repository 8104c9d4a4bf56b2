#include "reports/html.h"

#include <array>

#include "base/diagnostics.h"
#include "reports/assets.h"

namespace dse::reports {
namespace {

/// In load order: each script may use those before it, and listens in this order (the header shows the parts that draw
/// after it).
constexpr std::array kScripts = {"data.js",     "format.js",      "marks.js",       "state.js",   "wheel.js",
                                 "header.js",   "front_chart.js", "more_memory.js", "table.js",   "account.js",
                                 "timeline.js", "memory_map.js",  "details.js",     "compare.js", "main.js"};

void replace(std::string& page, const std::string& slot, const std::string& with) {
  const auto at = page.find(slot);
  ensure(at != std::string::npos, "report.html has no slot " + slot);
  page.replace(at, slot.size(), with);
}

std::string d3_source() {
  std::string source(asset("d3.min.js"));
  // Its first line names a web address; the licence stands before it instead.
  if (source.starts_with("//")) source.erase(0, source.find('\n') + 1);
  return "/*\n" + std::string(asset("d3_license.txt")) + "*/\n" + source;
}

}  // namespace

std::string report_html(const explore::Sweep& sweep, const PageLimits& limits) {
  std::string page(asset("report.html"));
  std::string scripts;
  for (const char* name : kScripts) scripts += std::string("// ") + name + "\n" + std::string(asset(name));
  replace(page, "/*slot:style*/", std::string(asset("report.css")));
  replace(page, "/*slot:d3*/", d3_source());
  replace(page, "/*slot:scripts*/", scripts);
  const auto left = limits.bytes - static_cast<std::int64_t>(page.size());
  replace(page, "/*slot:data*/", page_text(page_payload(sweep, limits, left)));
  return page;
}

}  // namespace dse::reports
