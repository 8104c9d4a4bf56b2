#include "cli/common/account.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "reports/words/across.h"
#include "reports/words/causes.h"
#include "reports/words/document.h"
#include "reports/words/energy.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using reports::grouped;
using reports::RowOrder;

std::string headline(const explore::Front& front, const explore::Point& point) {
  std::string names = point.origin;
  for (const auto& m : point.marks) names += ", " + m;
  auto line = fmt::format("{} ({}) of {} on {}: {} on chip", point.id, names, front.network, front.device,
                          reports::memory_text(point.memory_bytes));
  if (point.latency_ticks > 0)
    line += fmt::format(", {} ({} cycles)", reports::latency_text(point.latency_us), grouped(point.latency_ticks));
  if (front.area_mm2) line += ", device of " + reports::area_text(*front.area_mm2);
  return line + (front.kernel_library.empty() ? "" : ", timed as " + front.kernel_library) + ", " + front.accuracy +
         "\n";
}

/// Rows of the account that stand together: a layer, or the layers of a segment.
struct Section {
  std::string segment{};  // its name; empty for a single layer
  std::vector<std::size_t> rows{};
  std::int64_t cycles = 0;
};

std::vector<Section> sections_of(const explore::Point& point, RowOrder order) {
  const auto& layers = point.run.layers;
  std::vector<Section> out;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto segment = reports::segment_of(point, l);
    if (segment.empty() || out.empty() || segment != out.back().segment) out.push_back({segment});
    out.back().rows.push_back(l);
    out.back().cycles += layers[l].total();
  }
  if (order == RowOrder::plan) return out;
  for (auto& s : out)
    std::stable_sort(s.rows.begin(), s.rows.end(),
                     [&](std::size_t a, std::size_t b) { return layers[a].total() > layers[b].total(); });
  std::stable_sort(out.begin(), out.end(), [](const Section& a, const Section& b) { return a.cycles > b.cycles; });
  return out;
}

/// Cycles per layer and cause; causes that never occur have no column. Layers that run by phases together stand under
/// their segment.
std::string account(const explore::Point& point, RowOrder order) {
  const auto& layers = point.run.layers;
  reports::Table table{{{"layer", false}, {"cycles"}}, {}, true};
  std::vector<std::size_t> causes;
  for (std::size_t c = 0; c < reports::kCauseNames.size(); ++c) {
    if (std::all_of(layers.begin(), layers.end(), [&](const auto& l) { return l.ticks[c] == 0; })) continue;
    causes.push_back(c);
    table.columns.push_back({reports::kCauseNames[c].label});
  }
  table.columns.push_back({"(hidden DMA)"});
  std::vector<std::int64_t> sums(table.columns.size() - 1, 0);
  const auto row = [&](const std::string& name, const std::vector<std::int64_t>& numbers) {
    auto& cells = table.rows.emplace_back(1, name);
    for (const auto n : numbers) cells.push_back(grouped(n));
  };
  for (const auto& section : sections_of(point, order)) {
    if (!section.segment.empty()) table.rows.push_back({section.segment});
    for (const auto l : section.rows) {
      std::vector<std::int64_t> numbers = {layers[l].total()};
      for (const auto c : causes) numbers.push_back(layers[l].ticks[c]);
      numbers.push_back(layers[l].hidden_dma);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
      row((section.segment.empty() ? "" : "  ") + reports::layer_of(point, l), numbers);
    }
  }
  ensure(layers.empty() || sums[0] == point.latency_ticks,
         fmt::format("the account adds up to {} cycles, but the latency is {}", sums[0], point.latency_ticks));
  row("sum", sums);
  return reports::as_text(table);
}

/// Nothing for a run that an older version recorded.
std::string roofline(const explore::Front& front, const explore::Point& point, RowOrder order) {
  if (point.rooflines.empty()) return {};
  return "\nroofline, by layer: cycles from the end of the one before\n" +
         reports::as_text(reports::roofline_table(front, point, order));
}

/// Nothing where one figure per memory and engine says it all.
std::string energy(const explore::Front& front, const explore::Point& point) {
  if (point.run.energy.empty()) return {};
  return "\nenergy, by cause (estimate)\n" + reports::as_text(reports::energy_table(front, point)) +
         "\nenergy, by layer, pJ (estimate)\n" + reports::as_text(reports::layer_energy_table(front, point));
}

/// What the network's file calls what the layers make, where it is another name.
std::string file_names(const explore::Point& point) {
  std::size_t width = 0;
  for (std::size_t l = 0; l < point.file_names.size(); ++l)
    if (!point.file_names[l].empty()) width = std::max(width, point.layers[l].size());
  if (width == 0) return {};
  std::string out = "\nlayers, as the network's file names what they make\n";
  for (std::size_t l = 0; l < point.file_names.size(); ++l)
    if (!point.file_names[l].empty()) out += fmt::format("  {:<{}}  {}\n", point.layers[l], width, point.file_names[l]);
  return out;
}

}  // namespace

std::string account_text(const explore::Front& front, const explore::Point& point, reports::RowOrder order) {
  std::string out = headline(front, point);
  if (point.run.failure) return out + "fails: " + point.run.failure->what + "\n";
  out += "\nplan\n";
  for (const auto& line : point.words) out += "  " + line + "\n";
  out += "\nmemories, bytes\n";
  reports::Table memories{{{"memory", false}, {"arena"}, {"read"}, {"written"}}};
  for (const auto& m : point.run.memories)
    memories.rows.push_back({front.memories.at(static_cast<std::size_t>(m.memory)).name, grouped(m.arena),
                             grouped(m.read), grouped(m.written)});
  out += as_text(memories) + "\ncycles, by layer and cause\n" + account(point, order) + roofline(front, point, order) +
         energy(front, point) + file_names(point);
  out +=
      fmt::format("\n{} tasks, program {} bytes, {} bytes resident since start-up, {}simulated bytes {}\n",
                  grouped(point.tasks), grouped(point.program_bytes), grouped(point.startup_bytes),
                  point.energy_uj ? fmt::format("{:.1f} uJ (estimate), ", *point.energy_uj) : "",
                  point.verified ? "equal the interpreter's" : "NOT compared with or not equal to the interpreter's");
  return out;
}

}  // namespace dse::cli
