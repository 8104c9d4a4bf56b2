#include "plan/branch/search.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

#include "plan/branch/label.h"
#include "plan/branch/rules.h"

namespace dse::plan::branch {
namespace {

using Cost = std::pair<std::int64_t, std::int64_t>;
constexpr auto most = std::numeric_limits<std::int64_t>::max();

/// The candidate behind a chain of moves.
Candidate candidate_of(const Graph& graph, const std::vector<Move>& moves, const Rules& rules) {
  Candidate out;
  std::vector<int> order, step_of(graph.nodes.size(), -1);
  for (const auto& move : moves) {
    const auto bytes = graph.nodes[static_cast<std::size_t>(move.node)].bytes;
    step_of[static_cast<std::size_t>(move.node)] = static_cast<int>(out.steps.size());
    out.steps.push_back({move.node, move.place, -1});
    order.push_back(move.node);
    if (move.place == Place::first || move.place == Place::second) {
      auto& size = out.operational[static_cast<std::size_t>(move.place)];
      size = std::max(size, bytes);
    }
    if (move.saved < 0) continue;
    const auto at = static_cast<std::size_t>(move.scratch);
    if (out.scratch.size() <= at) out.scratch.resize(at + 1);
    auto& buffer = out.scratch[at];
    buffer.bytes = std::max(buffer.bytes, graph.nodes[static_cast<std::size_t>(move.saved)].bytes);
    buffer.values.push_back(move.saved);
    out.steps[static_cast<std::size_t>(step_of[static_cast<std::size_t>(move.saved)])].scratch = move.scratch;
  }
  out.live = live_bytes(graph, order);
  out.total = out.operational_bytes() + out.scratch_bytes();
  if (rules.model == Model::liveness)
    for (const auto bytes : out.live) out.total = std::max(out.total, bytes);
  return out;
}

class Search {
 public:
  Search(const Graph& graph, const Rules& rules, const Effort& effort)
      : graph_(graph),
        rules_(rules),
        effort_(effort),
        moves_(graph, rules),
        count_(static_cast<int>(graph.nodes.size())) {}

  void fix_order(const std::vector<int>& order) { order_ = &order; }
  void fix_places(const std::vector<Place>& places) { places_ = &places; }
  void set_floor(std::int64_t floor) { floor_ = floor; }
  void set_enough(std::int64_t enough) { enough_ = enough; }

  bool found() const { return found_; }
  Cost cost() const { return best_cost_; }
  void offer(const Search& other, const std::string& origin) {
    if (!other.found_ || (found_ && other.best_cost_ >= best_cost_)) return;
    best_ = other.best_, best_cost_ = other.best_cost_, found_ = true, origin_ = origin;
  }

  /// Keeps `width` states per step; 0: what the effort says.
  void beam(int width, const std::string& origin) {
    if (width == 0) width = std::clamp(60000 / std::max(count_, 1), 16, 256);
    std::vector<Label> kept = {moves_.start()};
    std::vector<std::vector<std::pair<int, Move>>> trail;  // per step: parent in the step before, move
    for (int depth = 0; depth < count_ && !kept.empty(); ++depth) {
      std::vector<Label> next;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto from = next.size();
        expand(kept[i], next);
        for (auto k = from; k < next.size(); ++k) next[k].parent = static_cast<int>(i);
      }
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
        if (std::any_of(same.begin(), same.end(),
                        [&](int k) { return moves_.dominates(kept[static_cast<std::size_t>(k)], next[i]); }))
          continue;
        same.push_back(static_cast<int>(kept.size()));
        trail.back().push_back({next[i].parent, next[i].move});
        kept.push_back(std::move(next[i]));
      }
    }
    if (kept.empty() || (found_ && moves_.cost(kept.front()) >= best_cost_)) return;
    std::vector<Move> path;
    for (int at = 0, depth = count_ - 1; depth >= 0; --depth) {
      const auto& [parent, move] = trail[static_cast<std::size_t>(depth)][static_cast<std::size_t>(at)];
      path.push_back(move), at = parent;
    }
    best_.assign(path.rbegin(), path.rend());
    best_cost_ = moves_.cost(kept.front()), found_ = true, origin_ = origin;
  }

  /// Best first. @returns the lower bound that it proves.
  std::int64_t exact() {
    if (found_ && best_cost_.first <= floor_ && best_cost_.second == 0) return best_cost_.first;
    std::vector<Label> labels;
    std::unordered_map<std::string, std::vector<int>> by_key;
    std::vector<bool> dropped;
    using Entry = std::tuple<Cost, int, int>;  // cost, minus the depth, label
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    const auto keep = [&](Label&& label) {
      const auto cost = moves_.cost(label);
      if (found_ && cost >= best_cost_) return;
      auto& same = by_key[moves_.key(label)];
      for (int k : same)
        if (moves_.dominates(labels[static_cast<std::size_t>(k)], label)) return;
      same.erase(std::remove_if(same.begin(), same.end(),
                                [&](int k) {
                                  const bool worse = moves_.dominates(label, labels[static_cast<std::size_t>(k)]);
                                  if (worse) dropped[static_cast<std::size_t>(k)] = true;
                                  return worse;
                                }),
                 same.end());
      const int id = static_cast<int>(labels.size());
      same.push_back(id);
      open.push({cost, -label.depth, id});
      labels.push_back(std::move(label));
      dropped.push_back(false);
    };
    keep(moves_.start());
    std::vector<Label> next;
    while (!open.empty()) {
      const auto [cost, depth, id] = open.top();
      if (found_ && cost >= best_cost_) break;  // nothing that is left is cheaper
      if (found_ && best_cost_.first <= enough_) return lower(cost.first);
      if (static_cast<std::int64_t>(labels.size()) >= effort_.labels) return lower(cost.first);
      open.pop();
      if (dropped[static_cast<std::size_t>(id)]) continue;
      labels_ = static_cast<std::int64_t>(labels.size());
      if (-depth == count_) {
        std::vector<Move> path;
        for (int at = id; labels[static_cast<std::size_t>(at)].parent >= 0;
             at = labels[static_cast<std::size_t>(at)].parent)
          path.push_back(labels[static_cast<std::size_t>(at)].move);
        best_.assign(path.rbegin(), path.rend());
        best_cost_ = cost, found_ = true, origin_ = "search";
        break;
      }
      next.clear();
      expand(labels[static_cast<std::size_t>(id)], next);
      for (auto& label : next) label.parent = id, keep(std::move(label));
    }
    labels_ = static_cast<std::int64_t>(labels.size());
    return found_ ? best_cost_.first : most;
  }

