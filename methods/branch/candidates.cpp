#include "methods/branch/candidates.h"

#include <algorithm>

#include "methods/branch/label.h"
#include "methods/branch/rules.h"
#include "plan/place/arena.h"

namespace dse::plan::branch {
namespace {

std::vector<int> order_of(const Candidate& candidate) {
  std::vector<int> order;
  for (const auto& step : candidate.steps) order.push_back(step.node);
  return order;
}

/// All orders, up to a number.
class Orders {
 public:
  Orders(const Graph& graph, const Rules& rules, std::int64_t most)
      : moves_(graph, {Model::liveness, Objective::with_scratch, rules.interrupt, true}),
        count_(graph.nodes.size()),
        most_(most) {
    complete_ = extend(moves_.start());
  }
  const std::vector<std::vector<int>>& list() const { return list_; }
  bool complete() const { return complete_; }

 private:
  bool extend(const Label& label) {
    if (static_cast<std::int64_t>(list_.size()) >= most_) return false;
    if (prefix_.size() == count_) {
      list_.push_back(prefix_);
      return true;
    }
    for (int n : moves_.ready(label)) {
      std::vector<Label> next;
      moves_.run(label, n, Place::none, next);
      prefix_.push_back(n);
      const bool all = extend(next.front());
      prefix_.pop_back();
      if (!all) return false;
    }
    return true;
  }

  Moves moves_;
  std::size_t count_;
  std::int64_t most_;
  std::vector<int> prefix_;
  std::vector<std::vector<int>> list_;
  bool complete_ = false;
};

}  // namespace

Listing list_candidates(const Graph& graph, const Rules& rules, const Effort& effort, const ListOptions& options) {
  Listing out;
  out.best = best_order(graph, rules, effort, options.limit >= 0 ? std::optional(options.limit) : std::nullopt);
  out.limit = options.limit;
  const auto best = order_of(out.best.best);
  const auto freed = freed_memory_order(graph);
  std::vector<int> file(graph.nodes.size());
  for (std::size_t i = 0; i < file.size(); ++i) file[i] = static_cast<int>(i);
  std::vector<std::vector<int>> compared;
  if (options.limit < 0) {
    // Comparing orders costs by the number of nodes squared; large graphs get fewer.
    const auto size = static_cast<std::int64_t>(std::max<std::size_t>(graph.nodes.size(), 1));
    const Orders orders(graph, rules, std::max<std::int64_t>(1, std::min(options.orders, 200000 / (size * size))));
    out.all_orders = orders.complete();
    compared = orders.list();
  }
  for (const auto& order : {best, freed, file})
    if (std::find(compared.begin(), compared.end(), order) == compared.end()) compared.push_back(order);
  const auto best_cost = out.best.best.cost(rules);
  Effort each = effort;
  each.labels = std::min(effort.labels, options.labels);
  for (const auto& order : compared) {
    Listed listed;
    if (order == best) {
      listed.candidate = out.best.best, listed.exact = out.best.optimal;
      listed.origin.push_back(out.best.optimal || best_cost > options.limit ? "best" : "within the limit");
    } else if (auto places = best_places(graph, order, rules, each)) {
      listed.candidate = std::move(places->best), listed.exact = places->optimal;
    } else {
      continue;
    }
    if (order == freed) listed.origin.push_back("freed-memory rule");
    if (order == file) listed.origin.push_back(graph.in_file_order ? "file order" : "sorted file");
    ++out.orders;
    out.candidates.push_back(std::move(listed));
  }
  const auto value = [&](const Listed& l) {
    return std::tuple(l.candidate.cost(rules), l.candidate.total, order_of(l.candidate) != best);
  };
  std::stable_sort(out.candidates.begin(), out.candidates.end(),
                   [&](const Listed& a, const Listed& b) { return value(a) < value(b); });
  if (options.limit < 0 && !out.candidates.empty() && out.candidates.front().candidate.cost(rules) < best_cost) {
    // One of the compared orders beats what an unfinished search has found.
    for (auto& listed : out.candidates)
      if (!listed.origin.empty() && listed.origin.front() == "best") listed.origin.erase(listed.origin.begin());
    auto& first = out.candidates.front();
    first.origin.insert(first.origin.begin(), "best");
    out.best.best = first.candidate, out.best.origin = "comparison of orders";
    out.best.optimal = out.best.lower_bound == first.candidate.cost(rules);
    first.exact = out.best.optimal;
  }
  std::size_t plain = 0;
  out.candidates.erase(
      std::remove_if(out.candidates.begin(), out.candidates.end(),
                     [&](const Listed& l) { return l.origin.empty() && plain++ >= options.candidates; }),
      out.candidates.end());
  return out;
}

Arena arena_of(const Graph& graph, const Candidate& candidate) {
  std::vector<int> step_of(graph.nodes.size());
  for (std::size_t i = 0; i < candidate.steps.size(); ++i)
    step_of[static_cast<std::size_t>(candidate.steps[i].node)] = static_cast<int>(i);
  std::vector<Block> blocks;
  std::vector<std::size_t> block_node;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto& node = graph.nodes[n];
    if (node.bytes == 0) continue;
    int last = step_of[n];
    for (int reader : node.readers) last = std::max(last, step_of[static_cast<std::size_t>(reader)]);
    if (node.kept) last = static_cast<int>(graph.nodes.size()) - 1;
    blocks.push_back({node.bytes, node.given ? 0 : step_of[n], last});
    block_node.push_back(n);
  }
  const auto layout = allocate(blocks, 1);
  Arena out;
  out.offsets.assign(graph.nodes.size(), -1);
  for (std::size_t i = 0; i < blocks.size(); ++i) out.offsets[block_node[i]] = layout.offsets[i];
  out.height = layout.height;
  out.optimal = layout.optimal;
  return out;
}

}  // namespace dse::plan::branch
