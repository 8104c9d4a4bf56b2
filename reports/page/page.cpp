#include "reports/page/page.h"

#include "base/diagnostics.h"
#include "reports/page/assets.h"

namespace dse::reports {

void fill_slot(std::string& page, const std::string& slot, const std::string& with) {
  const auto at = page.find(slot);
  ensure(at != std::string::npos, "the page has no slot " + slot);
  page.replace(at, slot.size(), with);
}

std::string page_of(const std::string& name, const std::string& title, std::span<const char* const> scripts) {
  auto page = std::string(asset("head.html")) + std::string(asset(name + ".html")) + std::string(asset("foot.html"));
  std::string d3(asset("d3.min.js")), own;
  // Its first line names a web address, which a reader might take for a request; the licence stands before it instead.
  if (d3.starts_with("//")) d3.erase(0, d3.find('\n') + 1);
  for (const std::string script : scripts) own += "// " + script + "\n" + std::string(asset(script));
  fill_slot(page, "<!--slot:title-->", title);
  fill_slot(page, "/*slot:style*/", std::string(asset("tokens.css")) + std::string(asset(name + ".css")));
  fill_slot(page, "/*slot:d3*/", "/*\n" + std::string(asset("d3_license.txt")) + "*/\n" + d3);
  fill_slot(page, "/*slot:scripts*/", own);
  return page;
}

}  // namespace dse::reports
