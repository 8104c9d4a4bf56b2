// Label-setting over positions. What is held between two segments depends only on the position, so that a segment can
// be weighed by itself: peaks compose by maximum, costs by sum. First the least peak; no peak below that matters
// afterwards, and no segment is tried further than its peak can still help.
#include "plan/segment/planner/planner.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/diagnostics.h"
#include "base/index.h"
#include "plan/segment/planner/meter.h"
#include "plan/segment/planner/runs.h"

namespace dse::plan::shared {
namespace {

constexpr auto kNone = std::numeric_limits<std::int64_t>::max();

/// Peak and cost of layers up to a position, and how they came about.
struct Label {
  std::int64_t peak = 0, cost = 0;
  RowSegment segment;  // the last one
  int before = -1;     // label of the position where it begins
};

/// Peaks ascending, costs descending.
class Labels {
 public:
  /// The least peak with at most this cost.
  std::int64_t peak_within(std::int64_t cost) const {
    const auto at = std::partition_point(all_.begin(), all_.end(), [&](const Label& l) { return l.cost > cost; });
    return at == all_.end() ? kNone : at->peak;
  }
  void add(Label l) {
    const auto at = std::partition_point(all_.begin(), all_.end(), [&](const Label& x) { return x.peak < l.peak; });
    if (at != all_.begin() && std::prev(at)->cost <= l.cost) return;
    if (at != all_.end() && at->peak == l.peak && at->cost <= l.cost) return;
    auto end = at;
    while (end != all_.end() && end->cost >= l.cost) ++end;
    if (at == end) {
      all_.insert(at, std::move(l));
    } else {
      *at = std::move(l);
      all_.erase(at + 1, end);
    }
  }
  const std::vector<Label>& all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  std::vector<Label> all_;
};

class Planner {
 public:
  Planner(const phases::LayerGraph& g, const CostModel& cost, const PlannerOptions& o)
      : g_(g), cost_(cost), o_(o), tensors_(tensors_of(g)) {
    const auto n = g.layers.size();
    ensure((cost.row.empty() || cost.row.size() == n) && (cost.call.empty() || cost.call.size() == n) &&
               (o.phaseable.empty() || o.phaseable.size() == n),
           "shared phases: a cost or a choice per layer");
    const auto negative = [](const std::vector<std::int64_t>& v) {
      return std::any_of(v.begin(), v.end(), [](std::int64_t c) { return c < 0; });
    };
    ensure(!negative(cost.row) && !negative(cost.call), "shared phases: a negative cost");
    if (cost_.row.empty()) cost_.row.resize(n);
    if (cost_.call.empty()) cost_.call.resize(n);
    for (int l = 0; l < static_cast<int>(n); ++l)
      if (!g.layers[index(l)].source) layers_.push_back(l);
    place_.assign(n, -1);
    Meter at(g, tensors_, o.input, o.bytes_per_element);
    starts_.push_back(at);
    for (int p = 0; p < count(); ++p) {
      run(at, {p, p, 0, {}, Halo::cached});
      starts_.push_back(at);
    }
  }

  SegmentationFront front() {
    labels_.assign(index(count()) + 1, {});
    // A rough plan bounds the least peak, the least peak bounds everything else. An early end may leave a pass without
    // a plan; then the one before counts.
    widest_ = o_.max_layers > 0 ? std::min(o_.max_layers, kRoughLayers) : kRoughLayers, rough_ = true;
    set_labels(true);
    Segmentation least = point(0);
    limit_ = least.peak + 1;
    widest_ = o_.max_layers > 0 ? o_.max_layers : count(), rough_ = false;
    if (set_labels(true)) least = point(0);
    least_ = least.peak, limit_ = o_.least_only ? least_ + least_ / 100 * o_.slack_percent + 1 : kNone;
    SegmentationFront out;
    if (set_labels(false))
      for (int i = 0; i < static_cast<int>(labels_.back().all().size()); ++i) out.points.push_back(point(i));
    out.exact = steps_ < o_.max_steps, out.steps = steps_;
    if (o_.tight && !out.points.empty()) {
      for (auto& p : out.points) set_cost(p);
      return out;
    }
    if (out.points.empty() || out.points.front().peak > least_) {
      set_cost(least);
      std::erase_if(out.points, [&](const Segmentation& p) { return p.cost >= least.cost; });
      out.points.insert(out.points.begin(), std::move(least));
    }
    return out;
  }

