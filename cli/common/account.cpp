#include "cli/common/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/diagnostics.h"
#include "reports/words/causes.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using nlohmann::json;
using reports::grouped;

std::string headline(const json& front, const json& point) {
  std::string names = point.at("origin").get<std::string>();
  for (const auto& m : point.at("marks")) names += ", " + m.get<std::string>();
  auto line = fmt::format("{} ({}) of {} on {}: {} on chip", point.at("id").get<std::string>(), names,
                          front.at("network").get<std::string>(), front.at("device").get<std::string>(),
                          reports::memory_text(point.at("memory_bytes")));
  if (!point.at("latency_us").is_null())
    line += fmt::format(", {} ({} cycles)", reports::latency_text(point.at("latency_us").get<double>()),
                        grouped(point.at("latency_cycles").get<std::int64_t>()));
  const auto library = front.at("kernel_library").get<std::string>();
  return line + (library.empty() ? "" : ", timed as " + library) + ", " + front.at("accuracy").get<std::string>() +
         "\n";
}

struct Row {
  std::string name;
  std::vector<std::int64_t> cells;  // none: a heading across the columns
};

std::string table(const std::vector<std::string>& titles, const std::vector<Row>& rows) {
  std::size_t first = titles[0].size();
  std::vector<std::size_t> widths;
  for (const auto& r : rows) first = std::max(first, r.cells.empty() ? 0 : r.name.size());
  for (std::size_t c = 1; c < titles.size(); ++c) {
    widths.push_back(titles[c].size());
    for (const auto& r : rows)
      if (!r.cells.empty()) widths.back() = std::max(widths.back(), grouped(r.cells[c - 1]).size());
  }
  std::string out = fmt::format("  {:<{}}", titles[0], first);
  for (std::size_t c = 1; c < titles.size(); ++c) out += fmt::format("  {:>{}}", titles[c], widths[c - 1]);
  out += "\n";
  for (const auto& r : rows) {
    out += r.cells.empty() ? "  " + r.name + "\n" : fmt::format("  {:<{}}", r.name, first);
    if (r.cells.empty()) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) out += fmt::format("  {:>{}}", grouped(r.cells[c]), widths[c]);
    out += "\n";
  }
  return out;
}

/// Cycles per layer and cause; causes that never occur have no column. Layers that run by phases together stand under
/// their segment.
std::string account(const json& point) {
  std::vector<std::string> titles = {"layer", "cycles"};
  std::vector<const char*> causes;
  for (const auto& cause : reports::kCauseNames) {
    const bool occurs = std::any_of(point.at("account").begin(), point.at("account").end(), [&](const json& r) {
      return r.at("causes").value(cause.key, std::int64_t{0}) != 0;
    });
    if (!occurs) continue;
    causes.push_back(cause.key);
    titles.emplace_back(cause.label);
  }
  titles.emplace_back("(hidden DMA)");
  std::vector<Row> rows;
  Row sum{"sum", std::vector<std::int64_t>(titles.size() - 1, 0)};
  std::string segment;
  for (const auto& r : point.at("account")) {
    const auto phased = r.value("segment", std::string());
    if (!phased.empty() && phased != segment) rows.push_back({phased, {}});
    segment = phased;
    Row row{(phased.empty() ? "" : "  ") + r.value("layer", std::string("?")), {r.at("cycles").get<std::int64_t>()}};
    std::int64_t across = 0;
    for (const char* c : causes) {
      row.cells.push_back(r.at("causes").value(c, std::int64_t{0}));
      across += row.cells.back();
    }
    ensure(across == row.cells[0], "the causes of layer " + row.name + " do not add up to its cycles");
    row.cells.push_back(r.at("hidden_dma_cycles").get<std::int64_t>());
    for (std::size_t i = 0; i < row.cells.size(); ++i) sum.cells[i] += row.cells[i];
    rows.push_back(std::move(row));
  }
  const auto latency = point.at("latency_cycles").is_null() ? 0 : point.at("latency_cycles").get<std::int64_t>();
  ensure(rows.empty() || sum.cells[0] == latency,
         fmt::format("the account adds up to {} cycles, but the latency is {}", sum.cells[0], latency));
  rows.push_back(std::move(sum));
  return table(titles, rows);
}

/// What the network's file calls what the layers make, where it is another name.
std::string file_names(const json& point) {
  std::size_t width = 0;
  for (const auto& r : point.at("account"))
    if (r.contains("file_name")) width = std::max(width, r.value("layer", std::string("?")).size());
  if (width == 0) return {};
  std::string out = "\nlayers, as the network's file names what they make\n";
  for (const auto& r : point.at("account"))
    if (r.contains("file_name"))
      out += fmt::format("  {:<{}}  {}\n", r.value("layer", std::string("?")), width,
                         r.at("file_name").get<std::string>());
  return out;
}

}  // namespace

std::string account_text(const json& front, const json& point) {
  std::string out = headline(front, point);
  if (point.contains("failure")) return out + "fails: " + point.at("failure").get<std::string>() + "\n";
  out += "\nplan\n";
  for (const auto& line : point.at("plan_in_words")) out += "  " + line.get<std::string>() + "\n";
  out += "\nmemories, bytes\n";
  std::vector<Row> memories;
  for (const auto& m : point.at("memories"))
    memories.push_back({m.at("memory").get<std::string>(),
                        {m.at("arena_bytes").get<std::int64_t>(), m.at("read_bytes").get<std::int64_t>(),
                         m.at("written_bytes").get<std::int64_t>()}});
  out += table({"memory", "arena", "read", "written"}, memories);
  out += "\ncycles, by layer and cause\n" + account(point) + file_names(point);
  out += fmt::format(
      "\n{} tasks, program {} bytes, {} bytes resident since start-up, {:.1f} uJ (estimate), simulated bytes {}\n",
      grouped(point.at("tasks").get<std::int64_t>()), grouped(point.at("program_bytes").get<std::int64_t>()),
      grouped(point.at("startup_bytes").get<std::int64_t>()), point.at("energy_uj").get<double>(),
      point.at("verified").get<bool>() ? "equal the interpreter's"
                                       : "NOT compared with or not equal to the interpreter's");
  return out;
}

}  // namespace dse::cli
