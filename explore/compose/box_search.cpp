#include "explore/compose/box_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "explore/compose/assemble.h"
#include "explore/compose/caps.h"

namespace dse::explore {
namespace {

constexpr std::size_t kRelaxedLabels = 64;
constexpr std::size_t kMaxBeaten = 4000;
constexpr std::size_t kFewTails = 12;

/// By one part in `tolerance`.
std::vector<std::int64_t> less(std::vector<std::int64_t> values, std::int64_t tolerance) {
  for (auto& v : values) v -= (v + tolerance - 1) / tolerance;
  return values;
}

}  // namespace

BoxSearch::BoxSearch(const Space& space, const std::vector<LayerFront>& layers, const SectionGraph& graph,
                     const Goal& goal, const CompositionOptions& options)
    : space_(space),
      layers_(layers),
      graph_(graph),
      goal_(goal),
      asked_(options),
      incumbents_(static_cast<int>(goal.objectives.size())),
      left_(static_cast<int>(goal.objectives.size())),
      judges_(static_cast<int>(goal.objectives.size())) {
  plain_ = goal.objectives.size() == 2 && goal.objectives[0].name == "memory" && goal.objectives[1].name == "latency";
}

CompositionFront BoxSearch::run() {
  result_.infeasible_reason = graph_.infeasible_reason;
  result_.exact = graph_.all_orders;
  if (!result_.infeasible_reason.empty()) return std::move(result_);
  caps_ = caps_of(space_, graph_, goal_, result_.infeasible_reason);
  if (std::any_of(caps_.begin(), caps_.end(), [](const auto& values) { return values.empty(); }))
    return std::move(result_);
  set_problem();
  warm_up();
  solver_ = LabelSolver::make(problem_);
  search();
  if (ended_) look_again();
  result_.labels += solver_->labels();
  result_.exact = result_.exact && !asked_.relaxed && !solver_->cut() && graph_.all_orders;
  for (const auto& i : judges_.sorted()) leave(i.values);
  bounded_ = bounded_ && graph_.all_orders && (asked_.relaxed || !solver_->cut());
  for (const auto& i : thinned()) {
    result_.points.push_back(composition(i));
    leave(i.values);
  }
  std::size_t edges = 0;
  for (const auto& section : graph_.sections) edges += section.size();
  log_debug(fmt::format("composed {} layers over {} edges: {} points, {} boxes, {} labels, {} steps{}",
                        graph_.sections.size(), edges, result_.points.size(), result_.boxes, result_.labels,
                        solver_->steps(), tolerant_ ? ", tolerant" : ""));
  if (bounded_)
    for (const auto& i : left_.sorted()) result_.bound.push_back(i.values);
  return std::move(result_);
}

/// The plans in hand; where the search was tolerant only as many as stand for all of them.
std::vector<Incumbent> BoxSearch::thinned() const {
  auto all = incumbents_.sorted();
  if (!tolerant_) return all;
  Incumbents kept(static_cast<int>(goal_.objectives.size()));
  std::erase_if(all, [&](const Incumbent& i) {
    if (kept.beaten(i.values.data())) return true;
    kept.insert({less(i.values, asked_.tolerance), {}});
    return false;
  });
  return all;
}

void BoxSearch::set_problem() {
  problem_ = problem_of(goal_, graph_, caps_);
  problem_.merge = asked_.relaxed;
  problem_.max_labels =
      std::max<std::size_t>(1, asked_.relaxed ? std::min(asked_.max_labels, kRelaxedLabels) : asked_.max_labels);
  if (problem_.sums.size() >= 3)
    problem_.max_labels = std::min(problem_.max_labels, affordable_labels(graph_, kFewLabels));
  if (problem_.sums.size() == 2) problem_.tails = kFewTails;
  problem_.all_labels =
      static_cast<std::size_t>(std::max<std::int64_t>(1, asked_.memory / 2 / LabelSolver::kLabelBytes));
  problem_.stop = [this] { return stopped(); };
  options_ = 0;
  for (const auto& section : graph_.sections)
    for (const auto& e : section) options_ += static_cast<std::int64_t>(graph_.of(e).size());
}

/// All caps; of memories whose bytes matter to no objective and no limit only the highest.
void BoxSearch::set_ranges(Box& all) const {
  for (std::size_t m = 0; m < caps_.size(); ++m) {
    const auto counts = [&](const LinearForm& f) {
      return std::count(f.peaks.begin(), f.peaks.end(), static_cast<int>(m)) > 0;
    };
    all.high[m] = static_cast<int>(caps_[m].size()) - 1;
    const bool matters = std::any_of(problem_.objectives.begin(), problem_.objectives.end(), counts) ||
                         std::any_of(problem_.limits.begin(), problem_.limits.end(), counts);
    all.low[m] = matters ? 0 : all.high[m];
  }
}

void BoxSearch::search() {
  Box all;
  set_ranges(all);
  queue_.push_back(all);
  first_box_ = result_.boxes;
  // Breadth first: coarse boxes give points that close the fine ones.
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    Box box = std::move(queue_[head]);
    queue_[head].ways.reset();
    ++result_.boxes;
    if (!tolerant_ && !asked_.relaxed && steps() > asked_.exact_steps) tolerate();
    if (box_limit_ > 0 && head >= box_limit_) return;
    if (stopped() || (!box.solved && !solve(box))) {
      give_up(box);
      continue;
    }
    const auto low = corner(box.low);
    const std::shared_ptr<Ways> rest(new Ways, [this](Ways* ways) {
      held_ -= static_cast<std::int64_t>(ways->size());
      delete ways;
    });
    for (const auto& way : *box.ways)
      if (open(way, low)) rest->push_back(way);
    if (rest->empty()) continue;
    held_ += static_cast<std::int64_t>(rest->size());
    box.ways = rest;
    if (held_ > asked_.memory / 4 / LabelSolver::kLabelBytes) {
      give_up(box);
      continue;
    }
    cut(box);
  }
}