 private:
  int count() const { return static_cast<int>(layers_.size()); }
  bool phaseable(int position) const { return o_.phaseable.empty() || o_.phaseable[index(layers_[index(position)])]; }
  std::int64_t rows_of(int position) const { return g_.layers[index(layers_[index(position)])].rows; }
  /// Bytes held before the layer at this position.
  std::int64_t crossing(int position) const { return starts_[index(position)].live(); }

  bool run(Meter& meter, const RowSegment& s) {
    Group group{g_, tensors_, s, 0, {}, std::move(place_), o_.input == Input::streamed};
    for (int p = s.first; p <= s.last; ++p) {
      group.place[index(layers_[index(p)])] = p - s.first;
      group.layers.push_back(layers_[index(p)]);
    }
    if (s.strips > 1) {
      auto strips = strips_of(g_, group.layers, s.strips, group.streamed);
      if (auto* made = std::get_if<Strips>(&strips))
        group.strips = std::move(*made);
      else
        return leave(group), false;
    }
    meter.restart(cap_);
    const auto go = [&] { return s.halo == Halo::cached ? run_on_demand(group, meter) : run_anew(group, meter); };
    bool done = go();
    if (done && o_.rings && (s.first < s.last || s.rows > 0)) {
      std::vector<std::int64_t> rings(tensors_.all.size());
      for (const int l : group.layers) {
        for (const int t : tensors_.of_layer[index(l)]) rings[index(t)] = ring_of(group, meter, t);
        for (const int e : tensors_.ins[index(l)])
          if (const int t = tensors_.of_edge[index(e)];
              group.streamed && g_.layers[index(tensors_.all[index(t)].layer)].source)
            rings[index(t)] = ring_of(group, meter, t);
      }
      steps_ += meter.steps();
      meter = starts_[index(s.first)];
      meter.restart(cap_);
      meter.set_rings(std::move(rings));
      done = go();
    }
    leave(group);
    steps_ += meter.steps();
    return done;
  }
  void leave(Group& group) {
    place_ = std::move(group.place);
    for (const int l : group.layers) place_[index(l)] = -1;
  }

  /// Rows of a tensor's ring, 0 where it has none.
  std::int64_t ring_of(const Group& s, const Meter& m, int tensor) const {
    const Tensor& t = tensors_.all[index(tensor)];
    const bool inside =
        !t.stays && std::all_of(t.edges.begin(), t.edges.end(), [&](int e) { return s.place_of(s.edge(e).to) >= 0; });
    const bool narrow = s.segment.strips > 1 && t.layer != s.layers.back();
    return inside && (m.most(tensor) < t.rows || narrow) ? m.most(tensor) : 0;
  }
  /// What the segment costs beyond layer by layer, according to the meter that ran it.
  std::int64_t cost_of(const RowSegment& s, const Meter& m) const {
    std::int64_t sum = 0;
    for (int p = s.first; p <= s.last; ++p) {
      const auto l = index(layers_[index(p)]);
      const auto anew = m.computed(layers_[index(p)]) - g_.layers[l].rows * g_.layers[l].columns;
      sum += std::max<std::int64_t>(0, anew) * cost_.row[l] / g_.layers[l].columns +
             std::max<std::int64_t>(0, m.calls(layers_[index(p)]) - 1) * cost_.call[l];
    }
    return sum;
  }
  /// No more than cost_of().
  std::int64_t least_cost(const RowSegment& s) const {
    if (o_.tight) return std::max(crossing(s.first), crossing(s.last + 1)) * (s.last - s.first + 1);
    std::int64_t sum = 0;
    for (int p = s.first; p <= s.last; ++p) {
      const auto l = index(layers_[index(p)]);
      if (g_.layers[l].at_once) continue;
      const auto rows = p == s.last ? s.rows : s.grain.empty() ? 0 : s.grain[index(p - s.first)];
      const auto calls = rows > 0 ? (g_.layers[l].rows + rows - 1) / rows : 1;
      sum += (s.strips * calls - 1) * cost_.call[l];
    }
    return sum;
  }

