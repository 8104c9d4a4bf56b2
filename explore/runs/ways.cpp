#include "explore/runs/ways.h"

#include <algorithm>
#include <set>

namespace dse::explore {
namespace {

std::vector<Digits> every(const std::vector<std::vector<int>>& digits) {
  std::vector<Digits> out(1);
  for (const auto& values : digits) {
    std::vector<Digits> longer;
    for (const auto& begun : out)
      for (const int v : values) {
        longer.push_back(begun);
        longer.back().push_back(v);
      }
    out = std::move(longer);
  }
  return out;
}

bool are_at_most(const std::vector<std::vector<int>>& digits, std::size_t most) {
  std::size_t count = 1;
  for (const auto& values : digits)
    if ((count *= values.size()) > most) return false;
  return true;
}

/// Of a part: one value wherever it can be, or the last one everywhere.
std::vector<Digits> even(const std::vector<std::vector<int>>& digits) {
  std::set<int> values;
  for (const auto& of : digits) values.insert(of.begin(), of.end());
  std::vector<Digits> out;
  for (const int v : values) {
    auto& way = out.emplace_back();
    for (const auto& of : digits) way.push_back(std::find(of.begin(), of.end(), v) != of.end() ? v : of.front());
  }
  auto& last = out.emplace_back();
  for (const auto& of : digits) last.push_back(of.back());
  return out;
}

}  // namespace

Ways ways_of(const std::vector<std::vector<int>>& digits, std::size_t split, std::size_t most) {
  if (are_at_most(digits, most)) return {every(digits), true};
  Ways out{{}, false};
  std::set<Digits> seen;
  const auto add = [&](const Digits& way) {
    if (out.list.size() < most && seen.insert(way).second) out.list.push_back(way);
  };
  const auto middle = digits.begin() + static_cast<std::ptrdiff_t>(split);
  for (const auto& before : even({digits.begin(), middle}))
    for (const auto& behind : even({middle, digits.end()})) {
      auto way = before;
      way.insert(way.end(), behind.begin(), behind.end());
      add(way);
    }
  for (std::size_t k = 0; k < out.list.size() && out.list.size() < most; ++k) {
    const Digits way = out.list[k];
    for (std::size_t d = 0; d < digits.size(); ++d)
      for (const int v : digits[d]) {
        Digits next = way;
        next[d] = v;
        add(next);
      }
  }
  return out;
}

}  // namespace dse::explore
