#include "models/hw/libraries/libraries.h"

#include <map>

#include "base/diagnostics.h"
#include "models/hw/libraries/rate_table.h"

namespace dse::hw {
namespace {

std::map<std::string, MakeLibrary>& libraries() {
  static std::map<std::string, MakeLibrary> by_name;
  return by_name;
}

}  // namespace

void add_library(const std::string& name, MakeLibrary make) {
  ensure(libraries().emplace(name, std::move(make)).second, "kernel library " + name + " is added twice");
}

std::shared_ptr<const LibraryTiming> library_timing(const std::string& name, const Engine& e) {
  const auto it = libraries().find(name);
  return it == libraries().end() ? std::make_shared<const RateTable>(e) : it->second(e);
}

}  // namespace dse::hw