  /// Tries a segment that ends before `to` where it may still be of use.
  void attempt(RowSegment s, bool least) {
    const auto& from = labels_[index(s.first)].all();
    if (from.empty()) return;
    Labels& to = labels_[index(s.last) + 1];
    // The cheapest label and the least cost: a peak at which even they are dominated is of no use.
    cap_ =
        least ? (to.all().empty() ? kNone : to.all().front().peak) : to.peak_within(from.back().cost + least_cost(s));
    cap_ = std::min(cap_, limit_);
    if (std::max({from.front().peak, crossing(s.first), crossing(s.last + 1), least_}) >= cap_) return;
    Meter& meter = trial_ ? * trial_ = starts_[index(s.first)] : trial_.emplace(starts_[index(s.first)]);
    if (steps_ >= o_.max_steps && s.first < s.last) return;
    if (!run(meter, s)) return;
    const auto peak = std::max({meter.peak(), crossing(s.last + 1), least_});
    const auto cost = least ? 0 : o_.tight ? meter.peak() * (s.last - s.first + 1) : cost_of(s, meter);
    for (int i = 0; i < static_cast<int>(from.size()); ++i)
      to.add({std::max(peak, from[index(i)].peak), cost + from[index(i)].cost, s, i});
  }

  /// All that layers first..last may do together.
  void attempt_all(int first, int last, bool least) {
    const auto all = rows_of(last);
    const auto wide = index(last - first);
    const std::vector<std::int64_t> ones(wide, 1);
    std::vector<std::int64_t> rows;  // per phase, ascending
    for (std::int64_t r = 1; r < all && !(rough_ && r > 4) && (o_.max_rows == 0 || r <= o_.max_rows); r *= 2)
      rows.push_back(r);
    rows.push_back(0);
    if (!least) std::reverse(rows.begin(), rows.end());  // cheap ones first: they spare others
    for (const auto r : rows) {
      if (wide > 0) attempt({first, last, r, ones, Halo::cached}, least);
      if (rough_) continue;
      for (std::int64_t n = 2; wide > 0 && (r == 1 || all == 1) && n <= o_.max_strips; ++n)
        attempt({first, last, r, ones, Halo::cached, n}, least);
      if (r > 0) attempt({first, last, r, {}, Halo::cached}, least);
      if (r > 0 && wide > 0 && o_.recompute) attempt({first, last, r, {}, Halo::recomputed}, least);
    }
  }

  /// Whether there is a plan of all layers.
  bool set_labels(bool least) {
    for (auto& l : labels_) l.clear();
    labels_[0].add({});
    for (int last = 0; last < count(); ++last) {
      cap_ = kNone;
      attempt({last, last, 0, {}, Halo::cached}, least);
      if (!phaseable(last)) continue;
      if (o_.lone_rows) attempt_all(last, last, least);
      for (int first = last - 1; first >= 0 && phaseable(first); --first) {
        if (last - first >= widest_) break;
        attempt_all(first, last, least);
      }
    }
    return !labels_.back().all().empty();
  }

  /// Of a plan that was found without.
  void set_cost(Segmentation& p) {
    cap_ = kNone, p.cost = 0;
    for (const RowSegment& s : p.segments) {
      Meter meter = starts_[index(s.first)];
      run(meter, s);
      p.cost += cost_of(s, meter);
    }
  }

  Segmentation point(int label) const {
    Segmentation p;
    int at = count();
    p.peak = labels_.back().all()[index(label)].peak, p.cost = labels_.back().all()[index(label)].cost;
    while (at > 0) {
      const Label& l = labels_[index(at)].all()[index(label)];
      p.segments.push_back(l.segment);
      at = l.segment.first, label = l.before;
    }
    std::reverse(p.segments.begin(), p.segments.end());
    return p;
  }

  const phases::LayerGraph& g_;
  CostModel cost_;
  const PlannerOptions& o_;
  const Tensors tensors_;
  std::vector<int> layers_;  // by position
  std::vector<int> place_;   // scratch, by layer: -1
  std::vector<Meter> starts_;
  std::optional<Meter> trial_;
  std::vector<Labels> labels_;  // by position: of the layers before it
  static constexpr int kRoughLayers = 24;
  int widest_ = 0;      // layers of a segment
  bool rough_ = false;  // only the likeliest of what a segment may do
  std::int64_t cap_ = kNone, limit_ = kNone, least_ = 0, steps_ = 0;
};

}  // namespace

SegmentationFront plan_front(const phases::LayerGraph& graph, const CostModel& cost, const PlannerOptions& options) {
  return Planner(graph, cost, options).front();
}

}  // namespace dse::plan::shared
