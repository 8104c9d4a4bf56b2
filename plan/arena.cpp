#include "plan/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/diagnostics.h"
#include "base/units.h"
#include "plan/arena_problem.h"

namespace dse::plan {
namespace {

using arena::Item;
using arena::Problem;

/// The largest sum of sizes alive in one step.
std::int64_t load_of(const std::vector<Item>& items) {
  std::map<int, std::int64_t> change;
  for (const Item& i : items) change[i.first] += i.size, change[i.last + 1] -= i.size;
  std::int64_t live = 0, load = 0;
  for (const auto& [step, delta] : change) load = std::max(load, live += delta);
  return load;
}

/// Fixed blocks taken out: their ends bound the height, and fixed blocks may cover each other.
std::int64_t floor_of(const std::vector<Item>& items) {
  std::vector<Item> free;
  std::int64_t floor = 0;
  bool fixed = false;
  for (const Item& i : items) {
    if (i.fixed >= 0) floor = std::max(floor, i.fixed + i.size), fixed = true;
    if (i.fixed < 0) free.push_back(i);
  }
  return std::max(floor, fixed ? load_of(free) : load_of(items));
}

/// Indices of the items in groups that share no step, by time.
std::vector<std::vector<int>> groups_of(const std::vector<Item>& items) {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(items.size()); ++i)
    if (items[i].size > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return items[a].first < items[b].first; });
  std::vector<std::vector<int>> groups;
  int end = -1;
  for (int i : order) {
    if (groups.empty() || items[i].first > end) groups.emplace_back(), end = items[i].last;
    groups.back().push_back(i);
    end = std::max(end, items[i].last);
  }
  return groups;
}

Problem problem_of(const std::vector<Item>& items, const std::vector<int>& group, std::int64_t goal) {
  Problem p;
  for (int i : group) p.items.push_back(items[i]);
  const int n = static_cast<int>(group.size());
  p.overlap.resize(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (a != b && p.items[a].first <= p.items[b].last && p.items[b].first <= p.items[a].last)
        p.overlap[a].push_back(b);
  p.floor = floor_of(p.items);
  p.goal = std::max(goal, p.floor);
  return p;
}

}  // namespace

Layout allocate(std::span<const Block> blocks, int alignment, const ArenaEffort& effort) {
  ensure(alignment >= 1, "arena: alignment < 1");
  std::vector<Item> items;
  for (const Block& b : blocks) {
    ensure(b.size >= 0 && b.last >= b.first, "arena: a block with a negative size or lifetime");
    Item i{ceil_div(b.size, alignment), b.first, b.last, -1};
    if (b.fixed >= 0 && b.size > 0) {  // covers every unit that it touches
      i.fixed = b.fixed / alignment;
      i.size = ceil_div(b.fixed + b.size, alignment) - i.fixed;
    }
    items.push_back(i);
  }
  Layout out;
  out.offsets.assign(blocks.size(), 0);
  out.load = load_of(items) * alignment;
  out.optimal = true;
  const auto groups = groups_of(items);
  std::int64_t goal = 0;
  for (const auto& g : groups) {
    std::vector<Item> members;
    for (int i : g) members.push_back(items[i]);
    goal = std::max(goal, floor_of(members));
  }
  std::int64_t nodes = effort.nodes;
  for (const auto& g : groups) {
    const Problem p = problem_of(items, g, goal);
    arena::Solution s = arena::place_in_orders(p, effort.local_moves);
    if (s.height > p.goal && !arena::search_exactly(p, s, nodes)) out.optimal = false;
    goal = std::max(goal, s.height);  // the other groups need not be lower than this one
    for (std::size_t k = 0; k < g.size(); ++k) out.offsets[g[k]] = s.offsets[k] * alignment;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].fixed >= 0) out.offsets[i] = blocks[i].fixed;
    out.height = std::max(out.height, out.offsets[i] + round_up(blocks[i].size, alignment));
  }
  return out;
}

}  // namespace dse::plan
