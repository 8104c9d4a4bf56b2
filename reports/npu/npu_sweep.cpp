#include "reports/npu/npu_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/index.h"
#include "reports/npu/npu_report.h"
#include "reports/page/page.h"
#include "reports/page/payload.h"
#include "reports/words/format.h"

namespace dse::reports {

using explore::npu::SweepAxes;
using explore::npu::SweepCell;
using nlohmann::ordered_json;

namespace {

/// The accelerator, and what else tells systems apart.
std::string system_of(const SweepAxes& axes, const hw::ethos_u::Npu& npu) {
  std::string out(npu.acc().name);
  const auto differs = [&](auto&& of) {
    return std::any_of(axes.npus.begin(), axes.npus.end(), [&](const auto& other) { return of(other) != of(npu); });
  };
  if (differs([](const auto& n) { return n.mode; })) out += fmt::format(" {}", name_of(npu.mode));
  if (differs([](const auto& n) { return n.system; })) out += fmt::format(" {}", npu.system->name);
  return out;
}

std::string limit_text(std::int64_t arena) { return arena > 0 ? grouped(arena) : "any"; }

}  // namespace

std::string npu_sweep_text(const SweepAxes& axes, const std::vector<SweepCell>& cells) {
  std::size_t network = 7, system = 11;
  for (const SweepCell& c : cells) {
    network = std::max(network, c.network->name.size());
    system = std::max(system, system_of(axes, c.npu).size());
  }
  std::string out =
      fmt::format("{:<{}}  {:<{}} {:>12} {:>12} {:>14} {:>14} {:>12} {:>7}\n", "network", network, "accelerator",
                  system, "SRAM limit", "SRAM", "NPU active", "cycles in all", "us", "points");
  for (const SweepCell& c : cells)
    for (std::size_t a = 0; a < axes.arenas.size(); ++a) {
      out += fmt::format("{:<{}}  {:<{}} {:>12}", c.network->name, network, system_of(axes, c.npu), system,
                         limit_text(axes.arenas[a]));
      if (c.fits[a] < 0) {
        out += c.points.empty()
                   ? fmt::format(" none: {}\n", c.reason)
                   : fmt::format(" does not fit, the smallest schedule takes {} bytes\n", grouped(c.points[0].bytes()));
        continue;
      }
      const auto i = index(c.fits[a]);
      out += fmt::format(" {:>12} {:>14} {:>14} {:>12.1f} {:>7}\n", grouped(c.points[i].bytes()),
                         grouped(c.times[i].active), grouped(c.times[i].total), c.times[i].total_us, c.points.size());
    }
  std::set<std::string> notes;
  for (const SweepCell& c : cells) notes.insert(unvalidated_line(c.npu.acc()));
  for (const std::string& note : notes) out += note;
  return out;
}

ordered_json npu_sweep_json(const SweepAxes& axes, const std::vector<SweepCell>& cells) {
  ordered_json list = ordered_json::array();
  for (const SweepCell& c : cells) {
    ordered_json points = ordered_json::array();
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      ordered_json p = npu_json(c.points[i].compiled, c.points[i].simulated, c.times[i]);
      for (const char* said : {"format", "network", "accelerator", "memory_mode", "unvalidated"}) p.erase(said);
      p.erase("system");
      for (auto& o : p["operators"]) o.erase("operations");
      p["from"] = c.points[i].origin;
      points.push_back(std::move(p));
    }
    list.push_back({{"network", c.network->name},
                    {"system", system_of(axes, c.npu)},
                    {"accelerator", c.npu.acc().name},
                    {"system_config", c.npu.system->name},
                    {"memory_mode", name_of(c.npu.mode)},
                    {"clock_hz", c.npu.system->clock_hz},
                    {"points", std::move(points)},
                    {"fits", c.fits}});
    if (const auto note = unvalidated(c.npu.acc()); !note.empty()) list.back()["unvalidated"] = note;
  }
  ordered_json parts = ordered_json::array(), causes = ordered_json::array();
  for (int p = 0; p < hw::ethos_u::kParts; ++p) parts.push_back(name_of(static_cast<hw::ethos_u::Part>(p)));
  for (int w = 0; w < hw::ethos_u::kWaits; ++w) causes.push_back(name_of(static_cast<hw::ethos_u::Wait>(w)));
  return {{"format", 1},
          {"parts", std::move(parts)},
          {"causes", std::move(causes)},
          {"cpu", axes.cpu->name},
          {"hand_over_cycles", axes.hand_over},
          {"arenas", axes.arenas},
          {"cells", std::move(list)}};
}

std::string npu_page(const SweepAxes& axes, const std::vector<SweepCell>& cells) {
  static constexpr std::array kScripts = {"network.js", "npu.js"};
  auto page = page_of("npu", "dse npu", kScripts);
  fill_slot(page, "/*slot:data*/", page_text(nlohmann::json(npu_sweep_json(axes, cells))));
  return page;
}

}  // namespace dse::reports
