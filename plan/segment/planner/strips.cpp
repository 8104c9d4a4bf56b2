#include "plan/segment/planner/strips.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.h"

namespace dse::plan::shared {
namespace {

/// Columns of a tensor that is `extent` wide which the reader's columns `of` need.
Columns read_by(const phases::Window& w, const Columns& of, std::int64_t extent) {
  Columns c;
  c.begin = std::clamp<std::int64_t>(of.begin * w.stride - w.pad, 0, extent);
  c.end = std::clamp<std::int64_t>((of.end - 1) * w.stride + w.kernel - w.pad, c.begin, extent);
  return c;
}

}  // namespace

std::variant<Strips, std::string> strips_of(const phases::LayerGraph& g, std::span<const int> layers,
                                            std::int64_t count, bool streamed) {
  std::vector<int> place(g.layers.size(), -1);
  for (std::size_t p = 0; p < layers.size(); ++p) place[index(layers[p])] = static_cast<int>(p);
  const auto& driver = g.layers[index(layers.back())];
  if (driver.columns < count)
    return fmt::format("{} cannot be made in {} strips: it has {} column{}", driver.name, count, driver.columns,
                       driver.columns == 1 ? "" : "s");
  std::vector<char> read(layers.size(), false);
  for (const auto& e : g.edges) {
    const int from = place[index(e.from)], to = place[index(e.to)];
    const auto& maker = g.layers[index(e.from)];
    if (from >= 0 && to < 0 && from + 1 < static_cast<int>(layers.size()))
      return fmt::format("{} is read outside its segment, which therefore cannot run in strips", maker.name);
    if (to < 0) continue;
    if (maker.source && streamed)
      return fmt::format("{} reads an input that comes in once, so it cannot run in strips",
                         g.layers[index(e.to)].name);
    if (from < 0) continue;
    if (e.window.whole || e.across.whole || e.rows != maker.rows || maker.columns < 2)
      return fmt::format("{} cannot be made in strips of columns",
                         g.layers[index(maker.columns < 2 ? e.from : e.to)].name);
    read[index(from)] = true;
  }
  for (std::size_t p = 0; p + 1 < layers.size(); ++p)
    if (const auto& l = g.layers[index(layers[p])]; l.output || !read[p])
      return fmt::format("{} is needed whole, so its segment cannot run in strips", l.name);
  Strips out;
  out.widest.assign(layers.size(), 0);
  for (std::int64_t s = 0; s < count; ++s) {
    std::vector<Columns> columns(layers.size());
    columns.back() = {driver.columns * s / count, driver.columns * (s + 1) / count};
    for (std::size_t p = layers.size() - 1; p-- > 0;) {
      auto& c = columns[p];
      const auto extent = g.layers[index(layers[p])].columns;
      c = {extent, 0};
      for (const auto& e : g.edges)
        if (e.from == layers[p] && place[index(e.to)] >= 0) {
          const auto r = read_by(e.across, columns[index(place[index(e.to)])], extent);
          if (r.count() > 0) c = {std::min(c.begin, r.begin), std::max(c.end, r.end)};
        }
      // Columns that nobody reads are made all the same, as rows are.
      c.begin = std::min(c.begin, out.columns.empty() ? 0 : out.columns.back()[p].end);
      if (s + 1 == count) c.end = extent;
      if (c.begin >= c.end)
        return fmt::format("{} has no columns in strip {} of {}", g.layers[index(layers[p])].name, s + 1, count);
    }
    for (std::size_t p = 0; p < layers.size(); ++p) out.widest[p] = std::max(out.widest[p], columns[p].count());
    out.columns.push_back(std::move(columns));
  }
  return out;
}

}  // namespace dse::plan::shared
