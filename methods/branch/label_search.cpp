#include "methods/branch/label_search.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "base/index.h"

namespace dse::plan::branch {
Candidate candidate_of(const Graph& graph, const std::vector<Move>& moves, const Rules& rules) {
  Candidate out;
  std::vector<int> order, step_of(graph.nodes.size(), -1);
  for (const auto& move : moves) {
    const auto bytes = graph.nodes[index(move.node)].bytes;
    step_of[index(move.node)] = static_cast<int>(out.steps.size());
    out.steps.push_back({move.node, move.place, -1});
    order.push_back(move.node);
    if (move.place == Place::first || move.place == Place::second) {
      auto& size = out.operational[static_cast<std::size_t>(move.place)];
      size = std::max(size, bytes);
    }
    if (move.saved < 0) continue;
    if (out.scratch.size() <= index(move.scratch)) out.scratch.resize(index(move.scratch) + 1);
    auto& buffer = out.scratch[index(move.scratch)];
    buffer.bytes = std::max(buffer.bytes, graph.nodes[index(move.saved)].bytes);
    buffer.values.push_back(move.saved);
    out.steps[index(step_of[index(move.saved)])].scratch = move.scratch;
  }
  out.live = live_bytes(graph, order);
  out.total = out.operational_bytes() + out.scratch_bytes();
  if (rules.model == Model::liveness)
    for (const auto bytes : out.live) out.total = std::max(out.total, bytes);
  return out;
}

/// States of the exact search between two questions whether to stop: some milliseconds.
constexpr std::int64_t kAskEach = 64;

LabelSearch::LabelSearch(const Graph& graph, const Rules& rules, const Effort& effort)
    : graph_(graph),
      rules_(rules),
      effort_(effort),
      moves_(graph, rules),
      count_(static_cast<int>(graph.nodes.size())) {}

void LabelSearch::offer(const LabelSearch& other) {
  if (!other.found_ || (found_ && other.best_cost_ >= best_cost_)) return;
  best_ = other.best_, best_cost_ = other.best_cost_, found_ = true, origin_ = other.origin_;
}

void LabelSearch::beam(int width, const std::string& origin) {
  if (width == 0) width = std::clamp(60000 / std::max(count_, 1), 16, 256);
  const auto narrow = [&] { return effort_.stop && effort_.stop() ? 1 : width; };
  std::vector<Label> kept = {moves_.start()};
  std::vector<std::vector<std::pair<int, Move>>> trail;  // per step: parent in the step before, move
  for (int depth = 0; depth < count_ && !kept.empty(); ++depth) {
    std::vector<Label> next;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const auto from = next.size();
      expand(kept[i], next);
      for (auto k = from; k < next.size(); ++k) next[k].parent = static_cast<int>(i);
    }
    width = narrow();
    std::vector<std::size_t> rank(next.size());
    for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = i;
    const auto value = [&](std::size_t i) { return std::tuple(moves_.cost(next[i]), next[i].live, i); };
    std::sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    kept.clear();
    trail.emplace_back();
    std::unordered_map<std::string, std::vector<int>> seen;
    for (const auto i : rank) {
      if (static_cast<int>(kept.size()) >= width) break;
      auto& same = seen[moves_.key(next[i])];
      if (std::any_of(same.begin(), same.end(), [&](int k) { return moves_.dominates(kept[index(k)], next[i]); }))
        continue;
      same.push_back(static_cast<int>(kept.size()));
      trail.back().push_back({next[i].parent, next[i].move});
      kept.push_back(std::move(next[i]));
    }
  }
  if (kept.empty() || (found_ && moves_.cost(kept.front()) >= best_cost_)) return;
  std::vector<Move> path;
  int member = 0;
  for (auto step = trail.rbegin(); step != trail.rend(); ++step) {
    path.push_back((*step)[index(member)].second);
    member = (*step)[index(member)].first;
  }
  best_.assign(path.rbegin(), path.rend());
  best_cost_ = moves_.cost(kept.front()), found_ = true, origin_ = origin;
}

