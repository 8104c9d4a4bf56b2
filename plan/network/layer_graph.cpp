#include "plan/network/layer_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace dse::plan::phases {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 40;      // of one tensor
constexpr std::int64_t max_all_elements = std::int64_t{1} << 57;  // of all: sums of bytes stay far from overflow

bool too_large(std::int64_t rows, std::int64_t row_elements) {
  return rows < 1 || row_elements < 1 || rows > max_elements || row_elements > max_elements / rows;
}

}  // namespace

std::int64_t LayerGraph::layer_count() const {
  return std::count_if(layers.begin(), layers.end(), [](const Layer& l) { return !l.source; });
}

std::string defect_of(const LayerGraph& g) {
  const int count = static_cast<int>(g.layers.size());
  std::vector<bool> fed(g.layers.size());
  std::int64_t rows = 0, elements = 0;
  const auto add = [&](std::int64_t more) { return (elements += more) <= max_all_elements; };
  auto beyond = fmt::format("the layers and their inputs have more than {} elements", max_all_elements);
  for (const auto& l : g.layers) {
    if (too_large(l.rows, l.row_elements))
      return fmt::format("layer '{}' has {} rows of {} elements", l.name, l.rows, l.row_elements);
    if (l.rows > max_rows - rows) return fmt::format("the layers have more than {} rows", max_rows);
    rows += l.rows;
    if (!add(l.rows * l.row_elements)) return beyond;
  }
  for (const auto& e : g.edges) {
    if (e.from < 0 || e.to >= count || e.from >= e.to)
      return fmt::format("an edge leads from layer {} to layer {}", e.from, e.to);
    const auto& to = g.layers[static_cast<std::size_t>(e.to)];
    if (to.source) return fmt::format("source '{}' has an input", to.name);
    if (too_large(e.rows, e.row_elements))
      return fmt::format("the input of layer '{}' has {} rows of {} elements", to.name, e.rows, e.row_elements);
    if (!add(e.elements())) return beyond;
    const Window& w = e.window;
    if (!w.whole && (w.kernel < 1 || w.stride < 1 || w.kernel > max_elements || w.stride > max_elements ||
                     w.pad > max_elements || w.pad < -max_elements))
      return fmt::format("layer '{}' has a window of {} rows that advances by {}", to.name, w.kernel, w.stride);
    fed[static_cast<std::size_t>(e.to)] = true;
  }
  for (std::size_t i = 0; i < g.layers.size(); ++i)
    if (!fed[i] && !g.layers[i].source) return fmt::format("layer '{}' has no input", g.layers[i].name);
  return {};
}

LayerGraph fuse_elementwise(const LayerGraph& g) {
  const std::size_t count = g.layers.size();
  std::vector<int> readers(count), input(count, -1), inputs(count), into(count);
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    ++readers[static_cast<std::size_t>(g.edges[i].from)];
    ++inputs[static_cast<std::size_t>(g.edges[i].to)];
    input[static_cast<std::size_t>(g.edges[i].to)] = static_cast<int>(i);
  }
  LayerGraph out;
  out.name = g.name;
  std::vector<bool> dropped(g.edges.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& l = g.layers[i];
    if (l.elementwise && inputs[i] == 1) {
      const Edge& e = g.edges[static_cast<std::size_t>(input[i])];
      const auto from = static_cast<std::size_t>(e.from);
      const Layer& maker = g.layers[from];
      if (!maker.source && !maker.output && readers[from] == 1 && e.rows == l.rows &&
          e.row_elements == l.row_elements) {
        dropped[static_cast<std::size_t>(input[i])] = true;
        into[i] = into[from];
        out.layers[static_cast<std::size_t>(into[i])].output = l.output;
        continue;
      }
    }
    into[i] = static_cast<int>(out.layers.size());
    out.layers.push_back(l);
  }
  for (std::size_t i = 0; i < g.edges.size(); ++i) {
    if (dropped[i]) continue;
    Edge e = g.edges[i];
    e.from = into[static_cast<std::size_t>(e.from)], e.to = into[static_cast<std::size_t>(e.to)];
    out.edges.push_back(e);
  }
  return out;
}

}  // namespace dse::plan::phases
