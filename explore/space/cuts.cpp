#include "explore/space/cuts.h"

#include <algorithm>

#include "plan/network/run_order.h"

namespace dse::explore {

CutSet::CutSet(const Space& space) : space_(space), before_(plan::run_before(*space.network, true)) {
  cut_of(std::vector<char>(space.network->operators.size(), 0), -1);
}

CutSet::CutSet(const Space& space, const std::vector<std::vector<int>>& orders, bool mixed)
    : space_(space), orders_(orders), mixed_(mixed || orders.size() < 2) {
  cut_of(std::vector<char>(space.network->operators.size(), 0), -1);
}

int CutSet::cut_of(std::vector<char> executed, int line) {
  std::string key(executed.begin(), executed.end());
  if (line >= 0) key += std::to_string(line);
  const auto [it, fresh] = index_.emplace(std::move(key), static_cast<int>(cuts_.size()));
  if (fresh) cuts_.push_back({std::move(executed), line, false, {}});
  return it->second;
}

const std::vector<CutSet::Next>& CutSet::next(int number) {
  const auto at = static_cast<std::size_t>(number);
  if (cuts_[at].asked) return cuts_[at].next;
  cuts_[at].asked = true;
  const auto with = [&](int op) {
    auto executed = cuts_[at].executed;
    executed[static_cast<std::size_t>(op)] = 1;
    return executed;
  };
  std::vector<Next> found;
  if (!mixed_) {  // each order by itself, apart from the first step on
    const auto count = std::count(cuts_[at].executed.begin(), cuts_[at].executed.end(), 1);
    for (std::size_t line = 0; line < orders_.size(); ++line) {
      if (cuts_[at].line >= 0 && cuts_[at].line != static_cast<int>(line)) continue;
      if (count >= std::ssize(orders_[line])) continue;
      const int op = orders_[line][static_cast<std::size_t>(count)];
      found.push_back({op, cut_of(with(op), static_cast<int>(line))});
    }
  } else {
    for (const int op : may_follow(cuts_[at])) found.push_back({op, cut_of(with(op), -1)});
  }
  // Layers that wait for each other would look like a network that fits nowhere.
  const auto run = std::count(cuts_[at].executed.begin(), cuts_[at].executed.end(), 1);
  ensure(!found.empty() || run == std::ssize(space_.layers), "layers are left, and none of them may run");
  cuts_[at].next = std::move(found);
  return cuts_[at].next;
}

std::vector<int> CutSet::may_follow(const Cut& cut) const {
  std::vector<int> out;
  const auto has_run = [&](int op) { return cut.executed[static_cast<std::size_t>(op)] != 0; };
  if (!before_.empty()) {
    for (const int op : space_.layers) {
      const auto& needed = before_[static_cast<std::size_t>(op)];
      if (!has_run(op) && std::all_of(needed.begin(), needed.end(), has_run)) out.push_back(op);
    }
    return out;
  }
  const auto count = std::count(cut.executed.begin(), cut.executed.end(), 1);
  for (const auto& order : orders_) {
    if (count >= std::ssize(order) || !std::all_of(order.begin(), order.begin() + count, has_run)) continue;
    const int op = order[static_cast<std::size_t>(count)];
    if (std::find(out.begin(), out.end(), op) == out.end()) out.push_back(op);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::vector<char>> all_before(const Space& space) {
  const auto before = plan::run_before(*space.network, true);
  std::vector<std::vector<char>> out(before.size());
  for (const int op : space.layers) {  // in the file's order, so that those before it are complete
    auto& all = out[static_cast<std::size_t>(op)];
    all.assign(before.size(), 0);
    for (const int b : before[static_cast<std::size_t>(op)]) {
      all[static_cast<std::size_t>(b)] = 1;
      for (std::size_t i = 0; i < all.size(); ++i) all[i] |= out[static_cast<std::size_t>(b)][i];
    }
  }
  return out;
}

}  // namespace dse::explore
