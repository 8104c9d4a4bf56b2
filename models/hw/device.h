// Description of a device: memories, engines, costs. Immutable; read from YAML (device_reader) or built by hand in
// tests. Cycle counts are those of the block's own clock unless a name says `ticks`: a tick is one cycle of the fastest
// clock.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/units.h"

namespace dse::hw {

// Fields by name: hashes and tests go through these lists, each beside its struct, so that none of them forgets a
// field; one that is added to the struct and not to the list does not compile.

/// f(name, field, Later{usual}): it came when devices had hashes, and counts in them only where it is not as usual.
/// Every new field is one, under a name that no later field of another struct has.
template <class T>
struct Later {
  T usual;
};
template <class T>
Later(T) -> Later<T>;
/// f(name, field, Never{}): changes no simulation, counts in no hash.
struct Never {};

struct Memory {
  std::string name;
  std::int64_t size = 0;      // bytes
  Ratio width{1, 1};          // bytes per cycle of `clock_hz`, shared by all flows of one port
  std::int64_t latency = 0;   // cycles from request to first byte, paid once per transfer
  int ports = 1;              // independent ports; a flow uses port (queue index mod ports)
  int banks = 1;              // word-interleaved banks: n flows on a port with b banks keep (b-1)/b, see port_timing.h
  bool on_chip = false;       // counted by the objective `memory`
  std::int64_t reserved = 0;  // bytes not available to plans (stacks, runtime)
  double energy_pj_per_byte = 0;
  std::int64_t clock_hz = 0;                  // 0 = the device's clock
  int alignment = 4;                          // bytes; offsets of buffers are multiples of it
  double area_um2 = 0, area_um2_per_kib = 0;  // square micrometres: of any size, and per KiB of `size`
  double energy_pj_per_byte_read = -1, energy_pj_per_byte_written = -1;  // where they differ; below 0: as per byte
  double energy_pj_per_access = 0;                                       // of up to `width` bytes
  double leakage_uw = 0, leakage_uw_per_kib = 0;  // microwatts, all the time: of any size, and per KiB of `size`
  std::int64_t page = 0;  // bytes; DRAM, HyperRAM, flash behind a line buffer: what is open at a time. 0 = no pages
  std::int64_t page_miss = 0;  // cycles to open each page of a transfer but its first, which `latency` opens
  bool tensors = false;        // off the chip: plans may keep tensors there that the chip has no room for
  std::int64_t bank_word = 0;  // bytes of a bank side by side: strides conflict (bank_timing.h). 0 = they do not
  /// Bytes that plans may use; none if a sweep makes the memory smaller than what is reserved.
  std::int64_t free() const { return size > reserved ? size - reserved : 0; }
  double leakage() const { return leakage_uw + leakage_uw_per_kib * static_cast<double>(size) / 1024; }
  /// For those who look at plans that would not fit: so many bytes, which cost no more than those it has.
  void make_room(std::int64_t bytes) { leakage_uw = leakage(), leakage_uw_per_kib = 0, size = bytes; }
};

template <class T, class F>
void for_each_field(T& memory, F&& f) requires std::is_same_v<std::remove_const_t<T>, Memory> {
  auto& [name, size, width, latency, ports, banks, on_chip, reserved, energy, clock_hz, alignment, area_um2,
         area_um2_per_kib, energy_read, energy_written, energy_access, leakage, leakage_per_kib, page, page_miss,
         tensors, bank_word] = memory;
  f("name", name), f("size", size), f("width", width), f("latency", latency), f("ports", ports), f("banks", banks);
  f("on_chip", on_chip), f("reserved", reserved), f("energy_pj_per_byte", energy), f("clock_hz", clock_hz);
  f("alignment", alignment), f("area_um2", area_um2, Never{}), f("area_um2_per_kib", area_um2_per_kib, Never{});
  const Memory usual{};
  f("energy_pj_per_byte_read", energy_read, Later{usual.energy_pj_per_byte_read});
  f("energy_pj_per_byte_written", energy_written, Later{usual.energy_pj_per_byte_written});
  f("energy_pj_per_access", energy_access, Later{usual.energy_pj_per_access});
  f("memory_leakage_uw", leakage, Later{usual.leakage_uw});
  f("memory_leakage_uw_per_kib", leakage_per_kib, Later{usual.leakage_uw_per_kib});
  f("page", page, Later{usual.page}), f("page_miss", page_miss, Later{usual.page_miss});
  f("tensors", tensors, Never{});
  f("bank_word", bank_word, Later{usual.bank_word});
}

enum class EngineKind { dma, mac_array, cpu, npu, table };
const char* name_of(EngineKind k);  // "dma", "mac-array", "cpu", "npu", "table"

/// A row of an engine's table: what a call of this shape takes (libraries/shape_table.h). Operators that sum over no
/// input channels have depth 1, those without a window one of 1x1.
struct ShapeCycles {
  std::string op;     // "CONV_2D"
  bool wide = false;  // an operand has 16 bits
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t rows = 1, columns = 1, channels = 1;  // of the output
  std::int64_t depth = 1;                            // input channels that are summed over
  std::int64_t cycles = 1;
  bool operator==(const ShapeCycles&) const = default;
};

template <class T, class F>
void for_each_field(T& row, F&& f) requires std::is_same_v<std::remove_const_t<T>, ShapeCycles> {
  auto& [op, wide, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, rows, columns, channels, depth,
         cycles] = row;
  f("op", op), f("wide", wide), f("kernel_h", kernel_h), f("kernel_w", kernel_w), f("stride_h", stride_h);
  f("stride_w", stride_w), f("dilation_h", dilation_h), f("dilation_w", dilation_w), f("rows", rows);
  f("columns", columns), f("channels", channels), f("depth", depth), f("cycles", cycles);
}

/// One engine. Fields that a kind does not use keep their defaults.
struct Engine {
  std::string name;
  EngineKind kind = EngineKind::cpu;
  std::int64_t clock_hz = 0;  // 0 = the device's clock
  int queue = 4;              // depth of the FIFO that the control processor issues into
  int priority = 0;           // at memory ports, where the device arbitrates by priority: the largest goes first
  // --- dma
  std::vector<std::pair<int, int>> links;  // memory indices; each pair works in both directions
  int channels = 1;                        // each channel is an in-order queue of its own
  int dimensions = 1;                      // 1: contiguous runs; 2: rows with a stride; 3: planes of rows
  std::int64_t setup = 0;                  // cycles per descriptor
  std::int64_t per_row = 0;                // cycles per row after the first of a descriptor
  /// Cycles per further descriptor of a copy, which the engine fetches by itself (a chain); -1: `setup` as the first.
  std::int64_t chained = -1;
  int outstanding = 1;      // bursts in flight per channel: rate <= outstanding * burst / latency
  std::int64_t burst = 64;  // bytes
  bool blocking = false;    // the control processor waits for each of its copies, as a driver does that polls
  // --- mac_array, cpu, table
  std::vector<int> memories;                    // memory indices that operands may lie in; first = nearest
  std::map<std::string, Ratio> macs_per_cycle;  // by data type ("int8", "int16"); mac_array, table
  std::map<std::string, Ratio> efficiency;  // by operator key; share of the peak that the library reaches; default 1
  std::map<std::string, Ratio> cycles_per_mac;  // by operator key; cpu ("default" = all others)
  std::map<std::string, Ratio>
      cycles_per_element;  // by operator key, per output element; cpu and mac_array ("default")
  /// Of 16 bits, where they differ.
  std::map<std::string, Ratio> cycles_per_mac_int16, cycles_per_element_int16;
  std::map<std::string, Ratio> cycles_per_count;        // by what the kernel library's loops count (libraries.h)
  std::map<std::string, Ratio> cycles_per_count_int16;  // the same of activations of 16 bits; none: the tables
  /// By technique (nn/kernels/dse_technique.h): bytes per cycle that it arranges; those not named the engine lacks.
  std::map<std::string, Ratio> techniques;
  /// Real Fourier transforms of circulant layers (nn/kernels/dse_circulant.h): cycles by length, "128", and per complex
  /// multiply-accumulate of spectra; cpu and mac_array.
  std::map<std::string, Ratio> cycles_per_transform;
  Ratio cycles_per_complex_mac{0, 1};
  /// Sums of products that stand in the nearest memory, as output batches (nn/kernels/dse_batches.h), are rescaled at
  /// this many per cycle; 0: they stand in registers.
  Ratio rescaled_per_cycle{0, 1};
  std::int64_t per_batch = 0;                // cycles per batch
  int accumulator_bits = 0;                  // of its sums of products; 0: as wide as they need
  bool rescales_apart = false;               // by a unit of its own, while the next batch is summed
  int cores = 1;                             // that share a call, where loops are counted; mac_array
  std::vector<ShapeCycles> cycles_by_shape;  // table; of one operator the cheapest first
  Ratio cycles_per_shift{0, 1};              // Q formats: per output that the accumulator's high half does not give
  std::int64_t dispatch = 0;                 // cycles per task
  std::int64_t kernel_switch = 0;            // cycles when the kernel differs from the previous one, and per layer
  Ratio copy_bytes_per_cycle{0, 1};          // cpu as a copy engine (memcpy); 0 = cannot
  // mac_array: an accelerator beside the engine that computes everything (libraries/work_list.h)
  std::string library;             // its own kernel library; empty: the device's
  std::vector<std::string> takes;  // which convolutions: "conv", "depthwise", "pointwise"; none: it is no such engine
  int largest_stride = 0;          // of these; 0: any
  // npu: an Ethos-U (ethos_u/of_device.h); its memories are the SRAM and what lies behind its second port
  std::string accelerator;      // "ethos-u55-128"
  std::string memory_mode;      // "Shared_Sram"
  std::string system;           // whose bursts and latencies its ports have; empty: the usual one of the accelerator
  std::int64_t hand_over = 0;   // cycles of its own per invocation, before it begins
  std::int64_t cache = 0;       // bytes; cpu: what a call reads again within so many bytes comes from there; 0 = none
  std::int64_t cache_line = 0;  // bytes; it fetches whole lines, each for the memory's latency; 0 = byte after byte
  double energy_pj_per_mac = 0;
  double energy_pj_per_mac_int16 = -1;                        // of 16-bit operands; below 0: the same
  double energy_pj_per_element = 0, energy_pj_per_cycle = 0;  // output elements; cycles of its own
  double leakage_uw = 0;                                      // microwatts, all the time
  // Square micrometres: whatever it has, per channel (dma), per multiply-accumulate of the largest peak (arrays), per
  // core (mac_array).
  double area_um2 = 0, area_um2_per_channel = 0, area_um2_per_mac = 0, area_um2_per_core = 0;
  /// An array is handed tiles and streams their operands while it computes.
  bool is_array() const { return kind == EngineKind::mac_array || kind == EngineKind::table; }
  bool sums_in_memory() const { return !rescaled_per_cycle.zero(); }
  bool computes() const { return is_array() || kind == EngineKind::cpu; }
  /// It takes some convolutions off the engine that computes everything.
  bool partial() const { return !takes.empty(); }
  bool reaches(int memory) const;
};

template <class T, class F>
void for_each_field(T& engine, F&& f) requires std::is_same_v<std::remove_const_t<T>, Engine> {
  auto& [name, kind, clock_hz, queue, priority, links, channels, dimensions, setup, per_row, chained, outstanding,
         burst, blocking, memories, macs_per_cycle, efficiency, cycles_per_mac, cycles_per_element,
         cycles_per_mac_int16, cycles_per_element_int16, cycles_per_count, cycles_per_count_int16, techniques,
         cycles_per_transform, cycles_per_complex_mac, rescaled_per_cycle, per_batch, accumulator_bits, rescales_apart,
         cores, cycles_by_shape, cycles_per_shift, dispatch, kernel_switch, copy_bytes_per_cycle, library, takes,
         largest_stride, accelerator, memory_mode, system, hand_over, cache, cache_line, energy, energy_int16,
         energy_element, energy_cycle, leakage, area_um2, area_um2_per_channel, area_um2_per_mac, area_um2_per_core] =
      engine;
  f("name", name), f("kind", kind), f("clock_hz", clock_hz), f("queue", queue), f("links", links);
  f("channels", channels), f("dimensions", dimensions), f("setup", setup), f("per_row", per_row),
      f("chained", chained, Later{Engine().chained});
  f("priority", priority, Later{Engine().priority}), f("blocking", blocking, Later{Engine().blocking});
  f("outstanding", outstanding), f("burst", burst), f("memories", memories), f("macs_per_cycle", macs_per_cycle);
  f("efficiency", efficiency), f("cycles_per_mac", cycles_per_mac), f("cycles_per_element", cycles_per_element);
  f("cycles_per_mac_int16", cycles_per_mac_int16, Later{Engine().cycles_per_mac_int16});
  f("cycles_per_element_int16", cycles_per_element_int16, Later{Engine().cycles_per_element_int16});
  f("cycles_per_count", cycles_per_count, Later{Engine().cycles_per_count});
  f("cycles_per_count_int16", cycles_per_count_int16, Later{Engine().cycles_per_count_int16});
  f("techniques", techniques, Later{Engine().techniques});
  f("cycles_per_transform", cycles_per_transform, Later{Engine().cycles_per_transform});
  f("cycles_per_complex_mac", cycles_per_complex_mac, Later{Engine().cycles_per_complex_mac});
  f("rescaled_per_cycle", rescaled_per_cycle, Later{Engine().rescaled_per_cycle});
  f("per_batch", per_batch, Later{Engine().per_batch});
  f("accumulator_bits", accumulator_bits, Later{Engine().accumulator_bits});
  f("rescales_apart", rescales_apart, Later{Engine().rescales_apart});
  f("cores", cores, Later{Engine().cores});
  f("cycles_by_shape", cycles_by_shape, Later{Engine().cycles_by_shape});
  f("cycles_per_shift", cycles_per_shift, Later{Engine().cycles_per_shift});
  f("dispatch", dispatch), f("kernel_switch", kernel_switch), f("copy_bytes_per_cycle", copy_bytes_per_cycle);
  f("own_library", library, Later{Engine().library}), f("takes", takes, Later{Engine().takes});
  f("largest_stride", largest_stride, Later{Engine().largest_stride});
  f("accelerator", accelerator, Later{Engine().accelerator});
  f("memory_mode", memory_mode, Later{Engine().memory_mode}), f("npu_system", system, Later{Engine().system});
  f("hand_over", hand_over, Later{Engine().hand_over});
  f("cache", cache, Later{Engine().cache}), f("cache_line", cache_line, Later{Engine().cache_line});
  f("energy_pj_per_mac", energy);
  f("energy_pj_per_mac_int16", energy_int16, Later{Engine().energy_pj_per_mac_int16});
  f("energy_pj_per_element", energy_element, Later{Engine().energy_pj_per_element});
  f("energy_pj_per_cycle", energy_cycle, Later{Engine().energy_pj_per_cycle});
  f("engine_leakage_uw", leakage, Later{Engine().leakage_uw});
  f("area_um2", area_um2, Never{}), f("area_um2_per_channel", area_um2_per_channel, Never{});
  f("area_um2_per_mac", area_um2_per_mac, Never{}), f("area_um2_per_core", area_um2_per_core, Never{});
}

/// The processor that walks the program.
struct Control {
  std::int64_t issue = 0;  // cycles per issued task
  std::int64_t wait = 0;   // cycles per Wait, after what it waits for is done
  std::int64_t start = 0;  // cycles before the first task: what an inference costs beside its layers
  int engine = -1;  // index of the cpu engine it shares (then a call on that engine blocks it); -1 = its own core
};

template <class T, class F>
void for_each_field(T& control, F&& f) requires std::is_same_v<std::remove_const_t<T>, Control> {
  auto& [issue, wait, start, engine] = control;
  f("issue", issue), f("wait", wait), f("start", start, Later{Control().start}), f("engine", engine);
}

/// One row of silicon truth about this device description. `role`: "fit" (constants were tuned on it) or "held-out".
struct ValidationRow {
  std::string network, source, role;
  std::string structure{};  // Network::structure_hash(); empty: that of the shipped network of this name
  std::int64_t cycles = 0;
};

struct Device {
  std::string name, source;
  std::vector<std::string> aliases;  // other names that it is found by: boards, processors
  std::int64_t clock_hz = 0;
  std::string kernel_library;  // whose cycles the tables stand for
  std::vector<Memory> memories;
  std::vector<Engine> engines;
  Control control;
  /// Ports share bandwidth equally among active flows ("round-robin"), or among those of engines of the highest
  /// priority ("priority").
  std::string arbitration = "round-robin";
  int constants = -1;  // memory that holds weights before task 0
  int io = -1;         // memory that holds network inputs before task 0 and outputs at the end
  /// Memory that inputs may come in from (a camera, an ADC): it delivers their rows once and in order. -1 = none.
  int input_from = -1;
  std::vector<ValidationRow> validated;
  /// By how much times of networks that took no part in fitting the constants were off, in parts of what was measured
  /// (root of the mean square); 0 = nobody has tried.
  double timing_error = 0;
  double area_um2 = 0;          // square micrometres: of all that is neither memory nor engine
  double leakage_uw = 0;        // microwatts, all the time: of the same
  std::string energy_source{};  // who measured or published its energies; empty: nobody says, and none is shown

