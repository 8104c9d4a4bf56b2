#include "methods/memory/least.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "methods/memory/layer_order.h"

namespace dse::plan::shared {
namespace {

constexpr int kMostCovered = 200;  // layers
constexpr int kMostTogether = 100;

/// Plans whose arenas are tried: a load somewhat above the least may fit better.
constexpr int kSlackPercent = 10;
constexpr std::size_t kMostTried = 4;
constexpr std::int64_t kMostIdle = 10;  // a tenth of the load

constexpr std::int64_t kMoves = 200, kNodes = 20'000;
constexpr std::size_t kMostSearched = 500;  // blocks: beyond, the exact search finds nothing in kNodes

alloc::Effort effort_for(const std::vector<Block>& blocks) {
  const auto count = blocks.size();
  return {std::clamp<std::int64_t>(400'000 / static_cast<std::int64_t>(count + 1), 20, kMoves),
          count <= kMostSearched ? kNodes : 0,
          {}};
}

void lay_out(SharedPlan& p, std::int64_t bytes_per_element, Placement placement) {
  const auto blocks = blocks_of(p.schedule, bytes_per_element, placement);
  p.placed = place(p.schedule, bytes_per_element, placement, 1, effort_for(blocks));
}

bool better(const SharedPlan& a, const std::optional<SharedPlan>& b) {
  return !b || std::pair(a.arena(), a.load) < std::pair(b->arena(), b->load);
}

class Search {
 public:
  Search(Input input, std::int64_t bytes_per_element) : input_(input), bytes_(bytes_per_element) {}

  void add(const phases::LayerGraph& g) {
    auto by_load = plans(g, false), by_rings = plans(g, true);
    const auto least = by_load.front().load;
    const bool proven = by_load.front().proven_least;
    for (auto* some : {&by_load, &by_rings})
      for (SharedPlan& p : *some) p.proven_least = proven && p.load == least;
    offer(by_load.front());
    for (SharedPlan& p : by_rings) offer(p);
    // The least load wherever it fits well; else a load that is somewhat higher may fit better.
    for (std::size_t i = 1; i < by_load.size() && best_->arena() > least + least / kMostIdle; ++i) offer(by_load[i]);
  }
  LeastMemory result() && { return {std::move(*best_), std::move(*rings_)}; }

 private:
  void offer(SharedPlan& p) {
    for (const Placement placement : {Placement::rings, Placement::ring_rows, Placement::rows}) {
      lay_out(p, bytes_, placement);
      if (placement == Placement::rings && better(p, rings_)) rings_ = p;
      if (better(p, best_)) best_ = p;
      if (p.arena() == p.load) return;
    }
  }

  /// Of peaks ascending; the first has the least.
  std::vector<SharedPlan> plans(const phases::LayerGraph& g, bool rings) const {
    PlannerOptions o;
    o.input = input_, o.bytes_per_element = bytes_, o.rings = rings;
    o.least_only = true, o.slack_percent = kSlackPercent;
    const bool large = g.layer_count() > kMostCovered;
    if (large) o.max_layers = kMostTogether, o.recompute = false, o.slack_percent = 0;
    CostModel cost;
    for (const auto& l : g.layers) cost.row.push_back(l.row_elements);
    cost.call.assign(g.layers.size(), 1);
    SegmentationFront front = plan_front(g, cost, o);
    std::vector<SharedPlan> out;
    const auto count = front.points.size(), taken = std::min(count, kMostTried);
    for (std::size_t i = 0; i < taken; ++i) {
      Segmentation& point = front.points[taken > 1 ? i * (count - 1) / (taken - 1) : 0];
      SharedPlan p;
      p.graph = g;
      p.segments = std::move(point.segments), p.cost = point.cost;
      p.schedule = expand(g, p.segments, input_);
      p.load = peak_bytes(p.schedule, bytes_);
      p.proven_least = front.exact && !large;
      out.push_back(std::move(p));
    }
    return out;
  }

  Input input_;
  std::int64_t bytes_;
  std::optional<SharedPlan> best_, rings_;
};

}  // namespace

LeastMemory least_memory(const phases::LayerGraph& graph, Input input, std::int64_t bytes_per_element) {
  Search search(input, bytes_per_element);
  const auto own = phases::in_order(graph, [&] {
    std::vector<int> order;
    for (int l = 0; l < static_cast<int>(graph.layers.size()); ++l)
      if (!graph.layers[static_cast<std::size_t>(l)].source) order.push_back(l);
    return order;
  }());
  search.add(own);
  const auto order = phases::least_layer_peak(graph, bytes_per_element).order;
  if (!std::is_sorted(order.begin(), order.end())) search.add(phases::in_order(graph, order));
  return std::move(search).result();
}

std::string describe(const phases::LayerGraph& graph, const RowSegment& segment) {
  std::vector<const phases::Layer*> layers;
  for (const auto& l : graph.layers)
    if (!l.source) layers.push_back(&l);
  const auto& first = *layers.at(static_cast<std::size_t>(segment.first));
  const auto& last = *layers.at(static_cast<std::size_t>(segment.last));
  const auto rows = segment.rows == 0   ? std::string("all rows at once")
                    : segment.rows == 1 ? std::string("a row at a time")
                                        : fmt::format("{} rows at a time", segment.rows);
  if (segment.first == segment.last) return fmt::format("{}: {}", first.name, segment.rows == 0 ? "whole" : rows);
  const auto strips = segment.strips > 1 ? fmt::format(", in {} strips of columns", segment.strips) : std::string();
  const bool each = std::any_of(segment.grain.begin(), segment.grain.end(), [](std::int64_t n) { return n > 0; });
  return fmt::format("{} to {}, {} layers by phases{}: {} of the last{}", first.name, last.name,
                     segment.last - segment.first + 1, strips, rows,
                     segment.halo == Halo::recomputed ? ", shared rows computed anew"
                     : each                           ? ", of the others row by row"
                                                      : ", of the others what that asks for");
}

}  // namespace dse::plan::shared