  Outcome outcome(std::int64_t lower_bound) const {
    Outcome out;
    out.best = candidate_of(graph_, best_, rules_);
    out.lower_bound = lower_bound;
    out.optimal = lower_bound == best_cost_.first;
    out.labels = labels_;
    out.origin = origin_;
    ensure(out.best.cost(rules_) == best_cost_.first, "the cost of a branch order is not what its search said");
    return out;
  }

 private:
  void expand(const Label& label, std::vector<Label>& out) const {
    const auto place = [&](int n) {
      return places_ == nullptr ? Place::none : (*places_)[static_cast<std::size_t>(n)];
    };
    const auto ready = moves_.ready(label);
    if (order_ == nullptr) {
      if (const int n = moves_.safe(label, ready); n >= 0) return moves_.run(label, n, Place::none, out);
      for (int n : ready) moves_.run(label, n, place(n), out);
      return;
    }
    const int n = (*order_)[static_cast<std::size_t>(label.depth)];
    if (std::find(ready.begin(), ready.end(), n) != ready.end()) moves_.run(label, n, place(n), out);
  }
  std::int64_t lower(std::int64_t open) const {
    return std::min(std::max(floor_, open), found_ ? best_cost_.first : most);
  }

  const Graph& graph_;
  Rules rules_;
  Effort effort_;
  Moves moves_;
  int count_;
  const std::vector<int>* order_ = nullptr;
  const std::vector<Place>* places_ = nullptr;  // by node
  std::int64_t floor_ = 0, enough_ = -1, labels_ = 0;
  std::vector<Move> best_;
  Cost best_cost_{most, most};
  bool found_ = false;
  std::string origin_;
};

std::int64_t largest_of(const Graph& graph) {
  std::int64_t out = 0;
  for (const auto& node : graph.nodes) out = std::max(out, node.bytes);
  return out;
}

}  // namespace

std::int64_t floor_of(const Graph& graph, const Rules& rules, const Effort& effort) {
  if (rules.objective == Objective::operational && rules.model != Model::liveness)
    return rules.model == Model::direct_to_scratch ? 0 : largest_of(graph);
  Search search(graph, {Model::liveness, Objective::with_scratch, rules.interrupt, true}, effort);
  search.set_floor(largest_step(graph));
  search.beam(effort.beam, "beam search");
  return search.exact();
}

Outcome best_order(const Graph& graph, const Rules& rules, const Effort& effort, std::optional<std::int64_t> limit) {
  Search search(graph, rules, effort);
  search.set_floor(rules.model == Model::liveness ? largest_step(graph) : floor_of(graph, rules, effort));
  if (limit) search.set_enough(*limit);
  std::vector<int> file(graph.nodes.size());
  for (std::size_t i = 0; i < file.size(); ++i) file[i] = static_cast<int>(i);
  const auto freed = freed_memory_order(graph);
  const auto offer = [&](const std::vector<int>& order, const std::string& origin) {
    Search fixed(graph, rules, effort);
    fixed.fix_order(order);
    fixed.beam(effort.beam, origin);
    search.offer(fixed, origin);
  };
  offer(file, "file order");
  offer(freed, "freed-memory rule");
  if (!(limit && search.found() && search.cost().first <= *limit)) search.beam(effort.beam, "beam search");
  const auto bound = search.exact();
  return search.outcome(bound);
}

std::optional<Outcome> best_places(const Graph& graph, const std::vector<int>& order, const Rules& rules,
                                   const Effort& effort) {
  if (order.size() != graph.nodes.size()) return std::nullopt;
  Search search(graph, rules, effort);
  search.fix_order(order);
  std::int64_t floor = 0;
  if (rules.objective == Objective::with_scratch || rules.model == Model::liveness)
    for (const auto bytes : live_bytes(graph, order)) floor = std::max(floor, bytes);
  search.set_floor(floor);
  search.beam(effort.beam, "beam search");
  if (!search.found()) return std::nullopt;
  const auto bound = search.exact();
  return search.outcome(bound);
}

std::optional<Candidate> with_places(const Graph& graph, const std::vector<int>& order,
                                     const std::vector<Place>& places, const Rules& rules) {
  if (order.size() != graph.nodes.size() || places.size() != graph.nodes.size()) return std::nullopt;
  Search search(graph, rules, {});
  search.fix_order(order);
  search.fix_places(places);
  search.beam(16, "given");
  if (!search.found()) return std::nullopt;
  const auto bound = search.exact();
  return search.outcome(bound).best;
}

}  // namespace dse::plan::branch
