#include "reports/page/page.h"

#include "base/diagnostics.h"
#include "reports/page/assets.h"

namespace dse::reports {

void fill_slot(std::string& page, const std::string& slot, const std::string& with) {
  const auto at = page.find(slot);
  ensure(at != std::string::npos, "the page has no slot " + slot);
  page.replace(at, slot.size(), with);
}

std::string d3_source() {
  std::string source(asset("d3.min.js"));
  // Its first line names a web address; the licence stands before it instead.
  if (source.starts_with("//")) source.erase(0, source.find('\n') + 1);
  return "/*\n" + std::string(asset("d3_license.txt")) + "*/\n" + source;
}

}  // namespace dse::reports
