// Every field of a device file, declared once: parser, defaults, ranges, JSON Schema and the tables of
// docs/run/device.md come from here, and those of engines from fields/engines.cpp.
#include "models/hw/device_fields.h"

#include "models/hw/fields/engines.h"

namespace dse::hw {

namespace {

using yaml::Object;

Object<MemoryText> memory() {
  Object<MemoryText> o("Memory", "A memory, and the bandwidth of each of its ports.");
  const auto m = [](auto member) {
    return [member](MemoryText & t) -> auto& { return t.fixed.*member; };
  };
  o.required("size", m(&Memory::size), yaml::whole(unit::bytes, 1, most_bytes), "capacity");
  o.required("width", m(&Memory::width), yaml::rational(unit::bandwidth, {1, 1000}, {512, 1}),
             "bytes that one port moves per cycle of the memory's clock, shared by all transfers in flight on it");
  o.optional(
      "latency", &MemoryText::latency, yaml::duration(),
      "from request to first byte, paid once per transfer; a time is rounded up to cycles of the memory's clock");
  o.optional("page", m(&Memory::page), yaml::whole(unit::bytes, 0, 1 << 20),
             "DRAM, HyperRAM, flash that is read by lines: what is open at a time. 0 B = it has no pages");
  o.optional(
      "page_miss", &MemoryText::page_miss, yaml::duration(),
      "with `page`: to open a page; a transfer pays it for each page but the first, which `latency` opens. Each of "
      "its runs begins a page, as far as no more pages are counted than lie between its first byte and its last");
  o.optional("ports", m(&Memory::ports), yaml::small(unit::count, 1, 64),
             "ports that do not share bandwidth with each other");
  o.optional("banks", m(&Memory::banks), yaml::small(unit::count, 1, 1024),
             "word-interleaved banks: the more, the less simultaneous transfers on a port disturb each other");
  o.optional("bank_word", m(&Memory::bank_word), yaml::whole(unit::bytes, 0, 64),
             "with `banks`: bytes of one bank that lie side by side, a power of two. Runs with gaps "
             "between are asked for together, and each bank gives one of its words in a cycle. 0 B = strides do not "
             "conflict");
  o.optional("on_chip", m(&Memory::on_chip), yaml::boolean(), "whether its arena counts in the objective `memory`");
  o.optional("tensors", m(&Memory::tensors), yaml::boolean(),
             "off the chip, but not for constants alone: plans may keep tensors there that the chip has no room for");
  o.optional("reserved", &MemoryText::reserved, yaml::whole(unit::bytes, 0, most_bytes),
             "part that plans may not use: stacks, the runtime, other software");
  o.optional("energy", m(&Memory::energy_pj_per_byte), energy_type(unit::pj_per_byte), "per byte read or written");
  auto one_way = energy_type(unit::pj_per_byte);
  one_way.show = nullptr;  // the default is `energy`, which a number below 0 stands for
  o.optional("energy_read", m(&Memory::energy_pj_per_byte_read), one_way, "per byte read, if it differs");
  o.optional("energy_write", m(&Memory::energy_pj_per_byte_written), one_way, "per byte written, if it differs");
  o.optional("energy_per_access", m(&Memory::energy_pj_per_access), energy_type(unit::pj_per_access),
             "of each access, of up to `width` bytes, beside its bytes");
  o.optional("leakage", m(&Memory::leakage_uw), leakage_type(),
             "what it draws all the time that an inference takes, whatever its size");
  o.optional("leakage_per_kib", m(&Memory::leakage_uw_per_kib), leakage_type(), "of each KiB of `size`");
  o.optional("clock", m(&Memory::clock_hz), clock_type(), "its clock, if not the device's");
  o.optional("alignment", m(&Memory::alignment), yaml::small(unit::count, 1, 4096),
             "bytes, a power of two: every buffer's offset is a multiple of it");
  o.optional("area", m(&Memory::area_um2), area_type(), "what it takes on the chip, whatever its size");
  o.optional("area_per_kib", m(&Memory::area_um2_per_kib), area_type(), "of each KiB of `size`");
  o.check([](MemoryText& t, const yaml::Node& n, yaml::Reader& r) {
    if (const auto* miss = n.find("page_miss"); miss != nullptr && t.fixed.page == 0)
      r.error(*miss, "page_miss without page, which says how much is open at a time");
    if (const auto* word = n.find("bank_word"); word != nullptr && t.fixed.bank_word > 0) {
      const Memory& memory = t.fixed;
      if ((memory.bank_word & (memory.bank_word - 1)) != 0)
        r.error(*word, "bank_word is not a power of two: " + std::to_string(memory.bank_word));
      else if (memory.banks < 2)
        r.error(*word, "bank_word without banks, whose words it says");
      else if (memory.width.num > memory.bank_word * memory.banks * memory.width.den)
        r.error(*word, std::to_string(memory.banks) + " banks of " +
                           format_quantity({memory.bank_word, 1}, unit::bytes) + " are narrower than the port");
    }
    const yaml::Node* alignment = n.find("alignment");
    if (alignment != nullptr && (t.fixed.alignment & (t.fixed.alignment - 1)) != 0)
      r.error(*alignment, "alignment is not a power of two: " + std::to_string(t.fixed.alignment));
    const yaml::Node* leakage = n.find("leakage_per_kib");
    if (leakage != nullptr && t.fixed.leakage() > most_leakage_uw)
      r.error(*leakage, "leakage of all of its KiB is more than 10 W");
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
    o.required("engines", &DeviceText::engines, yaml::map_of(engine_kinds().type(), "name", 1, max_queues),
               "what moves and computes, by name");
    Object<ControlText> control("Control", "The processor that walks the program and issues tasks to engines.");
    control.optional("issue", &ControlText::issue, yaml::duration(), "per task issued");
    control.optional("wait", &ControlText::wait, yaml::duration(), "per wait, after what it waits for is done");
    control.optional("start", &ControlText::start, yaml::duration(),
                     "before the first task of an inference: what an interpreter or a call of the network costs beside "
                     "its layers; counted as issuing of the first one");
    control.optional(
        "engine", &ControlText::engine, yaml::name(),
        "the cpu engine that it shares, which cannot compute while it issues, or an array whose calls it waits for; "
        "without it, a core of its own that waits for none");
    o.optional("control", &DeviceText::control, control.type(), "cost of issuing tasks");
    o.optional("arbitration", &DeviceText::arbitration, yaml::choice({"round-robin", "priority"}),
               "how a memory port divides its width: equally among active transfers, or equally among those of engines "
               "of the highest `priority`, while the others wait");
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
    o.optional("area", &DeviceText::area_um2, area_type(), "of all on the chip that is neither memory nor engine");
    o.optional("leakage", &DeviceText::leakage_uw, leakage_type(),
               "what all that is neither memory nor engine draws, as long as an inference takes");
    o.optional("energy_source", &DeviceText::energy_source, yaml::text(),
               "where the energies come from, all of them: a measurement, a publication and its table. Without it what "
               "they come to is neither shown nor an objective nor a limit");
    return o;
  }();
  return fields;
}

}  // namespace dse::hw