  int memory(const std::string& name) const;  // index or -1
  int engine(const std::string& name) const;  // index or -1
  std::int64_t tick_hz() const;               // the fastest clock of all blocks
  /// First engine that computes everything, arrays before CPUs: the one layers run on unless a choice says otherwise
  /// or another takes them (libraries/work_list.h). -1 = none.
  int compute_engine() const;
  int cpu() const;  // first CPU, -1 = none
  int npu() const;  // first NPU, -1 = none
  /// Engine that moves bytes between two memories: a linked DMA, else a CPU that reaches both and can copy. -1 = none.
  int copy_engine(int from, int to) const;
  /// Square millimetres of memories, engines and the rest, as far as the description gives them; nothing: it gives
  /// none.
  std::optional<double> area_mm2() const;
  bool states_energies() const;                                 // some energy or leakage is more than nothing
  bool energy_known() const { return !energy_source.empty(); }  // as well as whoever energy_source names knows it
  std::string hash() const;                                     // 16 hex digits over all that changes a simulation
};

template <class T, class F>
void for_each_field(T& device, F&& f) requires std::is_same_v<std::remove_const_t<T>, Device> {
  auto& [name, source, aliases, clock_hz, kernel_library, memories, engines, control, arbitration, constants, io,
         input_from, validated, timing_error, area_um2, leakage_uw, energy_source] = device;
  f("name", name, Never{}), f("source", source, Never{}), f("aliases", aliases, Never{});  // said to readers
  f("clock_hz", clock_hz), f("kernel_library", kernel_library), f("arbitration", arbitration);
  f("constants", constants), f("io", io), f("control", control), f("memories", memories), f("engines", engines);
  f("input_from", input_from, Later{Device().input_from});
  f("validated", validated, Never{});  // measured, not simulated
  f("timing_error", timing_error, Never{});
  f("area_um2", area_um2, Never{});
  f("device_leakage_uw", leakage_uw, Later{Device().leakage_uw}), f("energy_source", energy_source, Never{});
}

using DevicePtr = std::shared_ptr<const Device>;

}  // namespace dse::hw
