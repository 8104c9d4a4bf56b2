#include "models/hw/device_reader.h"

#include <algorithm>
#include <tuple>

#include "base/suggest.h"
#include "models/hw/device_fields.h"
#include "models/hw/fields/npu.h"
#include "models/hw/library.h"

namespace dse::hw {

namespace {

/// Turns what was written into a Device: names become indices, latencies cycles. Goes on after errors, to find the
/// others.
class Resolver {
 public:
  Resolver(const DeviceText& text, const std::string& file, Diagnostics& diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}

  Device device() {
    device_.name = text_.name, device_.source = text_.source, device_.aliases = text_.aliases;
    device_.clock_hz = text_.clock_hz;
    device_.kernel_library = text_.kernels.library;
    device_.arbitration = text_.arbitration;
    device_.validated = text_.validated;
    device_.timing_error = text_.timing_error;
    device_.area_um2 = text_.area_um2;
    device_.leakage_uw = text_.leakage_uw;
    device_.energy_source = text_.energy_source.value;
    for (const auto& m : text_.memories) add_memory(m);
    for (const auto& e : text_.engines.value) add_engine(e);
    add_control();
    device_.constants = find_memory("constants", text_.constants);
    device_.io = find_memory("io", text_.io);
    device_.input_from = find_memory("input_from", text_.input_from);
    check_npus(device_, text_, diagnostics_);
    check_queues();
    check_compute();
    check_input_from();
    check_energies();
    return std::move(device_);
  }

 private:
  void error(const Location& where, const std::string& path, const std::string& what, std::string hint = {}) {
    diagnostics_.error(where, path + ": " + what, std::move(hint));
  }

  std::int64_t cycles(const Duration& d, std::int64_t own_clock) const {
    return d.cycles(own_clock > 0 ? own_clock : std::max<std::int64_t>(text_.clock_hz, 1));
  }

  std::vector<std::string> memory_names() const {
    std::vector<std::string> names;
    for (const auto& m : text_.memories) names.push_back(m.name.value);
    return names;
  }

  /// -1 after an error, or if the field is not given (which the field reader has reported where it is required).
  int find_memory(const std::string& path, const yaml::Name& name) {
    if (!name.given) return -1;
    const int index = device_.memory(name.value);
    if (index < 0 && !text_.memories.empty())
      error(name.where, path, unknown_name("memory", name.value, memory_names()));
    return index;
  }

  void add_memory(const yaml::Entry<MemoryText>& e) {
    Memory m = e.value.fixed;
    m.name = e.name.value;
    m.latency = cycles(e.value.latency, m.clock_hz);
    m.page_miss = cycles(e.value.page_miss, m.clock_hz);
    if (m.page_miss > m.latency)
      error(e.name.where, "memories." + m.name + ".page_miss",
            "is more than the latency, which opens the first page of a transfer");
    m.reserved = e.value.reserved.value;
    device_.memories.push_back(std::move(m));
  }

  void add_link(Engine& e, const std::string& path, const Location& where, const std::vector<yaml::Name>& pair) {
    std::vector<int> ends;
    for (const auto& name : pair) ends.push_back(find_memory(path, name));
    if (ends.size() != 2 || ends[0] < 0 || ends[1] < 0) {
      whole_ = false;
    } else if (ends[0] == ends[1]) {
      error(where, path, "both ends are " + pair[0].value);
    } else {
      e.links.emplace_back(ends[0], ends[1]);
    }
  }

  void add_engine(const yaml::Entry<EngineText>& entry) {
    const EngineText& t = entry.value;
    const std::string path = "engines." + entry.name.value;
    Engine e = t.fixed;
    e.name = entry.name.value;
    e.setup = cycles(t.setup, e.clock_hz);
    e.per_row = cycles(t.per_row, e.clock_hz);
    if (t.chained.given) e.chained = cycles(t.chained.value, e.clock_hz);
    e.dispatch = cycles(t.dispatch, e.clock_hz);
    e.kernel_switch = cycles(t.kernel_switch, e.clock_hz);
    e.per_batch = cycles(t.per_batch, e.clock_hz);
    e.rescaled_per_cycle = t.rescaled_per_cycle.value;
    e.macs_per_cycle = t.macs_per_cycle.value;
    e.efficiency = t.efficiency.value;
    e.cycles_per_mac = t.cycles_per_mac.value;
    e.cycles_per_element = t.cycles_per_element.value;
    e.cycles_per_mac_int16 = t.cycles_per_mac_int16.value;
    e.cycles_per_element_int16 = t.cycles_per_element_int16.value;
    e.cycles_per_count = t.cycles_per_count.value;
    e.cycles_per_count_int16 = t.cycles_per_count_int16.value;
    e.techniques = t.techniques.value;
    e.cycles_per_transform = t.cycles_per_transform.value;
    if (!t.read)
      whole_ = false;
    else if (e.kind == EngineKind::dma)
      connect(e, path, t);
    else if (e.kind == EngineKind::npu)
      add_npu(e, path, t);
    else
      add_operands(e, path, t);
    device_.engines.push_back(std::move(e));
  }

