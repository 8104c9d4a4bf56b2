#include "models/hw/libraries/libraries.h"

#include <algorithm>
#include <map>

#include "base/diagnostics.h"
#include "base/suggest.h"
#include "models/hw/libraries/cmsis_nn.h"
#include "models/hw/libraries/cmsis_nn_mve.h"
#include "models/hw/libraries/pulp_nn.h"
#include "models/hw/libraries/rate_table.h"
#include "models/hw/libraries/shape_table.h"

namespace dse::hw {
namespace {

struct Library {
  MakeLibrary make;
  std::vector<std::string> counts;
};

/// Timed by its loops where the device file prices them, else by the tables.
template <class T>
Library counted(const std::vector<std::string>& counts) {
  return {[](const Engine& e) -> std::shared_ptr<const LibraryTiming> {
            if (e.cycles_per_count.empty()) return std::make_shared<const RateTable>(e);
            return std::make_shared<const T>(e);
          },
          counts};
}

std::map<std::string, Library>& libraries() {
  static std::map<std::string, Library> by_name = {
      {"cmsis-nn", counted<CmsisNn>(cmsis_count_names())},
      {"cmsis-nn-mve", counted<CmsisNnMve>(mve_count_names())},
      {"pulp-nn", counted<PulpNn>(pulp_count_names())},
  };
  return by_name;
}

}  // namespace

std::vector<std::string> counted_libraries() {
  std::vector<std::string> out;
  for (const auto& [name, library] : libraries())
    if (!library.counts.empty()) out.push_back(name);
  return out;
}

std::vector<std::string> all_counts() {
  std::vector<std::string> out;
  for (const auto& [name, library] : libraries())
    for (const auto& count : library.counts)
      if (std::find(out.begin(), out.end(), count) == out.end()) out.push_back(count);
  return out;
}

std::vector<std::string> counts_of(const std::string& library) {
  const auto it = libraries().find(library);
  return it == libraries().end() ? std::vector<std::string>{} : it->second.counts;
}

std::string why_not_counted(const std::string& library, const Engine& e) {
  const auto counts = counts_of(library);
  std::vector<std::string> missing;
  for (const auto& c : counts)
    if (e.cycles_per_count.count(c) == 0) missing.push_back(c);
  if (counts.empty())
    return "is of no use: the kernel library " + quote(library) + " counts nothing; " + join_or(counted_libraries()) +
           " does";
  for (const auto& [count, rate] : e.cycles_per_count)
    if (std::find(counts.begin(), counts.end(), count) == counts.end())
      return "has " + quote(count) + ", which " + library + " does not count; it counts " + join_or(counts);
  return missing.empty() ? "" : "has no " + join_or(missing) + ", which " + library + " is timed by";
}

void add_library(const std::string& name, MakeLibrary make) {
  ensure(libraries().emplace(name, Library{std::move(make), {}}).second, "kernel library " + name + " is added twice");
}

std::shared_ptr<const LibraryTiming> library_timing(const std::string& name, const Engine& e) {
  if (e.kind == EngineKind::table) return std::make_shared<const ShapeTable>(e);
  const auto it = libraries().find(name);
  return it == libraries().end() ? std::make_shared<const RateTable>(e) : it->second.make(e);
}

}  // namespace dse::hw
