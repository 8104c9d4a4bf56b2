#include "reports/npu/npu_report.h"

#include <fmt/format.h>

#include "base/index.h"
#include "reports/npu/npu_rows.h"
#include "reports/words/format.h"

namespace dse::reports {

using namespace hw::ethos_u;
using nlohmann::ordered_json;

namespace {

std::string title(const explore::npu::Compiled& c) {
  return fmt::format("{} on {}, {}, {}\n", c.network->name, c.npu.acc().name, c.npu.system->name, name_of(c.npu.mode)) +
         unvalidated_line(c.npu.acc());
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string fallbacks(const explore::npu::Compiled& c, const std::vector<explore::npu::CpuOperator>& cpu) {
  std::string out;
  for (const auto& f : cpu)
    out += fmt::format("  {:<18} {:<22} {:>12} cycles of the CPU: {}\n", c.network->operators[index(f.source)].name,
                       nn::name_of(c.network->operators[index(f.source)].kind), grouped(f.cycles), f.why);
  return out.empty() ? out : "\non the CPU\n" + out;
}

std::string waits(const PmuCounts& pmu) {
  std::string out = "\nwhere the time of each block went, of all active cycles\n";
  for (int p = 0; p < kParts; ++p) {
    out += fmt::format("  {:<16}", name_of(static_cast<Part>(p)));
    for (int w = 0; w < kWaits; ++w)
      if (const auto t = pmu.of(static_cast<Part>(p), static_cast<Wait>(w)))
        out += fmt::format(" {} {:.1f} %", name_of(static_cast<Wait>(w)),
                           percent(static_cast<double>(t), static_cast<double>(pmu.active)));
    out += "\n";
  }
  return out;
}

/// The events of a U85 name its ports by what lies there.
ordered_json pmu_json(const Accelerator& a, const PmuCounts& pmu, std::int64_t idle) {
  ordered_json out{{"CYCLE", pmu.active + idle}, {"NPU_ACTIVE", pmu.active}, {"NPU_IDLE", idle}};
  out["MAC_ACTIVE"] = pmu.of(Part::macs, Wait::busy);
  out["MAC_ACTIVE_8BIT"] = pmu.mac_active_8, out["MAC_ACTIVE_16BIT"] = pmu.mac_active_16;
  out["MAC_STALLED_BY_WD"] = pmu.of(Part::macs, Wait::weights),
  out["MAC_STALLED_BY_ACC"] = pmu.of(Part::macs, Wait::accumulators);
  out["MAC_STALLED_BY_IB"] = pmu.of(Part::macs, Wait::input);
  out["AO_ACTIVE"] = pmu.of(Part::output, Wait::busy),
  out["AO_STALLED_BY_OB"] = pmu.of(Part::output, Wait::output_buffer);
  out["AO_STALLED_BY_ACC"] = pmu.of(Part::output, Wait::accumulators);
  out["WD_ACTIVE"] = pmu.of(Part::weights, Wait::busy),
  out["WD_STALLED_BY_WD_BUF"] = pmu.of(Part::weights, Wait::weights);
  out["CC_STALLED_ON_BLOCKDEP"] = pmu.of(Part::input, Wait::blockdep),
  out["CC_STALLED_ON_SHRAM_RECONFIG"] = pmu.of(Part::input, Wait::setup);
  for (int port = 0; port < 2; ++port) {
    const auto& axi = pmu.axi[index(port)];
    const std::string name = a.table85 ? (port ? "EXT" : "SRAM") : fmt::format("AXI{}", port);
    out[name + "_RD_DATA_BEAT_RECEIVED"] = axi.read_beats;
    out[name + "_WR_DATA_BEAT_WRITTEN"] = axi.written_beats;
    out[name + "_TRANS_COMPLETED"] = axi.transactions;
  }
  return out;
}

/// The JSON with the note beside its accelerator, where there is one.
ordered_json noted(const Accelerator& a, ordered_json out) {
  if (const auto note = unvalidated(a); !note.empty()) out["unvalidated"] = note;
  return out;
}

}  // namespace

std::string unvalidated_line(const Accelerator& a) {
  const auto note = unvalidated(a);
  return note.empty() ? "" : fmt::format("{}\n", note);
}

std::string npu_text(const explore::npu::Compiled& c, const explore::npu::Simulated& s,
                     const explore::npu::SystemTime& t) {
  std::string out = title(c);
  const PmuCounts& pmu = s.pmu;
  out += fmt::format("\n{:>16} cycles in all, {:.1f} us at {} MHz\n", grouped(t.total), t.total_us,
                     c.npu.system->clock_hz / 1'000'000);
  out += fmt::format("{:>16} of the NPU active\n", grouped(t.active));
  out += fmt::format("{:>16} of hand-over in {} invocation{}\n", grouped(t.hand_over), s.invocations.size(),
                     s.invocations.size() == 1 ? "" : "s");
  out += fmt::format("{:>16} of control\n", grouped(t.control));
  if (!t.cpu.empty()) out += fmt::format("{:>16} on the CPU, {:.1f} us\n", grouped(t.on_cpu), t.cpu_us);
  out += fmt::format("{:>16} bytes of SRAM, {} of constants\n", grouped(c.places.fast_bytes),
                     grouped(c.places.constant_bytes));
  if (c.places.other_bytes)
    out += fmt::format("{:>16} bytes of feature maps in the other memory\n", grouped(c.places.other_bytes));
  out += fmt::format("{:>16} beats read and {} written on AXI0, {} and {} on AXI1, of {} bytes\n",
                     grouped(pmu.axi[0].read_beats), grouped(pmu.axi[0].written_beats), grouped(pmu.axi[1].read_beats),
                     grouped(pmu.axi[1].written_beats), pmu.beat_bytes);
  out += fmt::format("\n{:<18} {:<18} {:>12} {:>7} {:>10} {:>10} {:>10} {:>10}  {:<11} {}\n", "operator", "type",
                     "cycles", "MACs", "SRAM", "AXI0 rd", "AXI0 wr", "AXI1 rd", "block", "cascade");
  for (const NpuRow& r : npu_rows(c, s))
    out +=
        fmt::format("{:<18} {:<18} {:>12} {:>5.1f} % {:>10} {:>10} {:>10} {:>10}  {:<11} {}\n", r.name.substr(0, 18),
                    r.type.substr(0, 18), grouped(r.cycles),
                    percent(static_cast<double>(r.macs), static_cast<double>(r.cycles) * c.npu.acc().macs_per_cycle()),
                    grouped(r.sram), grouped(r.read_beats[0]), grouped(r.written_beats[0]), grouped(r.read_beats[1]),
                    r.block, r.cascade.empty() ? r.pieces : r.cascade);
  return out + fallbacks(c, t.cpu) + waits(pmu);
}

ordered_json npu_json(const explore::npu::Compiled& c, const explore::npu::Simulated& s,
                      const explore::npu::SystemTime& t) {
  const PmuCounts& pmu = s.pmu;
  ordered_json operators = ordered_json::array();
  for (const NpuRow& r : npu_rows(c, s)) {
    ordered_json row{
        {"name", r.name},
        {"type", r.type},
        {"cycles", r.cycles},
        {"mac_active_cycles", r.mac_busy},
        {"macs", r.macs},
        {"utilisation",
         percent(static_cast<double>(r.macs), static_cast<double>(r.cycles) * c.npu.acc().macs_per_cycle()) / 100},
        {"sram_bytes", r.sram},
        {"weight_bytes", r.weights},
        {"axi0_read_beats", r.read_beats[0]},
        {"axi0_write_beats", r.written_beats[0]},
        {"axi1_read_beats", r.read_beats[1]},
        {"axi1_write_beats", r.written_beats[1]}};
    ordered_json pieces = ordered_json::array();
    for (const int i : r.operations) {
      const auto& b = c.schedule.operations[index(i)].block;
      pieces.push_back({{"function", name_of(c.costs->op(i).function)},
                        {"block", {b.ofm.h, b.ofm.w, b.ofm.c}},
                        {"cycles", s.operations[index(i)].end},
                        {"slices", c.schedule.operations[index(i)].slices},
                        {"cascade", c.schedule.operations[index(i)].cascade}});
    }
    row["operations"] = std::move(pieces);
    operators.push_back(std::move(row));
  }
  ordered_json cpu = ordered_json::array();
  for (const auto& f : t.cpu)
    cpu.push_back({{"name", c.network->operators[index(f.source)].name}, {"cycles", f.cycles}, {"why", f.why}});
  ordered_json waiting;
  for (int p = 0; p < kParts; ++p)
    for (int w = 0; w < kWaits; ++w)
      waiting[name_of(static_cast<Part>(p))][name_of(static_cast<Wait>(w))] =
          pmu.of(static_cast<Part>(p), static_cast<Wait>(w));
  return noted(c.npu.acc(), {{"format", 1},
                             {"network", c.network->name},
                             {"accelerator", c.npu.acc().name},
                             {"system", c.npu.system->name},
                             {"memory_mode", name_of(c.npu.mode)},
                             {"total_cycles", t.total},
                             {"npu_active_cycles", t.active},
                             {"hand_over_cycles", t.hand_over},
                             {"control_cycles", t.control},
                             {"cpu_cycles", t.on_cpu},
                             {"cpu_us", t.cpu_us},
                             {"total_us", t.total_us},
                             {"invocations", s.invocations},
                             {"sram_bytes_used", c.places.fast_bytes},
                             {"flash_bytes_used", c.places.constant_bytes},
                             {"axi0_read_beats", pmu.axi[0].read_beats},
                             {"axi0_write_beats", pmu.axi[0].written_beats},
                             {"axi1_read_beats", pmu.axi[1].read_beats},
                             {"axi1_write_beats", pmu.axi[1].written_beats},
                             {"beat_bytes", pmu.beat_bytes},
                             {"pmu", pmu_json(c.npu.acc(), pmu, t.hand_over)},
                             {"time", waiting},
                             {"operators", operators},
                             {"cpu_operators", cpu}});
}

std::string npu_estimate_text(const explore::npu::Compiled& c, const plan::npu::NetworkEstimate& e) {
  std::string out = title(c);
  out += fmt::format(
      "as Arm's compiler estimates it; operators of the CPU count nothing\n\n{:>16.0f} cycles, {:.0f} of the "
      "NPU\n{:>16} bytes of SRAM at most\n",
      e.sum.total, e.sum.npu, grouped(c.schedule.peak()));
  out += fmt::format("{:>16} bytes of weights, {} coded\n", grouped(e.original_weights), grouped(e.coded_weights));
  out += fmt::format("\n{:<18} {:<15} {:>12} {:>12} {:>12} {:>12} {:>10}  {}\n", "operator", "operation", "cycles",
                     "NPU", "SRAM access", "flash/DRAM", "SRAM", "block");
  for (std::size_t i = 0; i < e.operations.size(); ++i) {
    const auto& x = e.operations[i];
    const auto& o = c.costs->op(static_cast<int>(i));
    const auto& b = c.schedule.operations[i].block;
    out += fmt::format("{:<18} {:<15} {:>12.1f} {:>12.1f} {:>12.1f} {:>12.1f} {:>10}  {}x{}x{}\n", o.name.substr(0, 18),
                       name_of(o.function), x.total, x.npu, x.access[0], x.access[1] + x.access[2] + x.access[3],
                       grouped(x.usage), b.ofm.h, b.ofm.w, b.ofm.c);
  }
  return out;
}

ordered_json npu_estimate_json(const explore::npu::Compiled& c, const plan::npu::NetworkEstimate& e) {
  ordered_json operations = ordered_json::array();
  for (std::size_t i = 0; i < e.operations.size(); ++i) {
    const auto& x = e.operations[i];
    const auto& o = c.costs->op(static_cast<int>(i));
    const auto& p = c.schedule.operations[i];
    operations.push_back({{"name", o.name},
                          {"operator", nn::name_of(c.network->operators[index(o.source)].kind)},
                          {"function", name_of(o.function)},
                          {"block", {p.block.ofm.h, p.block.ofm.w, p.block.ifm.c, p.block.ofm.c}},
                          {"slices", p.slices},
                          {"cascade", p.cascade},
                          {"weight_bytes", p.weights ? p.weights->bytes : 0},
                          {"total_cycles", x.total},
                          {"npu_cycles", x.npu},
                          {"access", x.access},
                          {"macs", x.macs},
                          {"sram", x.usage}});
  }
  return {{"format", 1},
          {"network", c.network->name},
          {"accelerator", c.npu.acc().name},
          {"system", c.npu.system->name},
          {"memory_mode", name_of(c.npu.mode)},
          {"total_cycles", e.sum.total},
          {"npu_cycles", e.sum.npu},
          {"sram_peak", c.schedule.peak()},
          {"macs", e.sum.macs},
          {"coded_weights", e.coded_weights},
          {"operations", operations}};
}

std::string npu_front_text(const std::vector<explore::npu::Point>& front,
                           const std::vector<explore::npu::SystemTime>& times) {
  if (front.empty()) return {};
  std::string out = title(front[0].compiled);
  out += fmt::format("\n{:>6} {:>14} {:>14} {:>14} {:>12}  {}\n", "point", "SRAM bytes", "NPU active", "cycles in all",
                     "us", "from");
  for (std::size_t i = 0; i < front.size(); ++i)
    out += fmt::format("{:>6} {:>14} {:>14} {:>14} {:>12.1f}  {}\n", i, grouped(front[i].bytes()),
                       grouped(times[i].active), grouped(times[i].total), times[i].total_us, front[i].origin);
  return out;
}

}  // namespace dse::reports
