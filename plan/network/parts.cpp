#include "plan/network/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostics.h"

namespace dse::plan::phases {
namespace {

std::vector<std::int64_t> row_by_row(const Layer& l) {
  if (l.at_once) return {l.rows};
  std::vector<std::int64_t> ends(static_cast<std::size_t>(l.rows));
  std::iota(ends.begin(), ends.end(), std::int64_t{1});
  return ends;
}

std::vector<std::int64_t> even(std::int64_t rows, std::int64_t phases) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (std::int64_t p = 0; p < phases; ++p) ends.push_back(end += rows / phases + (p < rows % phases ? 1 : 0));
  return ends;
}

/// What the consumer of `e` needs phase by phase, if a layer can deliver that in phases of at least a row each.
std::optional<std::vector<std::int64_t>> demanded(const Edge& e, const std::vector<std::int64_t>& consumer) {
  std::vector<std::int64_t> ends;
  for (const auto end : consumer) {
    const auto need = rows_needed(e, end, consumer.back());
    if (need <= (ends.empty() ? 0 : ends.back())) return std::nullopt;
    ends.push_back(need);
  }
  return ends;
}

}  // namespace

std::int64_t Parts::total(const LayerGraph& g) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (!g.layers[i].source) sum += static_cast<std::int64_t>(ends[i].size());
  return sum;
}

Parts minimum_parts(const LayerGraph& g) {
  Parts parts;
  for (const auto& l : g.layers) parts.ends.push_back(row_by_row(l));
  return parts;
}

Parts whole_layers(const LayerGraph& g) {
  Parts parts;
  for (const auto& l : g.layers) parts.ends.push_back({l.rows});
  return parts;
}

std::optional<Parts> parts_of(const LayerGraph& g, const std::vector<PhaseCount>& counts, std::string& why) {
  if (counts.size() != g.layers.size()) {
    why = fmt::format("{} phases are given for {} inputs and layers", counts.size(), g.layers.size());
    return std::nullopt;
  }
  std::vector<int> readers(g.layers.size());
  std::vector<const Edge*> reader(g.layers.size());
  for (const auto& e : g.edges)
    ++readers[static_cast<std::size_t>(e.from)], reader[static_cast<std::size_t>(e.from)] = &e;
  Parts parts;
  parts.ends.resize(g.layers.size());
  for (std::size_t i = g.layers.size(); i-- > 0;) {  // consumers first
    const Layer& l = g.layers[i];
    const auto& given = counts[i].count;
    if (!given) {
      parts.ends[i] = row_by_row(l);
      continue;
    }
    if (*given < 1 || *given > l.rows) {
      why = fmt::format("layer '{}' cannot have {} phases: it has {} rows", l.name, *given, l.rows);
      return std::nullopt;
    }
    parts.ends[i] = even(l.rows, *given);
    if (readers[i] != 1) continue;
    const auto& consumer = parts.ends[static_cast<std::size_t>(reader[i]->to)];
    if (static_cast<std::int64_t>(consumer.size()) != *given) continue;
    if (auto ends = demanded(*reader[i], consumer); ends && ends->back() == l.rows) parts.ends[i] = std::move(*ends);
  }
  return parts;
}

std::int64_t rows_needed(const Edge& e, std::int64_t end, std::int64_t rows) {
  const Window& w = e.window;
  if (end >= rows || w.whole) return e.rows;
  return std::clamp<std::int64_t>((end - 1) * w.stride + w.kernel - w.pad, 0, e.rows);
}

std::int64_t rows_released(const Edge& e, std::int64_t end, std::int64_t rows) {
  const Window& w = e.window;
  if (end >= rows) return e.rows;
  if (w.whole) return 0;
  return std::clamp<std::int64_t>(end * w.stride - w.pad, 0, rows_needed(e, end, rows));
}

}  // namespace dse::plan::phases
