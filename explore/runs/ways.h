// Where a run may put what is its own to place.
#pragma once
#include <cstddef>
#include <vector>

namespace dse::explore {

/// One of its values per digit.
using Digits = std::vector<int>;

struct Ways {
  std::vector<Digits> list;
  bool all = true;  // false: there are more than were asked for
};

/// All combinations of one value per digit, or `most` of them: first those of each part, the digits before `split` and
/// those from there on, that have one value wherever they can and their first one elsewhere, or their last one
/// everywhere; then neighbours in one digit. `digits`: values of each, at least one.
Ways ways_of(const std::vector<std::vector<int>>& digits, std::size_t split, std::size_t most);

}  // namespace dse::explore
