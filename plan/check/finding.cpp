#include "plan/check/finding.h"

#include <array>

namespace dse::plan {

const char* name_of(FindingKind k) {
  static constexpr std::array names = {"malformed", "fit",   "bounds", "lifetime", "race",     "undefined",
                                       "constants", "input", "output", "reach",    "deadlock", "quiescence"};
  return names.at(static_cast<std::size_t>(k));
}

std::string to_string(const std::vector<Finding>& findings) {
  std::string s;
  for (const Finding& f : findings) s += std::string(name_of(f.kind)) + ": " + f.message + "\n";
  return s;
}

}  // namespace dse::plan
