#include "models/hw/libraries/libraries.h"

#include <algorithm>
#include <map>

#include "base/diagnostics.h"
#include "base/suggest.h"
#include "models/hw/libraries/circulant.h"
#include "models/hw/libraries/loops/cmsis_nn.h"
#include "models/hw/libraries/loops/cmsis_nn_mve.h"
#include "models/hw/libraries/loops/ne16.h"
#include "models/hw/libraries/loops/pulp_nn.h"
#include "models/hw/libraries/loops/tflm_reference.h"
#include "models/hw/libraries/loops/tinyengine.h"
#include "models/hw/libraries/rate_table.h"
#include "models/hw/libraries/shape_table.h"

namespace dse::hw {
namespace {

struct Library {
  MakeLibrary make;
  std::vector<std::string> counts, wide_counts;  // of activations of 8 and of 16 bits
  bool (*has_kernel)(const dse_op&) = nullptr;   // null: for everything, by tables if it has to be
};

/// Timed by its loops where the device file prices them, else by the tables.
template <class T>
Library counted(const std::vector<std::string>& counts, const std::vector<std::string>& wide_counts = {}) {
  return {[](const Engine& e) -> std::shared_ptr<const LibraryTiming> {
            if (e.cycles_per_count.empty()) return std::make_shared<const RateTable>(e);
            return std::make_shared<const T>(e);
          },
          counts, wide_counts, nullptr};
}

/// The same of an accelerator that has no kernels for other operators.
template <class T>
Library partial(const std::vector<std::string>& counts, bool (*has_kernel)(const dse_op&)) {
  auto out = counted<T>(counts);
  out.has_kernel = has_kernel;
  return out;
}

std::map<std::string, Library>& libraries() {
  static std::map<std::string, Library> by_name = {
      {"cmsis-nn", counted<CmsisNn>(cmsis_count_names(), cmsis_count_names())},
      {"cmsis-nn-mve", counted<CmsisNnMve>(mve_count_names(), mve_wide_count_names())},
      {"ne16", partial<Ne16>(ne16_count_names(), ne16_computes)},
      {"pulp-nn", counted<PulpNn>(pulp_count_names())},
      {"tinyengine", counted<TinyEngine>(tiny_count_names())},
      {"tflm-reference", counted<TflmReference>(reference_count_names(), reference_count_names())},
  };
  return by_name;
}

}  // namespace

std::vector<std::string> counted_libraries(bool wide) {
  std::vector<std::string> out;
  for (const auto& [name, library] : libraries())
    if (!(wide ? library.wide_counts : library.counts).empty()) out.push_back(name);
  return out;
}

std::vector<std::string> all_counts(bool wide) {
  std::vector<std::string> out;
  for (const auto& [name, library] : libraries())
    for (const auto& count : wide ? library.wide_counts : library.counts)
      if (std::find(out.begin(), out.end(), count) == out.end()) out.push_back(count);
  return out;
}

std::vector<std::string> counts_of(const std::string& library, bool wide) {
  const auto it = libraries().find(library);
  if (it == libraries().end()) return {};
  return wide ? it->second.wide_counts : it->second.counts;
}

std::string why_not_counted(const std::string& library, const Engine& e, bool wide) {
  const auto counts = counts_of(library, wide);
  const auto& rates = wide ? e.cycles_per_count_int16 : e.cycles_per_count;
  if (counts.empty())
    return "is of no use: the kernel library " + quote(library) + " counts nothing" + (wide ? " of 16 bits" : "") +
           "; " + join_or(counted_libraries(wide)) + " does";
  for (const auto& [count, rate] : rates)
    if (std::find(counts.begin(), counts.end(), count) == counts.end())
      return "has " + quote(count) + ", which " + library + " does not count; it counts " + join_or(counts);
  std::vector<std::string> missing;
  for (const auto& c : counts)
    if (rates.count(c) == 0) missing.push_back(c);
  if (!missing.empty()) return "has no " + join_or(missing) + ", which " + library + " is timed by";
  return wide && e.cycles_per_count.empty() ? "needs cycles_per_count, of 8 bits, beside it" : "";
}

bool has_kernel(const std::string& library, const dse_op& op) {
  const auto it = libraries().find(library);
  return it == libraries().end() || it->second.has_kernel == nullptr || it->second.has_kernel(op);
}

bool is_partial(const std::string& library) {
  const auto it = libraries().find(library);
  return it != libraries().end() && it->second.has_kernel != nullptr;
}

void add_library(const std::string& name, MakeLibrary make) {
  ensure(libraries().emplace(name, Library{std::move(make), {}, {}, nullptr}).second,
         "kernel library " + name + " is added twice");
}

std::shared_ptr<const LibraryTiming> library_timing(const std::string& name, const Engine& e) {
  const auto own = [&]() -> std::shared_ptr<const LibraryTiming> {
    if (e.kind == EngineKind::table) return std::make_shared<const ShapeTable>(e);
    const auto it = libraries().find(e.library.empty() ? name : e.library);
    return it == libraries().end() ? std::make_shared<const RateTable>(e) : it->second.make(e);
  };
  return std::make_shared<const CirculantTiming>(own(), e);
}

}  // namespace dse::hw
