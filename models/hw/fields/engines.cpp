#include "models/hw/fields/engines.h"

#include "base/suggest.h"
#include "models/hw/fields/npu.h"
#include "models/hw/fields/transforms.h"
#include "models/hw/libraries/libraries.h"
#include "models/hw/libraries/work_list.h"
#include "models/nn/graph/technique.h"

namespace dse::hw {

namespace {

using yaml::Object;

// Limits that keep products of rates, clocks and counts within 64 bits: a tick is at most 10^7 cycles of the slowest
// block.
constexpr std::int64_t min_hz = 1000, max_hz = 10000000000;

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

template <class M>
auto fixed(M member) {
  return [member](EngineText & t) -> auto& { return t.fixed.*member; };
}

Object<EngineText> engine(const std::string& description) {
  Object<EngineText> o("Engine", description);
  o.optional("clock", fixed(&Engine::clock_hz), clock_type(), "its clock, if not the device's");
  o.optional("queue", fixed(&Engine::queue), yaml::small(unit::count, 1, max_queue_depth),
             "tasks that the control processor can issue to it before it must wait");
  o.optional("priority", fixed(&Engine::priority), yaml::small(unit::count, 0, 15),
             "at memory ports, with `arbitration: priority`: the largest goes first");
  o.optional("area", fixed(&Engine::area_um2), area_type(), "what it takes on the chip, whatever it has");
  o.optional("leakage", fixed(&Engine::leakage_uw), leakage_type(),
             "what it draws all the time that an inference takes, whatever it does");
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
  o.optional("area_per_channel", fixed(&Engine::area_um2_per_channel), area_type(), "of each channel");
  o.optional("dimensions", fixed(&Engine::dimensions), yaml::small(unit::count, 1, 3),
             "of one descriptor: 1 a contiguous run, 2 rows with a stride, 3 planes of rows");
  o.optional("setup", &EngineText::setup, yaml::duration(), "per descriptor");
  o.optional("per_row", &EngineText::per_row, yaml::duration(), "per row of a descriptor after the first");
  o.optional("chained", &EngineText::chained, yaml::duration(),
             "per descriptor after the first of a copy, where the engine fetches them by itself from a chain; without "
             "it each costs `setup`");
  o.optional("outstanding", fixed(&Engine::outstanding), yaml::small(unit::count, 1, 1024),
             "bursts in flight per channel: the rate is at most outstanding x burst / latency of the memory");
  o.optional("burst", fixed(&Engine::burst), yaml::whole(unit::bytes, 1, 65536), "size of a burst");
  o.optional(
      "blocking", fixed(&Engine::blocking), yaml::boolean(),
      "the control processor waits for each of its copies, as a driver does that polls: nothing is loaded ahead");
  return o;
}

void techniques(Object<EngineText>& o) {
  o.optional("techniques", &EngineText::techniques,
             yaml::table_of(yaml::rational(unit::bandwidth, {1, 1000}, {1024, 1}), "technique", technique_keys()),
             "how it computes convolutions beside directly, a choice per layer: bytes per cycle that each arranges "
             "before it multiplies. Its products take what the technique has in `efficiency` or `cycles_per_mac`, else "
             "what the operator has");
}

void batches(Object<EngineText>& o) {
  o.optional("rescaled_per_cycle", &EngineText::rescaled_per_cycle, yaml::rational(unit::ratio, {1, 1000}, {1024, 1}),
             "where sums of products stand in its nearest memory, not in registers: how many are made into outputs per "
             "cycle. Layers are computed in output batches then, a choice per layer: scratch holds the sums of one");
  o.optional("cycles_per_batch", &EngineText::per_batch, yaml::duration(), "with `rescaled_per_cycle`: per batch");
  o.optional("rescales_apart", fixed(&Engine::rescales_apart), yaml::boolean(),
             "with `rescaled_per_cycle`: a unit of its own rescales, while the next batch is summed; with scratch for "
             "two batches");
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
  o.optional(
      "accumulator_bits", fixed(&Engine::accumulator_bits), yaml::small(unit::count, 16, 64),
      "of its sums of products, sign included: it takes a layer only if no input can make sums that need more. 0: "
      "they are as wide as sums need");
  o.optional("dispatch", &EngineText::dispatch, yaml::duration(), "per task: start and end of a kernel call");
  o.optional("kernel_switch", &EngineText::kernel_switch, yaml::duration(),
             "at a layer's first call, and when the kernel is another than the engine's previous one");
  o.optional("energy", fixed(&Engine::energy_pj_per_mac), energy_type(unit::pj_per_mac), "per multiply-accumulate");
  auto int16 = energy_type(unit::pj_per_mac);
  int16.show = nullptr;  // the default is `energy`, which a number below 0 stands for
  o.optional("energy_int16", fixed(&Engine::energy_pj_per_mac_int16), int16,
             "the same where an operand has 16 bits, if it differs");
  o.optional("energy_per_element", fixed(&Engine::energy_pj_per_element), energy_type(unit::pj_per_element),
             "per output element, counted as for `cycles_per_element`, of whatever operator");
  o.optional(
      "energy_per_cycle", fixed(&Engine::energy_pj_per_cycle), energy_type(unit::pj_per_cycle),
      "per cycle of its own that a task takes undisturbed: dispatch, arithmetic or copying, and what a cpu waits "
      "for operands where its library's loops are counted");
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

void units(Object<EngineText>& o) {
  o.optional("area_per_mac", fixed(&Engine::area_um2_per_mac), area_type(),
             "of each unit that multiplies: as many as the largest peak of `macs_per_cycle`");
  o.check([](EngineText& t, const yaml::Node& n, yaml::Reader& r) {
    const auto* area = n.find("area_per_mac");
    if (area != nullptr && t.fixed.area_um2_per_mac > 0 && !t.macs_per_cycle.present)
      r.error(*area, "area_per_mac without macs_per_cycle, which says how many there are");
  });
}

void efficiency(Object<EngineText>& o, bool techniques) {
  const std::vector<std::string> operators = {"conv", "depthwise", "fully_connected", "default"};
  o.optional(
      "efficiency", &EngineText::efficiency,
      yaml::table_of(yaml::rational(unit::ratio, {1, 1000}, {1, 1}), techniques ? "operator or technique" : "operator",
                     techniques ? with_techniques(operators) : operators),
      "share of the peak that the kernel library reaches, by operator; 1 where nothing is said");
}

void work_list(Object<EngineText>& o) {
  o.optional("library", fixed(&Engine::library), yaml::text(),
             "its own kernel library, if not the device's: ne16, of an accelerator that computes convolutions alone");
  o.optional("takes", &EngineText::takes, yaml::list_of(yaml::choice(kinds_taken()), 1, 3),
             "of an accelerator beside an engine that computes everything: which convolutions run on it, as far as its "
             "library has kernels for them; all else runs on the other");
  o.optional("largest_stride", fixed(&Engine::largest_stride), yaml::small(unit::count, 1, 16),
             "with `takes`: it leaves convolutions with larger strides to the other engine");
  o.check([](EngineText& t, const yaml::Node& n, yaml::Reader& r) {
    t.fixed.takes = t.takes.value;
    if (const auto* stride = n.find("largest_stride"); stride != nullptr && !t.takes.present)
      r.error(*stride, "largest_stride without takes, which says what it is the stride of");
  });
}

Object<EngineText> mac_array() {
  auto o = engine("Multiply-accumulate units, or a cluster of cores, that the control processor hands tiles to.");
  operands(o);
  o.required("macs_per_cycle", &EngineText::macs_per_cycle, peak_table(),
             "peak multiply-accumulates per cycle, by data type");
  units(o);
  efficiency(o, true);
  techniques(o);
  transform_fields(o);
  batches(o);
  counts(o);
  o.optional("cores", fixed(&Engine::cores), yaml::small(unit::count, 1, 64),
             "with `cycles_per_count`: cores that a kernel divides its rows or channels among; the one with most to do "
             "is timed");
  o.optional("area_per_core", fixed(&Engine::area_um2_per_core), area_type(), "of each of `cores`");
  work_list(o);
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
  units(o);
  efficiency(o, false);
  task_costs(o);
  return o;
}

Object<EngineText> cpu() {
  auto o = engine("A processor that runs kernels itself, and can copy if `copy` is given.");
  operands(o);
  o.required("cycles_per_mac", &EngineText::cycles_per_mac, mac_table(), "cycles per multiply-accumulate, by operator");
  techniques(o);
  transform_fields(o);
  batches(o);
  o.optional("cycles_per_mac_int16", &EngineText::cycles_per_mac_int16, mac_table(),
             "the same where activations have 16 bits, of operators that differ then");
  counts(o);
  task_costs(o);
  o.optional("copy", fixed(&Engine::copy_bytes_per_cycle), yaml::rational(unit::bandwidth, {0, 1}, {1024, 1}),
             "rate at which it copies between memories it reaches; 0 B/cycle = it never does");
  o.optional("cache", fixed(&Engine::cache), yaml::whole(unit::bytes, 0, most_bytes),
             "data cache: with a kernel library whose loops are counted, what a call reads again within so many bytes "
             "is read once from the memory where it lies, unless that is the nearest; 0 B = every reading is");
  o.optional("cache_line", fixed(&Engine::cache_line), yaml::whole(unit::bytes, 0, 4096),
             "with `cache`: it fetches whole lines of so many bytes, and each that it does not hold takes the latency "
             "of the memory where it lies; 0 B = byte after byte, the latency once per call");
  o.check([](EngineText& t, const yaml::Node& n, yaml::Reader& r) {
    const auto& e = t.fixed;
    const auto* line = n.find("cache_line");
    if (line == nullptr || e.cache_line <= e.cache) return;
    r.error(*line, e.cache == 0 ? "cache_line without cache, which says how much of them it holds"
                                : "cache_line is more than cache, which then holds none");
  });
  return o;
}

}  // namespace

yaml::Type<std::int64_t> clock_type() {
  auto type = yaml::whole(unit::frequency, min_hz, max_hz);
  type.show = nullptr;  // the default is the device's clock, which 0 stands for
  return type;
}

yaml::Type<double> area_type() { return yaml::real(unit::area, 0, 1e10); }

yaml::Type<double> leakage_type() { return yaml::real(unit::power, 0, most_leakage_uw); }

yaml::Type<double> energy_type(const Unit& unit) { return yaml::real(unit, 0, 1000000); }

yaml::Tagged<EngineText> engine_kinds() {
  yaml::Tagged<EngineText> engines("kind");
  engines.add("dma", dma(), [](EngineText& e) { e.fixed.kind = EngineKind::dma; });
  engines.add("mac-array", mac_array(), [](EngineText& e) { e.fixed.kind = EngineKind::mac_array; });
  engines.add("table", shape_table(), [](EngineText& e) { e.fixed.kind = EngineKind::table; });
  engines.add("npu",
              npu_fields(engine("An Arm Ethos-U: it runs command streams of whole parts of a network, the control "
                                "processor waits.")),
              [](EngineText& e) { e.fixed.kind = EngineKind::npu; });
  engines.add("cpu", cpu(), [](EngineText& e) { e.fixed.kind = EngineKind::cpu; });
  return engines;
}

}  // namespace dse::hw