bool BoxSearch::solve(Box& box) {
  if (!solver_->solve(corner(box.low), corner(box.high), judges())) return false;
  const auto low = corner(box.low);
  for (std::size_t i = 0; i < solver_->found().size(); ++i)
    if (open(solver_->found()[i], low)) accept(i);
  box.ways = std::make_shared<const Ways>(solver_->found());
  box.solved = true;
  return true;
}

/// Enters a way at its true peaks, if it keeps the limits at them.
void BoxSearch::accept(std::size_t index) {
  const auto& way = solver_->found()[index];
  for (const auto& limit : problem_.limits)
    if (value_of(limit, way.peak, way.sums) > limit.limit) return;
  Incumbent found;
  for (const auto& o : problem_.objectives) found.values.push_back(value_of(o, way.peak, way.sums));
  if (incumbents_.beaten(found.values.data())) return note_beaten(found.values);
  if (!asked_.relaxed) found.picks = solver_->picks(index);
  if (tolerant_) judges_.insert({less(found.values, asked_.tolerance), {}});
  for (const auto& dropped : incumbents_.insert(std::move(found))) note_beaten(dropped.values);
}

/// From now on plans in hand judge as if they were a little better than they are.
void BoxSearch::tolerate() {
  tolerant_ = true, result_.exact = false;
  for (const auto& i : incumbents_.sorted()) judges_.insert({less(i.values, asked_.tolerance), {}});
}

/// A plan of a box is at least as large as some way found at the upper corner, and its peaks are those of the lower
/// corner at least.
bool BoxSearch::open(const LabelSolver::Found& way, const MemoryVector& low) const {
  for (const auto& limit : problem_.limits)
    if (value_of(limit, low, way.sums) > limit.limit) return false;
  std::array<std::int64_t, 8> values{};
  for (std::size_t j = 0; j < problem_.objectives.size(); ++j)
    values[j] = value_of(problem_.objectives[j], low, way.sums);
  return !judges().beaten(values.data());
}

bool BoxSearch::all_closed(const Ways& ways, const MemoryVector& low) const {
  return std::none_of(ways.begin(), ways.end(), [&](const auto& way) { return open(way, low); });
}

/// Takes off what the ways in hand close already, if that is half of the box; else halves it.
void BoxSearch::cut(const Box& box) {
  int best = -1, widest = -1;
  int best_end = 0;
  double least = 0.5;
  for (std::size_t m = 0; m < caps_.size(); ++m) {
    const int width = box.high[m] - box.low[m] + 1;
    if (width == 1) continue;
    if (widest < 0 || width > box.high[widest] - box.low[widest] + 1) widest = static_cast<int>(m);
    int closed = box.high[m] + 1, still = box.low[m];  // from `closed` on everything is closed
    auto low = corner(box.low);
    while (closed - still > 1) {
      const int middle = still + (closed - still) / 2;
      low[m] = caps_[m][middle];
      (all_closed(*box.ways, low) ? closed : still) = middle;
    }
    const double remains = static_cast<double>(closed - box.low[m]) / width;
    if (remains <= least) least = remains, best = static_cast<int>(m), best_end = closed - 1;
  }
  if (widest < 0) return give_up(box);  // only where labels were merged or dropped
  Box low = box;
  low.solved = false;
  if (best >= 0) {
    low.high[best] = best_end;
    queue_.push_back(std::move(low));
    return;
  }
  const int middle = box.low[widest] + (box.high[widest] - box.low[widest]) / 2;
  Box high = box;  // its upper corner is the one that was solved
  low.high[widest] = middle;
  high.low[widest] = middle + 1;
  queue_.push_back(std::move(low));
  queue_.push_back(std::move(high));
}

MemoryVector BoxSearch::corner(const std::array<int, kMaxCaps>& at) const {
  MemoryVector v{};
  for (std::size_t m = 0; m < caps_.size(); ++m) v[m] = caps_[m][at[m]];
  return v;
}

/// Nothing better than this was searched.
void BoxSearch::leave(std::vector<std::int64_t> values) {
  if (!left_.beaten(values.data())) left_.insert({std::move(values), {}});
}

/// What the box may still hold stays open in the bound.
void BoxSearch::give_up(const Box& box) {
  result_.exact = false;
  if (!box.ways) {
    bounded_ = false;
    return;
  }
  const auto low = corner(box.low);
  for (const auto& way : *box.ways) {
    if (!open(way, low)) continue;
    std::vector<std::int64_t> values;
    for (const auto& o : problem_.objectives) values.push_back(value_of(o, low, way.sums));
    leave(std::move(values));
  }
}

Composition BoxSearch::composition(const Incumbent& found) const {
  Composition c;
  c.values = found.values;
  if (found.picks.empty()) {
    for (std::size_t j = 0; j < goal_.objectives.size(); ++j) {
      const auto& o = goal_.objectives[j];
      if (o.name == "memory") c.memory = found.values[j];
      if (o.cost >= 0) c.costs[o.cost] = found.values[j];
    }
    return c;
  }
  c = assemble(space_, graph_, layers_, found.picks);
  c.values = found.values;
  return c;
}

void BoxSearch::note_beaten(const std::vector<std::int64_t>& values) {
  if (plain_ && !asked_.relaxed && result_.beaten.size() < kMaxBeaten) result_.beaten.push_back({values[0], values[1]});
}

}  // namespace dse::explore
