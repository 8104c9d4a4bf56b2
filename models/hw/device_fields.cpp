// Every field of a device file, declared once: parser, defaults, ranges, JSON Schema and the tables of
// docs/run/device.md come from here.
#include "models/hw/device_fields.h"

#include "base/suggest.h"
#include "models/hw/libraries/libraries.h"
#include "models/nn/graph/technique.h"

namespace dse::hw {

namespace {

using yaml::Object;

constexpr std::int64_t terabyte = std::int64_t{1} << 40;
// Limits that keep products of rates, clocks and counts within 64 bits: a tick is at most 10^7 cycles of the slowest
// block.
constexpr std::int64_t min_hz = 1000, max_hz = 10000000000;

/// Shared by all blocks that may have a clock of their own.
auto clock_type() {
  auto type = yaml::whole(unit::frequency, min_hz, max_hz);
  type.show = nullptr;  // the default is the device's clock, which 0 stands for
  return type;
}

/// Keys of the cycle tables.
const std::vector<std::string>& operator_keys() {
  static const std::vector<std::string> keys{"conv",     "depthwise", "fully_connected", "add",  "average_pool",
                                             "max_pool", "reshape",   "softmax",         "copy", "default"};
  return keys;
}

/// Techniques that an engine may have beside computing directly.
std::vector<std::string> technique_keys() {
  const auto& names = nn::technique_names();
  return {names.begin() + 1, names.end()};
}

std::vector<std::string> with_techniques(std::vector<std::string> keys) {
  for (auto& key : technique_keys()) keys.push_back(std::move(key));
  return keys;
}

auto mac_table() {
  return yaml::table_of(yaml::rational(unit::ratio, {0, 1}, {10000, 1}), "operator or technique",
                        with_techniques(operator_keys()));
}

auto cycle_table() {
  return yaml::table_of(yaml::rational(unit::ratio, {0, 1}, {10000, 1}), "operator", operator_keys());
}

Object<MemoryText> memory() {
  Object<MemoryText> o("Memory", "A memory, and the bandwidth of each of its ports.");
  const auto m = [](auto member) {
    return [member](MemoryText & t) -> auto& { return t.fixed.*member; };
  };
  o.required("size", m(&Memory::size), yaml::whole(unit::bytes, 1, terabyte), "capacity");
  o.required("width", m(&Memory::width), yaml::rational(unit::bandwidth, {1, 1000}, {512, 1}),
             "bytes that one port moves per cycle of the memory's clock, shared by all transfers in flight on it");
  o.optional(
      "latency", &MemoryText::latency, yaml::duration(),
      "from request to first byte, paid once per transfer; a time is rounded up to cycles of the memory's clock");
  o.optional("ports", m(&Memory::ports), yaml::small(unit::count, 1, 64),
             "ports that do not share bandwidth with each other");
  o.optional("banks", m(&Memory::banks), yaml::small(unit::count, 1, 1024),
             "word-interleaved banks: the more, the less simultaneous transfers on a port disturb each other");
  o.optional("on_chip", m(&Memory::on_chip), yaml::boolean(), "whether its arena counts in the objective `memory`");
  o.optional("reserved", &MemoryText::reserved, yaml::whole(unit::bytes, 0, terabyte),
             "part that plans may not use: stacks, the runtime, other software");
  o.optional("energy", m(&Memory::energy_pj_per_byte), yaml::real(unit::pj_per_byte, 0, 1000000),
             "per byte read or written");
  o.optional("clock", m(&Memory::clock_hz), clock_type(), "its clock, if not the device's");
  o.optional("alignment", m(&Memory::alignment), yaml::small(unit::count, 1, 4096),
             "bytes, a power of two: every buffer's offset is a multiple of it");
  o.check([](MemoryText& t, const yaml::Node& n, yaml::Reader& r) {
    const yaml::Node* alignment = n.find("alignment");
    if (alignment != nullptr && (t.fixed.alignment & (t.fixed.alignment - 1)) != 0)
      r.error(*alignment, "alignment is not a power of two: " + std::to_string(t.fixed.alignment));
    // An axis may make a memory smaller than what the file reserves of it: a point where nothing fits, not a wrong
    // file.
    const yaml::Node* size = n.find("size");
    const bool one_author = size != nullptr && size->where().file == t.reserved.where.file;
    if (one_author && t.fixed.size > 0 && t.reserved.value > t.fixed.size)
      r.error(t.reserved.where, "reserves " + format_quantity({t.reserved.value, 1}, unit::bytes) + " of " +
                                    format_quantity({t.fixed.size, 1}, unit::bytes));
  });
  return o;
}

template <class M>
auto fixed(M member) {
  return [member](EngineText & t) -> auto& { return t.fixed.*member; };
}

Object<EngineText> engine(const std::string& description) {
  Object<EngineText> o("Engine", description);
  o.optional("clock", fixed(&Engine::clock_hz), clock_type(), "its clock, if not the device's");
  o.optional("queue", fixed(&Engine::queue), yaml::small(unit::count, 1, max_queue_depth),
             "tasks that the control processor can issue to it before it must wait");
  o.check([](EngineText& t, const yaml::Node& n, yaml::Reader&) {
    t.where = n.where();
    t.read = true;
  });
  return o;
}

Object<EngineText> dma() {
  auto o = engine("Moves blocks between memories. Name its memories with `between` (one pair) or `links` (several).");
  const auto names = yaml::list_of(yaml::located(yaml::name()), 2, 2);
  o.optional("between", &EngineText::between, names, "the two memories it connects, in both directions");
  o.optional("links", &EngineText::links, yaml::list_of(names, 1, 64),
             "pairs of memories it connects, each in both directions");
  o.optional("channels", fixed(&Engine::channels), yaml::small(unit::count, 1, 64),
             "in-order queues that work at the same time");
  o.optional("dimensions", fixed(&Engine::dimensions), yaml::small(unit::count, 1, 3),
             "of one descriptor: 1 a contiguous run, 2 rows with a stride, 3 planes of rows");
  o.optional("setup", &EngineText::setup, yaml::duration(), "per descriptor");
  o.optional("per_row", &EngineText::per_row, yaml::duration(), "per row of a descriptor after the first");
  o.optional("outstanding", fixed(&Engine::outstanding), yaml::small(unit::count, 1, 1024),
             "bursts in flight per channel: the rate is at most outstanding x burst / latency of the memory");
  o.optional("burst", fixed(&Engine::burst), yaml::whole(unit::bytes, 1, 65536), "size of a burst");
  return o;
}

void techniques(Object<EngineText>& o) {
  o.optional("techniques", &EngineText::techniques,
             yaml::table_of(yaml::rational(unit::bandwidth, {1, 1000}, {1024, 1}), "technique", technique_keys()),
             "how it computes convolutions beside directly, a choice per layer: bytes per cycle that each arranges "
             "before it multiplies. Its products take what the technique has in `efficiency` or `cycles_per_mac`, else "
             "what the operator has");
}

void operands(Object<EngineText>& o) {
  o.optional("memory", &EngineText::memory, yaml::name(), "the one memory that its operands lie in");
  o.optional("memories", &EngineText::memory_list, yaml::list_of(yaml::located(yaml::name()), 1, 64),
             "the memories that its operands may lie in, nearest first");
}

void task_costs(Object<EngineText>& o) {
  o.optional("cycles_per_element", &EngineText::cycles_per_element, cycle_table(),
             "cycles per output element, by operator; for pools per element of the window (outputs x window height x "
             "window width)");
  o.optional("cycles_per_element_int16", &EngineText::cycles_per_element_int16, cycle_table(),
             "the same where activations have 16 bits, of operators that differ then");
  o.optional("cycles_per_shift", fixed(&Engine::cycles_per_shift), yaml::rational(unit::ratio, {0, 1}, {1000, 1}),
             "Q formats: per output whose format is not the accumulator's high half and so has to be shifted");
  o.optional("dispatch", &EngineText::dispatch, yaml::duration(), "per task: start and end of a kernel call");
  o.optional("kernel_switch", &EngineText::kernel_switch, yaml::duration(),
             "at a layer's first call, and when the kernel is another than the engine's previous one");
  o.optional("energy", fixed(&Engine::energy_pj_per_mac), yaml::real(unit::pj_per_mac, 0, 1000000),
             "per multiply-accumulate");
}

void counts(Object<EngineText>& o) {
  const auto table = [](bool wide) {
    return yaml::table_of(yaml::rational(unit::ratio, {0, 1}, {10000, 1}), "count", all_counts(wide));
  };
  o.optional("cycles_per_count", &EngineText::cycles_per_count, table(false),
             "with a kernel library whose loops are counted (" + join_or(counted_libraries()) +
                 "): cycles per each thing that its int8 loops do, instead of those per multiply-accumulate of "
                 "convolutions and fully connected layers");
  o.optional("cycles_per_count_int16", &EngineText::cycles_per_count_int16, table(true),
             "the same of loops over activations of 16 bits (" + join_or(counted_libraries(true)) +
                 "), which go by multiply-accumulates where it is not given");
}

auto peak_table() {
  return yaml::table_of(yaml::rational(unit::ratio, {1, 1000}, {65536, 1}), "data type", {"int8", "int16"});
}

void efficiency(Object<EngineText>& o, bool techniques) {
  const std::vector<std::string> operators = {"conv", "depthwise", "fully_connected", "default"};
  o.optional(
      "efficiency", &EngineText::efficiency,
      yaml::table_of(yaml::rational(unit::ratio, {1, 1000}, {1, 1}), techniques ? "operator or technique" : "operator",
                     techniques ? with_techniques(operators) : operators),
      "share of the peak that the kernel library reaches, by operator; 1 where nothing is said");
}

Object<EngineText> mac_array() {
  auto o = engine("Multiply-accumulate units, or a cluster of cores, that the control processor hands tiles to.");
  operands(o);
  o.required("macs_per_cycle", &EngineText::macs_per_cycle, peak_table(),
             "peak multiply-accumulates per cycle, by data type");
  efficiency(o, true);
  techniques(o);
  counts(o);
  o.optional("cores", fixed(&Engine::cores), yaml::small(unit::count, 1, 64),
             "with `cycles_per_count`: cores that a kernel divides its rows or channels among; the one with most to do "
             "is timed");
  task_costs(o);
  return o;
}

Object<EngineText> shape_table() {
  auto o = engine("An accelerator of which a table says what a call of some shapes takes; else as a mac-array.");
  operands(o);
  o.required("table", &EngineText::table, yaml::text(),
             "name of a CSV file in the folder of the device file: cycles by operator and shape");
  o.optional("macs_per_cycle", &EngineText::macs_per_cycle, peak_table(),
             "peak multiply-accumulates per cycle, by data type, for calls that no row of the table covers; without it "
             "the engine does not compute them");
  efficiency(o, false);
  task_costs(o);
  return o;
}

Object<EngineText> cpu() {
  auto o = engine("A processor that runs kernels itself, and can copy if `copy` is given.");
  operands(o);
  o.required("cycles_per_mac", &EngineText::cycles_per_mac, mac_table(), "cycles per multiply-accumulate, by operator");
  techniques(o);
  o.optional("cycles_per_mac_int16", &EngineText::cycles_per_mac_int16, mac_table(),
             "the same where activations have 16 bits, of operators that differ then");
  counts(o);
  task_costs(o);
  o.optional("copy", fixed(&Engine::copy_bytes_per_cycle), yaml::rational(unit::bandwidth, {0, 1}, {1024, 1}),
             "rate at which it copies between memories it reaches; 0 B/cycle = it never does");
  o.optional("cache", fixed(&Engine::cache), yaml::whole(unit::bytes, 0, terabyte),
             "data cache: with a kernel library whose loops are counted, what a call reads again within so many bytes "
             "is read once from the memory where it lies, unless that is the nearest; 0 B = every reading is");
  return o;
}

/// 16 hex digits; empty where none are given.
yaml::Type<std::string> structure_type() {
  auto type = yaml::text();
  const auto read = type.read;
  type.read = [read](const yaml::Node& n, yaml::Reader& r, std::string& out) {
    if (!read(n, r, out)) return false;
    if (out.size() == 16 && out.find_first_not_of("0123456789abcdef") == std::string::npos) return true;
    r.error(n, "expected 16 hexadecimal digits", "as dse inspect prints them");
    return false;
  };
  type.schema.words = "16 hexadecimal digits";
  type.schema.pattern = "^[0-9a-f]{16}$";
  type.show = nullptr;
  return type;
}

Object<ValidationRow> validation() {
  Object<ValidationRow> o("Validation", "What real silicon of this kind took for a network.");
  o.required("network", &ValidationRow::network, yaml::text(),
             "the network: the name of a shipped one, or any name with `structure`");
  o.optional("structure", &ValidationRow::structure, structure_type(),
             "its structure as `dse inspect` prints it: a measurement is about networks of this structure, whatever "
             "they are called");
  o.required("cycles", &ValidationRow::cycles, yaml::whole(unit::count, 1, 1000000000000000),
             "measured cycles of the device's clock");
  o.required("source", &ValidationRow::source, yaml::text(), "where the measurement was published");
  o.required(
      "role", &ValidationRow::role, yaml::choice({"fit", "held-out"}),
      "fit: constants of this file were tuned on it; held-out: they were not, so it tells how far to trust them");
  return o;
}

}  // namespace

const yaml::Object<DeviceText>& device_fields() {
  static const auto fields = [] {
    Object<DeviceText> o("Device", "A small device: memories, engines that move and compute, and what each costs.");
    o.required("name", &DeviceText::name, yaml::name(), "name of the device");
    o.optional("aliases", &DeviceText::aliases, yaml::list_of(yaml::name(), 1, 64),
               "other names that it is found by: the boards that carry it, processors of the same kind");
    o.optional("source", &DeviceText::source, yaml::text(), "where the constants come from");
    o.required("clock", &DeviceText::clock_hz, clock_type(), "clock of every block that does not give its own");
    Object<KernelsText> kernels("Kernels", "The software whose speed the tables describe.");
    kernels.required("library", &KernelsText::library, yaml::name(),
                     "name of the kernel library that the cycle tables stand for");
    o.required("kernels", &DeviceText::kernels, kernels.type(), "the kernel library that the cycle tables stand for");
    o.required("memories", &DeviceText::memories, yaml::map_of(memory().type(), "name", 1, max_memories),
               "the memories, by name");
    yaml::Tagged<EngineText> engines("kind");
    engines.add("dma", dma(), [](EngineText& e) { e.fixed.kind = EngineKind::dma; });
    engines.add("mac-array", mac_array(), [](EngineText& e) { e.fixed.kind = EngineKind::mac_array; });
    engines.add("table", shape_table(), [](EngineText& e) { e.fixed.kind = EngineKind::table; });
    engines.add("cpu", cpu(), [](EngineText& e) { e.fixed.kind = EngineKind::cpu; });
    o.required("engines", &DeviceText::engines, yaml::map_of(engines.type(), "name", 1, max_queues),
               "what moves and computes, by name");
    Object<ControlText> control("Control", "The processor that walks the program and issues tasks to engines.");
    control.optional("issue", &ControlText::issue, yaml::duration(), "per task issued");
    control.optional("wait", &ControlText::wait, yaml::duration(), "per wait, after what it waits for is done");
    control.optional("start", &ControlText::start, yaml::duration(),
                     "before the first task of an inference: what an interpreter or a call of the network costs beside "
                     "its layers; counted as issuing of the first one");
    control.optional(
        "engine", &ControlText::engine, yaml::name(),
        "the cpu engine that it shares, which cannot compute while it issues; without it, a core of its own");
    o.optional("control", &DeviceText::control, control.type(), "cost of issuing tasks");
    o.optional("arbitration", &DeviceText::arbitration, yaml::choice({"round-robin"}),
               "how a memory port divides its width: equally among active transfers");
    o.required("constants", &DeviceText::constants, yaml::name(),
               "the memory that holds weights before the first task");
    o.required("io", &DeviceText::io, yaml::name(),
               "the memory that holds network inputs before the first task and outputs after the last");
    o.optional("input_from", &DeviceText::input_from, yaml::name(),
               "a memory off the chip that network inputs may come in from instead, such as a camera: each row can be "
               "read from it once, in order");
    o.optional("validated", &DeviceText::validated, yaml::list_of(validation().type()), "measurements on silicon");
    o.optional("timing_error", &DeviceText::timing_error, yaml::real(unit::ratio, 0, 10),
               "by how much times are off on networks that the constants were not fitted to, in parts of what was "
               "measured: `dse calibrate` writes it; 0 = nobody has tried");
    return o;
  }();
  return fields;
}

}  // namespace dse::hw
