// Placement of blocks one after another, in many orders.
#include <algorithm>
#include <functional>
#include <numeric>

#include "plan/arena_problem.h"

namespace dse::plan::arena {
namespace {

enum class Fit { first, best, both_ends };

/// Places items in an order. Keeps its buffers between calls: it runs hundreds of times per problem.
class Placer {
 public:
  explicit Placer(const Problem& p) : p_(p), offset_(p.items.size(), -1) {}

  /// @returns the height; offsets are in offsets().
  std::int64_t place(const std::vector<int>& order, Fit fit) {
    std::fill(offset_.begin(), offset_.end(), -1);
    std::int64_t height = 0;
    for (std::size_t i = 0; i < p_.items.size(); ++i)
      if (p_.items[i].fixed >= 0)
        offset_[i] = p_.items[i].fixed, height = std::max(height, offset_[i] + p_.items[i].size);
    bool upper = false;
    for (int i : order) {
      if (p_.items[i].fixed >= 0) continue;
      offset_[i] = find(i, fit, upper);
      upper = !upper;
      height = std::max(height, offset_[i] + p_.items[i].size);
    }
    return height;
  }
  const std::vector<std::int64_t>& offsets() const { return offset_; }
  /// Sum over the items of what stands out above the goal: tells layouts of equal height apart.
  std::int64_t excess() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < offset_.size(); ++i)
      sum += std::max<std::int64_t>(0, offset_[i] + p_.items[i].size - p_.goal);
    return sum;
  }

 private:
  std::int64_t find(int i, Fit fit, bool upper) {
    taken_.clear();
    for (int j : p_.overlap[i])
      if (offset_[j] >= 0) taken_.push_back({offset_[j], offset_[j] + p_.items[j].size});
    std::sort(taken_.begin(), taken_.end());
    const std::int64_t size = p_.items[i].size;
    std::int64_t at = 0, chosen = -1, slack = 0;
    auto gap = [&](std::int64_t from, std::int64_t to) {  // a hole [from, to) that is large enough
      if (fit == Fit::both_ends && upper) {
        chosen = to - size;
      } else if (chosen < 0 || (fit == Fit::best && to - from < slack)) {
        chosen = from, slack = to - from;
      }
    };
    for (const auto& [begin, end] : taken_) {
      if (begin - at >= size) gap(at, begin);
      at = std::max(at, end);
    }
    if (p_.goal - at >= size) gap(at, p_.goal);
    return chosen >= 0 ? chosen : at;
  }

  const Problem& p_;
  std::vector<std::int64_t> offset_;
  std::vector<std::pair<std::int64_t, std::int64_t>> taken_;
};

std::vector<std::vector<int>> orders(const Problem& p) {
  const int n = static_cast<int>(p.items.size());
  std::vector<std::int64_t> contention(n);  // bytes that share a step with the item
  for (int i = 0; i < n; ++i) {
    contention[i] = p.items[i].size;
    for (int j : p.overlap[i]) contention[i] += p.items[j].size;
  }
  auto life = [&](int i) { return std::int64_t{p.items[i].last} - p.items[i].first + 1; };
  using Key = std::function<std::int64_t(int)>;
  const std::vector<std::pair<Key, Key>> keys = {
      {[&](int i) { return p.items[i].size; }, life},
      {[&](int i) { return p.items[i].size * life(i); }, life},
      {[&](int i) { return contention[i]; }, [&](int i) { return p.items[i].size; }},
      {life, [&](int i) { return p.items[i].size; }},
      {[&](int i) { return -std::int64_t{p.items[i].first}; }, [&](int i) { return p.items[i].size; }},
      {[&](int i) { return std::int64_t{p.items[i].last}; }, [&](int i) { return p.items[i].size; }},
  };
  std::vector<std::vector<int>> out;
  for (const auto& [major, minor] : keys) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&, &major = major, &minor = minor](int a, int b) {
      return std::pair(major(a), minor(a)) > std::pair(major(b), minor(b));
    });
    out.push_back(std::move(order));
  }
  return out;
}

/// splitmix64: small, and the same on every platform.
struct Random {
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  std::uint64_t operator()(std::uint64_t n) {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % n;
  }
};

}  // namespace

Solution place_in_orders(const Problem& p, std::int64_t moves) {
  Placer placer(p);
  Solution best;
  std::vector<int> order;
  std::int64_t excess = 0;
  Fit fit = Fit::first;
  bool any = false;
  for (const auto& o : orders(p))
    for (Fit f : {Fit::first, Fit::best, Fit::both_ends}) {
      const std::int64_t h = placer.place(o, f), e = placer.excess();
      if (any && std::pair(h, e) >= std::pair(best.height, excess)) continue;
      any = true;
      best = {placer.offsets(), h};
      order = o, excess = e, fit = f;
      if (best.height <= p.goal) return best;
    }
  // Local search: something that stands out moves to an earlier place in the order, or two exchange theirs. Equal is
  // accepted, to cross plateaus.
  Random random;
  const auto n = static_cast<std::uint64_t>(order.size());
  std::vector<int> sticking_out;
  std::vector<std::int64_t> current = best.offsets;
  for (std::int64_t m = 0; m < moves && n > 1 && best.height > p.goal; ++m) {
    std::vector<int> next = order;
    sticking_out.clear();
    for (std::size_t k = 0; k < order.size(); ++k)
      if (current[order[k]] + p.items[order[k]].size > p.goal) sticking_out.push_back(static_cast<int>(k));
    const auto a = random(2) && !sticking_out.empty()
                       ? static_cast<std::uint64_t>(sticking_out[random(sticking_out.size())])
                       : random(n);
    const auto b = random(n);
    if (random(2)) {
      std::swap(next[a], next[b]);
    } else {
      const auto from = std::max(a, b), to = std::min(a, b);
      std::rotate(next.begin() + to, next.begin() + from, next.begin() + from + 1);
    }
    const std::int64_t h = placer.place(next, fit), e = placer.excess();
    if (e > excess) continue;
    order = std::move(next), excess = e, current = placer.offsets();
    if (h < best.height) best = {placer.offsets(), h};
  }
  return best;
}

}  // namespace dse::plan::arena
