// Algorithm 4: from layers with parts to channels with rates.
#include <fmt/format.h>

#include "methods/dataflow/csdf.h"

namespace dse::plan::phases {
namespace {

/// Rows of the edge's tensor after `end` of the maker's `rows` output rows. They are the same rows but where a layer
/// has outputs of several heights.
std::int64_t rows_made(const Edge& e, std::int64_t end, std::int64_t rows) {
  return e.rows == rows ? end : e.rows * end / rows;
}

std::string channel_name(const LayerGraph& g, std::size_t edge) {
  // Numbered as the edge is: names of layers may be the same, or hold what a name in a file may not.
  return fmt::format("c{}_{}_{}", edge, g.edges[edge].from + 1, g.edges[edge].to + 1);
}

struct Rows {
  std::vector<std::int64_t> made, needed, released;  // after, before and after each phase
};

Rows rows_of(const LayerGraph& g, const Parts& parts, const Edge& e) {
  Rows r;
  const auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
  for (const auto end : parts.ends[from]) r.made.push_back(rows_made(e, end, g.layers[from].rows));
  for (const auto end : parts.ends[to]) {
    r.needed.push_back(rows_needed(e, end, g.layers[to].rows));
    r.released.push_back(rows_released(e, end, g.layers[to].rows));
  }
  return r;
}

std::vector<std::int64_t> steps(const std::vector<std::int64_t>& sums, std::int64_t factor) {
  std::vector<std::int64_t> out;
  std::int64_t before = 0;
  for (const auto s : sums) out.push_back((s - before) * factor), before = s;
  return out;
}

}  // namespace

CsdfGraph to_csdf(const LayerGraph& g, const Parts& parts, std::int64_t bytes_per_element) {
  CsdfGraph out;
  out.name = g.name;
  for (std::size_t i = 0; i < g.layers.size(); ++i)
    out.actors.push_back({g.layers[i].name, parts.phases(static_cast<int>(i))});
  std::vector<CsdfChannel> loops;
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    const Edge& e = g.edges[i];
    const Rows r = rows_of(g, parts, e);
    out.channels.push_back({channel_name(g, i), e.from, e.to, steps(r.made, e.row_elements),
                            steps(r.needed, e.row_elements), 0, bytes_per_element});
    CsdfChannel loop{fmt::format("r{}_{}", i, e.to + 1), e.to, e.to, {}, {}, 0, bytes_per_element};
    std::int64_t kept = 0, most = 0;
    for (std::size_t p = 0; p < r.needed.size(); ++p) {
      loop.consumption.push_back(kept);
      kept = (r.needed[p] - r.released[p]) * e.row_elements;
      loop.production.push_back(kept);
      most = std::max(most, kept);
    }
    if (most > 0) loops.push_back(std::move(loop));
  }
  out.channels.insert(out.channels.end(), loops.begin(), loops.end());
  return out;
}

Flow window_flow(const LayerGraph& g, const Parts& parts, std::int64_t bytes_per_element) {
  Flow f;
  for (std::size_t i = 0; i < g.layers.size(); ++i)
    f.actors.push_back({g.layers[i].name, parts.phases(static_cast<int>(i))});
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    const Edge& e = g.edges[i];
    Rows r = rows_of(g, parts, e);
    f.channels.push_back({channel_name(g, i), e.from, e.to, std::move(r.made), std::move(r.needed),
                          std::move(r.released), 0, e.row_elements * bytes_per_element});
  }
  f.index();
  return f;
}

}  // namespace dse::plan::phases
