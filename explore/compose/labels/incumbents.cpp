#include "explore/compose/labels/incumbents.h"

#include <algorithm>

#include "explore/question/goal.h"

namespace dse::explore {
namespace {

bool at_most(const std::vector<std::int64_t>& a, const std::int64_t* b) {
  for (std::size_t j = 0; j < a.size(); ++j)
    if (a[j] > b[j]) return false;
  return true;
}

}  // namespace

std::ptrdiff_t Incumbents::last_at_most(std::int64_t first) const {
  // Questions that follow each other are often close to each other: from the last answer on, in steps that double.
  const auto size = static_cast<std::ptrdiff_t>(first_.size());
  std::ptrdiff_t low = std::min(last_, size), high = low, step = 1;  // what is asked for lies in [low, high)
  while (low > 0 && first_[low - 1] > first) high = low - 1, low = std::max<std::ptrdiff_t>(0, low - step), step *= 2;
  for (step = 1; high < size && first_[high] <= first; step *= 2) low = high + 1, high = std::min(size, high + step);
  last_ = std::upper_bound(first_.begin() + low, first_.begin() + high, first) - first_.begin();
  return last_ - 1;
}

std::int64_t Incumbents::second_at_most(std::int64_t first) const {
  const auto i = last_at_most(first);
  return i < 0 ? kUnlimited : second_[i];
}

bool Incumbents::beaten(const std::int64_t* values, std::size_t effort) const {
  if (objectives_ <= 2) {  // a staircase: the last one that is no larger is the fastest of those
    const auto i = last_at_most(values[0]);
    return i >= 0 && (objectives_ == 1 || second_[i] <= values[1]);
  }
  for (std::size_t i = 0; i < std::min(effort, all_.size()); ++i)
    if (at_most(all_[i].values, values)) {
      if (i > 0) std::swap(all_[i], all_[i / 2]);  // what beats much is found sooner
      return true;
    }
  return false;
}

std::vector<Incumbent> Incumbents::insert(Incumbent incumbent) {
  std::vector<Incumbent> dropped;
  if (objectives_ <= 2) {
    const auto from = last_at_most(incumbent.values[0] - 1) + 1;
    auto to = from;
    while (to < static_cast<std::ptrdiff_t>(all_.size()) && at_most(incumbent.values, all_[to].values.data())) ++to;
    for (auto i = from; i < to; ++i) dropped.push_back(std::move(all_[i]));
    const auto replace = [&](auto& list, auto value) {
      list.insert(list.erase(list.begin() + from, list.begin() + to), std::move(value));
    };
    replace(first_, incumbent.values[0]);
    replace(second_, incumbent.values.back());
    replace(all_, std::move(incumbent));
    return dropped;
  }
  std::size_t kept = 0;
  for (auto& other : all_)
    if (at_most(incumbent.values, other.values.data()))
      dropped.push_back(std::move(other));
    else if (&all_[kept++] != &other)
      all_[kept - 1] = std::move(other);
  all_.resize(kept);
  all_.push_back(std::move(incumbent));
  return dropped;
}

std::vector<Incumbent> Incumbents::sorted() const {
  auto out = all_;
  std::sort(out.begin(), out.end(), [](const Incumbent& a, const Incumbent& b) { return a.values < b.values; });
  return out;
}

}  // namespace dse::explore
