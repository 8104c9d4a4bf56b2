#include "reports/run/recorded.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/run/fields.h"
#include "reports/words/causes.h"
#include "reports/words/energy.h"

namespace dse::reports {
namespace {

using nlohmann::json;

/// Reads fields by their names in results.json. What is not there is noted, or is an error where nobody notes it.
struct From {
  const json& from;
  std::set<std::string>* missing = nullptr;
  template <class T>
  void operator()(const char* name, const char* /*in the page*/, T& value) const {
    if (missing != nullptr && !from.contains(name))
      missing->insert(name);
    else
      from.at(name).get_to(value);
  }
};

std::size_t place_in(const std::vector<std::string>& names, const std::string& name, const char* what) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) throw RecordError(fmt::format("the device has no {} {}", what, name));
  return static_cast<std::size_t>(it - names.begin());
}

/// Empty where the run does not say.
sim::Energy read_energy(const json& j, const explore::Front& front) {
  sim::Energy out;
  if (front.energy_source.empty() || !j.contains("energy")) return out;
  const auto& from = j.at("energy");
  std::vector<std::string> memories;
  for (const auto& m : front.memories) memories.push_back(m.name);
  out.memories.resize(memories.size()), out.engines.resize(front.engines.size());
  const auto read = [](const json& block) {
    return [&block](const char* name, const char*, std::int64_t& fj) { fj = block.value(name, std::int64_t{0}); };
  };
  for (const auto& [name, block] : from.at("memories").items())
    memory_causes(out.memories[place_in(memories, name, "memory")], read(block));
  for (const auto& [name, block] : from.at("engines").items())
    engine_causes(out.engines[place_in(front.engines, name, "engine")], read(block));
  from.at("leakage_fj").get_to(out.leaked);
  return out;
}

/// All but its account, memories and buffers. Energies of a front that does not say where they come from are left
/// out: older versions wrote those of every device.
explore::Point plain_point(const json& j, const explore::Front& front, std::set<std::string>& missing) {
  explore::Point p;
  point_fields(p, From{j, &missing});
  if (front.energy_source.empty())
    p.forget_energy();
  else if (j.contains("energy_uj") || !j.at("latency_cycles").is_null())
    energy_fields(p.energy_uj.emplace(), p.run.energy_fj, From{j, &missing});
  p.on_npu = j.value("on_npu", false);
  if (j.at("latency_cycles").is_null()) return p;
  j.at("latency_cycles").get_to(p.latency_ticks);
  j.at("latency_us").get_to(p.latency_us);
  return p;
}

std::size_t memory_of(const explore::Front& front, const std::string& name) {
  const auto it =
      std::find_if(front.memories.begin(), front.memories.end(), [&](const auto& m) { return m.name == name; });
  if (it == front.memories.end()) throw RecordError("the device has no memory " + name);
  return static_cast<std::size_t>(it - front.memories.begin());
}

void read_use(const json& row, RecordedPoint& out) {
  auto& use = out.point.uses.emplace_back();
  const From field{row, &out.missing};
  field("macs", nullptr, use.macs);
  if (out.point.energy_uj) field("energy_fj", nullptr, use.energy_fj);
  use.energy = read_energy(row, out.front);
  use.memories.resize(out.front.memories.size());
  const auto memories = row.value("memories", json::object());
  for (const auto& [name, moved] : memories.items()) {
    auto& m = use.memories[memory_of(out.front, name)];
    moved.at("read_bytes").get_to(m.read);
    moved.at("written_bytes").get_to(m.written);
  }
}

void read_account(const json& rows, RecordedPoint& out) {
  auto& p = out.point;
  std::string segment;
  for (const auto& row : rows) {
    const auto& layer = p.layers.emplace_back(row.value("layer", std::string("?")));
    const auto phased = row.value("segment", std::string());
    if (phased.empty() || phased != segment) p.sections.push_back(phased.empty() ? layer : phased);
    segment = phased;
    p.layer_kinds.push_back(row.value("kind", std::string()));
    p.file_names.push_back(row.value("file_name", std::string()));
    auto& account = p.run.layers.emplace_back();
    account.section = static_cast<int>(p.sections.size()) - 1;
    for (std::size_t c = 0; c < account.ticks.size(); ++c)
      account.ticks[c] = row.at("causes").value(kCauseNames[c].key, std::int64_t{0});
    row.at("hidden_dma_cycles").get_to(account.hidden_dma);
    if (const auto cycles = row.at("cycles").get<std::int64_t>(); cycles != account.total())
      throw RecordError(
          fmt::format("the causes of layer {} add up to {}, but the total is {}", layer, account.total(), cycles));
    read_use(row, out);
  }
}