/// States that wait, the cheapest first, the deepest of those; without what others dominate.
class LabelSearch::Queue {
 public:
  explicit Queue(const Moves& moves) : moves_(moves) {}

  void add(Label&& label, const Cost& cost) {
    auto& same = by_key_[moves_.key(label)];
    for (int k : same)
      if (moves_.dominates(labels_[index(k)], label)) return;
    same.erase(std::remove_if(same.begin(), same.end(),
                              [&](int k) {
                                const bool worse = moves_.dominates(label, labels_[index(k)]);
                                if (worse) dropped_[index(k)] = true;
                                return worse;
                              }),
               same.end());
    const int id = static_cast<int>(labels_.size());
    same.push_back(id);
    open_.push({cost, -label.depth, id});
    labels_.push_back(std::move(label));
    dropped_.push_back(false);
  }

  bool empty() const { return open_.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }
  const Cost& cost() const { return std::get<0>(open_.top()); }
  /// The first one, or -1 when another state has come to dominate it.
  int take() {
    const int id = std::get<2>(open_.top());
    open_.pop();
    return dropped_[index(id)] ? -1 : id;
  }
  const Label& label(int id) const { return labels_[index(id)]; }

  std::vector<Move> path_to(int id) const {
    std::vector<Move> path;
    for (; labels_[index(id)].parent >= 0; id = labels_[index(id)].parent) path.push_back(labels_[index(id)].move);
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  using Entry = std::tuple<Cost, int, int>;  // cost, minus the depth, label
  const Moves& moves_;
  std::vector<Label> labels_;
  std::vector<bool> dropped_;
  std::unordered_map<std::string, std::vector<int>> by_key_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

std::int64_t LabelSearch::exact() {
  if (found_ && best_cost_.first <= floor_ && best_cost_.second == 0) return best_cost_.first;
  Queue queue(moves_);
  queue.add(moves_.start(), moves_.cost(moves_.start()));
  std::vector<Label> next;
  std::int64_t taken = 0;
  while (!queue.empty()) {
    const auto cost = queue.cost();
    if (found_ && cost >= best_cost_) break;  // nothing that is left is cheaper
    const bool stopped = found_ && effort_.stop && ++taken % kAskEach == 0 && effort_.stop();
    if (enough() || stopped || queue.size() >= effort_.labels) return lower(cost.first);
    const int id = queue.take();
    if (id < 0) continue;
    if (queue.label(id).depth == count_) {
      best_ = queue.path_to(id);
      best_cost_ = cost, found_ = true, origin_ = "search";
      break;
    }
    next.clear();
    expand(queue.label(id), next);
    for (auto& label : next) {
      label.parent = id;
      const auto then = moves_.cost(label);
      if (!found_ || then < best_cost_) queue.add(std::move(label), then);
    }
  }
  return found_ ? best_cost_.first : most;
}

Outcome LabelSearch::outcome(std::int64_t lower_bound) const {
  Outcome out;
  out.best = candidate_of(graph_, best_, rules_);
  out.lower_bound = lower_bound;
  out.optimal = lower_bound == best_cost_.first;
  out.origin = origin_;
  ensure(out.best.cost(rules_) == best_cost_.first, "the cost of a branch order is not what its search said");
  return out;
}

void LabelSearch::expand(const Label& label, std::vector<Label>& out) const {
  const auto place = [&](int n) { return places_ == nullptr ? Place::none : (*places_)[index(n)]; };
  if (order_ == nullptr) {
    for (int n : moves_.ready(label)) moves_.run(label, n, place(n), out);
    return;
  }
  const int n = (*order_)[index(label.depth)];
  if (moves_.may_run(label, n)) moves_.run(label, n, place(n), out);
}

std::int64_t LabelSearch::lower(std::int64_t open) const {
  return std::min(std::max(floor_, open), found_ ? best_cost_.first : most);
}

}  // namespace dse::plan::branch