  void connect(Engine& e, const std::string& path, const EngineText& t) {
    const bool between = t.between.present, links = t.links.present;
    if (between == links)
      error(between ? t.links.where : t.where, path, between ? "has both between and links" : "connects no memories",
            "give between: [a, b], or links: [[a, b], [b, c]]");
    if (t.between.given) add_link(e, path + ".between", t.between.where, t.between.value);
    for (const auto& pair : t.links.value)
      add_link(e, path + ".links", pair.empty() ? t.links.where : pair[0].where, pair);
    if (e.links.empty()) whole_ = false;
  }

  void add_npu(Engine& e, const std::string& path, const EngineText& t) {
    e.hand_over = cycles(t.hand_over, e.clock_hz);
    for (const auto& name : t.memory_list.value)
      if (const int index = find_memory(path + ".memories", name); index >= 0) e.memories.push_back(index);
    if (e.memories.size() != 2) whole_ = false;
    name_npu(e, path, t, diagnostics_);
  }

  void add_operands(Engine& e, const std::string& path, const EngineText& t) {
    const bool one = t.memory.present, several = t.memory_list.present;
    if (one == several)
      error(one ? t.memory_list.where : t.where, path,
            one ? "has both memory and memories" : "has no memory for its operands",
            "give memory: a, or memories: [a, b], nearest first");
    auto names = t.memory_list.value;
    if (t.memory.given) names.insert(names.begin(), t.memory);
    for (const auto& name : names) {
      const int index = find_memory(path + (one ? ".memory" : ".memories"), name);
      if (index >= 0 && e.reaches(index))
        error(name.where, path + ".memories", quote(name.value) + " is named twice");
      else if (index >= 0)
        e.memories.push_back(index);
    }
    if (e.memories.empty() || e.memories.size() != names.size()) whole_ = false;
    read_tables(e, path, t, {file_, text_.kernels.library}, diagnostics_);
  }

  void add_control() {
    const auto& c = text_.control;
    if (c.engine.given) {
      std::vector<std::string> cpus;
      for (const auto& e : device_.engines)
        if (e.kind == EngineKind::cpu) cpus.push_back(e.name);
      const int index = device_.engine(c.engine.value);
      if (index >= 0 && text_.engines.value[static_cast<std::size_t>(index)].value.read &&
          !device_.engines[static_cast<std::size_t>(index)].computes())
        error(
            c.engine.where, "control.engine",
            c.engine.value + " is a " + name_of(device_.engines[static_cast<std::size_t>(index)].kind) + ", not a cpu");
      else if (index < 0 && text_.engines.given)
        error(c.engine.where, "control.engine",
              cpus.empty() ? "there is no cpu engine" : unknown_name("cpu engine", c.engine.value, cpus));
      else
        device_.control.engine = index;
    }
    const auto shared = device_.control.engine;
    const auto hz = shared >= 0 ? device_.engines[static_cast<std::size_t>(shared)].clock_hz : 0;
    device_.control.issue = cycles(c.issue, hz);
    device_.control.wait = cycles(c.wait, hz);
    device_.control.start = cycles(c.start, hz);
  }

  /// Whether bytes can get from one memory to another, over any number of copies.
  bool route(int from, int to) const {
    std::vector<bool> reached(device_.memories.size(), false);
    std::vector<int> open{from};
    reached[static_cast<std::size_t>(from)] = true;
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      for (int next = 0; next < static_cast<int>(device_.memories.size()); ++next)
        if (!reached[static_cast<std::size_t>(next)] && device_.copy_engine(at, next) >= 0) {
          reached[static_cast<std::size_t>(next)] = true;
          open.push_back(next);
        }
    }
    return reached[static_cast<std::size_t>(to)];
  }