/// Nothing where an older version wrote the run.
void read_roofline(const json& rows, RecordedPoint& out) {
  for (const auto& j : rows) {
    auto& r = out.point.rooflines.emplace_back();
    j.at("macs").get_to(r.macs);
    j.at("cycles").get_to(r.ticks);
    j.at("arithmetic_cycles").get_to(r.arithmetic);
    r.memories.resize(out.front.memories.size());
    for (const auto& [name, port] : j.at("memories").items()) {
      auto& m = r.memories[memory_of(out.front, name)];
      port.at("bytes").get_to(m.bytes);
      port.at("cycles").get_to(m.ticks);
    }
  }
}

void read_memories(const json& memories, RecordedPoint& out) {
  auto& p = out.point;
  for (auto* per_memory : {&p.loads, &p.energies_fj, &p.images}) per_memory->resize(out.front.memories.size());
  for (const auto& j : memories) {
    const auto i = memory_of(out.front, j.at("memory").get<std::string>());
    p.run.memories.push_back({static_cast<int>(i), j.at("read_bytes"), j.at("written_bytes"), j.at("arena_bytes")});
    const From field{j, &out.missing};
    field("load_bytes", nullptr, p.loads[i]);
    if (p.energy_uj) field("energy_fj", nullptr, p.energies_fj[i]);
    field("constants_bytes", nullptr, p.images[i]);
  }
}

void read_buffers(const json& buffers, RecordedPoint& out) {
  for (const auto& j : buffers) {
    auto& b = out.point.buffers.emplace_back();
    buffer_fields(b, From{j, &out.missing});
    for (const auto& entry : j.value("at_peak", json::array())) b.at_peak.push_back({entry.at(0), entry.at(1)});
  }
}

/// Calls `read`; what goes wrong there is said of `side`.
template <class F>
auto said_of(const std::string& side, const F& read) {
  try {
    return read();
  } catch (const RecordError& e) {
    throw RecordError(side + e.what());
  } catch (const json::exception& e) {
    throw RecordError(side + "is damaged: " + e.what());
  }
}

}  // namespace

explore::Front read_front(const json& j) {
  return said_of("", [&] {
    explore::Front out;
    std::set<std::string> missing;
    front_fields(out, From{j});
    out.complete = j.value("complete", false);
    out.infeasible_reason = j.value("infeasible_reason", std::string());
    out.undecided = j.value("undecided", false);
    out.layers = j.value("layers", out.layers);
    out.base = j.value("base", std::string());
    out.on_npu = j.value("on_npu", false);
    out.engines = j.value("engines", out.engines);
    if (j.contains("area_mm2")) out.area_mm2 = j["area_mm2"].get<double>();
    out.energy_source = j.value("energy_source", std::string());
    for (const auto& m : j.value("memories", json::array())) memory_fields(out.memories.emplace_back(), From{m});
    for (const auto& p : j.value("points", json::array())) out.points.push_back(plain_point(p, out, missing));
    for (const auto& p : j.value("marked", json::array())) out.marked.push_back(plain_point(p, out, missing));
    return out;
  });
}

RecordedPoint read_point(const std::string& label, const json& front, const json& j) {
  return said_of(label + ": ", [&] {
    RecordedPoint out{label, read_front(front), {}, {}};
    out.point = plain_point(j, out.front, out.missing);
    if (j.contains("failure")) out.point.run.failure = {sim::Failure::Kind::execution, j.at("failure")};
    out.point.run.energy = read_energy(j, out.front);
    read_account(j.at("account"), out);
    read_roofline(j.value("roofline", json::array()), out);
    read_memories(j.at("memories"), out);
    read_buffers(j.at("buffers"), out);
    return out;
  });
}

RecordedRun read_results(const std::string& text) {
  return said_of("", [&] {
    auto j = json::parse(text, nullptr, false);
    if (!j.is_object() || !j.contains("fronts") || !j["fronts"].is_array())
      throw RecordError("is not the results.json of a run");
    if (const int format = j.value("format", 0); format != 1)
      throw RecordError(fmt::format("has format {}, newer than this program, which knows format 1", format));
    RecordedRun out{j.at("provenance"), {}};
    for (auto& front : j["fronts"]) out.fronts.push_back({read_front(front), front});
    return out;
  });
}

}  // namespace dse::reports
