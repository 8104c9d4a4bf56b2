// From segments to steps: who is called when, and which rows are held meanwhile.
#include <algorithm>

#include "base/diagnostics.h"
#include "base/index.h"
#include "plan/segment/planner/ledger.h"
#include "plan/segment/planner/runs.h"
#include "plan/segment/planner/schedule.h"

namespace dse::plan::shared {
namespace {

/// Per position the layer.
std::vector<int> positions(const phases::LayerGraph& g) {
  std::vector<int> out;
  for (int l = 0; l < static_cast<int>(g.layers.size()); ++l)
    if (!g.layers[index(l)].source) out.push_back(l);
  return out;
}

void require(std::span<const RowSegment> segments, int count) {
  int at = 0;
  for (const RowSegment& s : segments) {
    ensure(s.first == at && s.last >= s.first && s.last < count && s.rows >= 0,
           "shared phases: segments that do not follow each other");
    ensure(s.grain.empty() || s.grain.size() == index(s.last - s.first),
           "shared phases: a grain per layer but the last");
    ensure(std::all_of(s.grain.begin(), s.grain.end(), [](std::int64_t n) { return n >= 0; }),
           "shared phases: a grain below 0");
    ensure(s.strips >= 1 && (s.strips == 1 || s.halo == Halo::cached), "shared phases: strips that cannot be");
    at = s.last + 1;
  }
  ensure(at == count, "shared phases: segments that leave layers out");
}

/// Rings for what lives within one segment.
void set_rings(const phases::LayerGraph& g, const Tensors& t, std::span<const RowSegment> segments,
               const std::vector<int>& segment_of, Input input, Schedule& s) {
  for (std::size_t i = 0; i < t.all.size(); ++i) {
    const Tensor& tensor = t.all[i];
    const bool source = g.layers[index(tensor.layer)].source;
    if (tensor.stays || (source && input != Input::streamed)) continue;
    int home = source ? -1 : segment_of[index(tensor.layer)];
    bool inside = true;
    for (const int e : tensor.edges) {
      const int reader = segment_of[index(g.edges[index(e)].to)];
      if (home < 0) home = reader;
      inside = inside && reader == home;
    }
    if (!inside) continue;
    std::int64_t most = 0;
    for (const Held& h : s.tensors[i].held) most = std::max(most, h.hi - h.lo);
    const bool narrow = home >= 0 && segments[index(home)].strips > 1;
    if (most < tensor.rows || narrow) s.tensors[i].ring = most;  // else it has a place for each row
  }
}

}  // namespace

Schedule expand(const phases::LayerGraph& graph, std::span<const RowSegment> segments, Input input) {
  const auto layers = positions(graph);
  require(segments, static_cast<int>(layers.size()));
  const Tensors tensors = tensors_of(graph);
  Ledger ledger(graph, tensors, input);
  std::vector<int> segment_of(graph.layers.size(), -1);
  for (int n = 0; n < static_cast<int>(segments.size()); ++n) {
    const RowSegment& segment = segments[index(n)];
    Group group{graph, tensors, segment, n, {}, std::vector<int>(graph.layers.size(), -1), input == Input::streamed};
    for (int p = segment.first; p <= segment.last; ++p) {
      const int l = layers[index(p)];
      group.place[index(l)] = static_cast<int>(group.layers.size());
      group.layers.push_back(l);
      segment_of[index(l)] = n;
    }
    if (segment.strips > 1) {
      auto strips = strips_of(graph, group.layers, segment.strips, group.streamed);
      ensure(std::holds_alternative<Strips>(strips), "shared phases: strips that cannot be");
      group.strips = std::move(std::get<Strips>(strips));
    }
    if (segment.halo == Halo::cached)
      run_on_demand(group, ledger);
    else
      run_anew(group, ledger);
  }
  if (input == Input::streamed)  // what the network only hands on
    for (int l = 0; l < static_cast<int>(graph.layers.size()); ++l)
      if (const auto& layer = graph.layers[index(l)]; layer.source && layer.output && ledger.made(l) < layer.rows)
        ledger.call(l, ledger.made(l), layer.rows, std::max(0, static_cast<int>(segments.size()) - 1), {});
  Schedule out = std::move(ledger).close();
  set_rings(graph, tensors, segments, segment_of, input, out);
  return out;
}

}  // namespace dse::plan::shared