  void check_queues() {
    int queues = 0;
    for (const auto& e : device_.engines) queues += e.kind == EngineKind::dma ? e.channels : 1;
    if (queues > max_queues && device_.engines.size() <= max_queues)
      error(text_.engines.where, "engines",
            "have " + std::to_string(queues) + " queues, but there can be at most " + std::to_string(max_queues),
            "a dma has one per channel, any other engine one");
  }

  void check_compute() {
    if (!whole_ || !text_.engines.given) return;  // what is missing may be what could not be read
    const int compute = device_.compute_engine();
    if (compute < 0) {
      error(text_.engines.where, "engines", "nothing computes", "add an engine of kind mac-array, table or cpu");
      return;
    }
    const Engine& e = device_.engines[static_cast<std::size_t>(compute)];
    const auto check = [&](const char* field, const yaml::Name& name, int index) {
      if (index < 0 || e.reaches(index) || route(index, e.memories[0])) return;
      const auto& near = device_.memories[static_cast<std::size_t>(e.memories[0])].name;
      error(name.where, field,
            "no engine moves bytes between " + name.value + " and " + near + ", where " + e.name + " computes",
            "add a dma with links, or a cpu with copy, on the way");
    };
    check("constants", text_.constants, device_.constants);
    check("io", text_.io, device_.io);
    for (const auto& other : device_.engines)
      if (other.partial() && other.memories != e.memories)
        error(text_.engines.where, "engines." + other.name,
              "computes in other memories than " + e.name + ", which computes what it does not take",
              "give both the same memories, in the same order");
  }

  void check_input_from() {
    const int from = device_.input_from;
    if (from < 0) return;
    const auto& where = text_.input_from.where;
    const auto& name = text_.input_from.value;
    if (from == device_.io) {
      error(where, "input_from", "inputs lie in " + name + " already, which is io", "leave input_from out");
    } else if (device_.memories[static_cast<std::size_t>(from)].on_chip) {
      error(where, "input_from", name + " is on_chip, so what lies there counts as memory of the plan",
            "inputs come in from a memory with on_chip: false");
    } else if (whole_ && text_.engines.given && device_.io >= 0 && device_.copy_engine(from, device_.io) < 0) {
      const auto& io = device_.memories[static_cast<std::size_t>(device_.io)].name;
      error(where, "input_from", "no engine copies from " + name + " to " + io + ", which is io",
            "add a dma with links: [[" + name + ", " + io + "]], or a cpu with copy that has both among its memories");
    }
  }

  void check_energies() {
    if (device_.energy_known() && whole_ && text_.engines.given && !device_.states_energies())
      error(text_.energy_source.where, "energy_source", "the device states no energies",
            "give energy of memories and of engines, or leave energy_source out");
  }

  const DeviceText& text_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  Device device_;
  bool whole_ = true;  // no engine or connection was left out because of an error
};

}  // namespace

DevicePtr read_device_text(std::string_view text, const std::string& file, const yaml::Overrides& overrides,
                           Diagnostics& diagnostics) {
  Diagnostics found;
  DeviceText written;
  const bool ok = yaml::read_text(text, file, device_fields(), overrides, found, written);
  Device device;
  if (ok || !written.memories.empty() || written.engines.given) device = Resolver(written, file, found).device();
  auto sorted = found.list();
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const auto key = [&](const Diagnostic& d) {
      return std::tuple(d.severity == Severity::note, d.where.file != file, d.where.line, d.where.column);
    };
    return key(a) < key(b);
  });
  for (auto& d : sorted) diagnostics.add(std::move(d));
  return found.has_errors() ? nullptr : std::make_shared<const Device>(std::move(device));
}

DevicePtr read_device(const std::string& path_or_name, const yaml::Overrides& overrides, Diagnostics& diagnostics) {
  const auto path = find_device(path_or_name, diagnostics);
  if (!path) return nullptr;
  const auto text = yaml::load(*path, diagnostics);
  return text ? read_device_text(*text, *path, overrides, diagnostics) : nullptr;
}

std::string device_schema() { return yaml::json_schema(device_fields(), "device.json"); }
std::string device_reference() { return yaml::reference(device_fields()); }

}  // namespace dse::hw
