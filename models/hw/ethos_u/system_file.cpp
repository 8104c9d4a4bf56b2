#include "models/hw/ethos_u/system_file.h"

#include "base/yaml/yaml.h"
#include "models/hw/fields/engines.h"

namespace dse::hw::ethos_u {
namespace {

struct PortText {
  double share = 1;
  std::int64_t burst = 0;
  int read_latency = 0, write_latency = 0, ports = 1;
  MemoryPort port() const { return {share, static_cast<int>(burst), read_latency, write_latency, ports}; }
};

struct SramText : PortText {
  std::int64_t size = 0;
};

struct SecondText : PortText {
  Area kind = Area::off_chip_flash;
};

struct Text {
  std::string name, source, cpu;
  std::int64_t clock_hz = 0;
  int hand_over = -1;
  SramText sram;
  SecondText second;
};

template <class T>
void add_port(yaml::Object<T>& o) {
  constexpr int kLongest = 100'000;
  o.optional("share", &T::share, yaml::real(unit::ratio, 0.0001, 1),
             "of the bytes that the port of the NPU could move (U55: 8, U65 and U85: 16 B/cycle), those that come on "
             "average; `clock_scale` of Arm's compiler");
  o.required("burst", &T::burst, yaml::whole(unit::bytes, 1, 4096), "bytes of a burst");
  o.required("read_latency", &T::read_latency, yaml::small(unit::cycles, 0, kLongest),
             "of a transfer, in cycles of the NPU");
  o.required("write_latency", &T::write_latency, yaml::small(unit::cycles, 0, kLongest), "the same of writing");
  o.optional("ports", &T::ports, yaml::small(unit::count, 1, 4),
             "of the NPU that lead there, as far as it has them: an Ethos-U85 has 2 or 4 to the SRAM and 1 or 2 to the "
             "other memory, others one; `ports_used` of Arm's compiler");
}

const yaml::Object<Text>& fields() {
  static const auto all = [] {
    yaml::Object<SramText> sram("Sram", "The memory on the first AXI port.");
    sram.optional("size", &SramText::size, yaml::whole(unit::bytes, 1, std::int64_t{1} << 32),
                  "what schedules may use of it; `--arena` goes before it");
    add_port(sram);
    yaml::Object<SecondText> second("Second", "The memory on the second AXI port.");
    second.required("kind", &SecondText::kind,
                    yaml::choice<Area>({{"flash", Area::off_chip_flash}, {"dram", Area::dram}}),
                    "flash holds constants alone, dram in `Dedicated_Sram` feature maps as well");
    add_port(second);
    yaml::Object<Text> o("NpuSystem", "Clock and memories of a system with an Ethos-U.");
    o.required("name", &Text::name, yaml::name(), "name of the system");
    o.optional("source", &Text::source, yaml::text(), "where the figures are from");
    o.required("clock", &Text::clock_hz, clock_type(), "of the NPU");
    auto idle = yaml::small(unit::cycles, 0, 1'000'000'000);
    idle.show = nullptr;  // the default is the command's
    o.optional("hand_over", &Text::hand_over, idle,
               "idle cycles of the NPU per invocation, between the call and its first command and after its last; "
               "`--hand-over` goes before it");
    o.optional("cpu", &Text::cpu, yaml::text(),
               "device whose CPU runs what the NPU cannot, by name or file; `--cpu` goes before it");
    o.required("sram", &Text::sram, sram.type(), "the SRAM");
    o.required("second", &Text::second, second.type(), "the other memory: flash, MRAM, DRAM");
    return o;
  }();
  return all;
}

}  // namespace

SystemFilePtr read_system_text(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  Text written;
  if (!yaml::read_text(text, file, fields(), {}, diagnostics, written)) return nullptr;
  auto out = std::make_shared<SystemFile>();
  out->name = written.name, out->source = written.source;
  out->config = {out->name, written.clock_hz, written.sram.port(), written.second.kind, written.second.port()};
  out->sram_bytes = written.sram.size;
  out->hand_over = written.hand_over, out->cpu = written.cpu;
  return out;
}

SystemFilePtr read_system(const std::string& path, Diagnostics& diagnostics) {
  const auto text = yaml::load(path, diagnostics);
  return text ? read_system_text(*text, path, diagnostics) : nullptr;
}

std::string system_schema() { return yaml::json_schema(fields(), "npu.json"); }
std::string system_reference() { return yaml::reference(fields()); }

}  // namespace dse::hw::ethos_u
