// Few stand for many: splitting a list of vectors into groups of neighbours.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

namespace dse::explore {

/// Reorders [first, last) so that `groups` runs of neighbours stand together, and calls `each(begin, end)` for every
/// run, in order. Halves at the median of the sum with the widest range, relative to that of the whole list. Elements
/// have `sums`, an array of D values, and a strict order that makes the result deterministic. 1 <= groups <= length.
template <int D, class Iterator, class Each>
void spread(Iterator first, Iterator last, std::size_t groups, const Each& each) {
  using Sums = std::array<std::int64_t, D>;
  const auto ranges = [](Iterator from, Iterator to) {
    Sums low = from->sums, high = from->sums, range{};
    for (auto it = from; it != to; ++it)
      for (int d = 0; d < D; ++d) low[d] = std::min(low[d], it->sums[d]), high[d] = std::max(high[d], it->sums[d]);
    for (int d = 0; d < D; ++d) range[d] = high[d] - low[d];
    return range;
  };
  const Sums whole = ranges(first, last);
  const std::function<void(Iterator, Iterator, std::size_t)> split = [&](Iterator from, Iterator to, std::size_t n) {
    if (n <= 1) return each(from, to);
    const Sums here = ranges(from, to);
    int widest = 0;
    double most = -1;
    for (int d = 0; d < D; ++d) {
      const double width = whole[d] > 0 ? static_cast<double>(here[d]) / static_cast<double>(whole[d]) : 0;
      if (width > most) most = width, widest = d;
    }
    const auto left = n / 2;
    const auto middle = from + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(to - from) * left / n);
    std::nth_element(from, middle, to, [widest](const auto& a, const auto& b) {
      return a.sums[widest] != b.sums[widest] ? a.sums[widest] < b.sums[widest] : a < b;
    });
    split(from, middle, left);
    split(middle, to, n - left);
  };
  split(first, last, groups);
}

}  // namespace dse::explore
