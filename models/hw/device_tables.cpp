// The tables of an engine that computes: what they lack, and the one that lies in a file of its own.
#include <algorithm>

#include "base/suggest.h"
#include "models/hw/device_fields.h"
#include "models/hw/libraries/libraries.h"
#include "models/hw/libraries/shape_rows.h"
#include "models/hw/libraries/work_list.h"
#include "models/nn/graph/technique.h"

namespace dse::hw {
namespace {

std::vector<std::string> missing(const std::map<std::string, Ratio>& table, const std::vector<std::string>& keys) {
  std::vector<std::string> out;
  if (table.count("default") == 0)
    for (const auto& k : keys)
      if (table.count(k) == 0) out.push_back(k);
  return out;
}

void check_elements(const Engine& e, const std::string& path, const EngineText& t, Diagnostics& diagnostics) {
  const auto keys = missing(e.cycles_per_element, {"add", "average_pool", "max_pool", "softmax"});
  if (keys.empty()) return;
  diagnostics.warning(t.cycles_per_element.given ? t.cycles_per_element.where : t.where,
                      path + ".cycles_per_element: has no " + join_or(keys) +
                          ", which will take no time but their dispatch" +
                          (e.kind == EngineKind::table ? " where the table has no rows of the operator" : ""),
                      "add default: for all that are not named");
}

/// Rates of techniques that the engine does not have.
void check_rates(const Engine& e, const std::string& path, const EngineText& t, Diagnostics& diagnostics) {
  const auto& names = nn::technique_names();
  const auto check = [&](const char* field, const yaml::Located<std::map<std::string, Ratio>>& table) {
    for (const auto& [key, rate] : table.value)
      if (std::find(names.begin() + 1, names.end(), key) != names.end() && e.techniques.count(key) == 0)
        diagnostics.error(table.where, path + "." + field + ": has " + quote(key) + ", which is not among techniques",
                          "add it to techniques, with the bytes per cycle that it arranges");
  };
  check("efficiency", t.efficiency);
  check("cycles_per_mac", t.cycles_per_mac);
  check("cycles_per_mac_int16", t.cycles_per_mac_int16);
}

}  // namespace

void read_tables(Engine& e, const std::string& path, const EngineText& t, const TableSource& source,
                 Diagnostics& diagnostics) {
  const auto error = [&](const Location& where, const std::string& what, std::string hint = {}) {
    diagnostics.error(where, path + "." + what, std::move(hint));
  };
  if (e.kind == EngineKind::mac_array && t.macs_per_cycle.given && e.macs_per_cycle.count("int8") == 0)
    error(t.macs_per_cycle.where, "macs_per_cycle: has no int8");
  if (e.kind == EngineKind::cpu && t.cycles_per_mac.given)
    if (const auto keys = missing(e.cycles_per_mac, {"conv", "depthwise", "fully_connected"}); !keys.empty())
      error(t.cycles_per_mac.where, "cycles_per_mac: has no " + join_or(keys),
            "add default: for all that are not named");
  if (!e.partial()) check_elements(e, path, t, diagnostics);
  const std::string library = e.library.empty() ? source.library : e.library;
  if (is_partial(library) && !e.partial())
    error(t.where, "takes: is not given, but the kernel library " + quote(library) + " computes convolutions alone",
          "say which of them, " + join_or(kinds_taken()) + ", run on it");
  if (is_partial(library) && e.cycles_per_count.empty())
    error(t.where, "cycles_per_count: is not given, and " + quote(library) + " is timed by nothing else");
  for (const bool wide : {false, true}) {
    const auto& table = wide ? t.cycles_per_count_int16 : t.cycles_per_count;
    const auto why = table.given ? why_not_counted(library, e, wide) : "";
    if (!why.empty()) error(table.where, (wide ? "cycles_per_count_int16: " : "cycles_per_count: ") + why);
  }
  if (t.techniques.given && !e.cycles_per_count.empty())
    error(t.techniques.where,
          "techniques: is of no use beside cycles_per_count: the loops that are counted are those of "
          "the library " +
              quote(library));
  if (t.rescaled_per_cycle.given && !e.cycles_per_count.empty())
    error(t.rescaled_per_cycle.where,
          "rescaled_per_cycle: is of no use beside cycles_per_count: the loops of the library " + quote(library) +
              " sum in registers");
  if (!e.sums_in_memory() && (e.per_batch > 0 || e.rescales_apart))
    error(t.where, std::string(e.rescales_apart ? "rescales_apart" : "cycles_per_batch") +
                       ": without rescaled_per_cycle, which says that sums stand in memory");
  check_rates(e, path, t, diagnostics);
  if (t.table.given)
    e.cycles_by_shape = load_shape_rows(source.file, t.table.value, t.table.where, path + ".table", diagnostics);
  const auto share = e.efficiency.find("default");  // engines know no default there but 1
  if (share == e.efficiency.end()) return;
  for (const char* key : {"conv", "depthwise", "fully_connected"}) e.efficiency.emplace(key, share->second);
  e.efficiency.erase("default");
}

}  // namespace dse::hw
