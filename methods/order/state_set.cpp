#include "methods/order/state_set.h"

#include <algorithm>
#include <limits>

namespace dse::plan::order {

StateSet::Entry StateSet::add(const std::vector<std::uint64_t>& bits) {
  std::size_t first = 0, last = bits.size();
  while (first < bits.size() && bits[first] == ~std::uint64_t{0}) ++first;
  while (last > first && bits[last - 1] == 0) --last;
  const std::uint64_t head = static_cast<std::uint64_t>(first) << 32 | (last - first);
  std::uint64_t hash = head;
  for (std::size_t w = first; w < last; ++w) {
    hash = (hash ^ bits[w]) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  if (2 * (used_ + 1) > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t place = table_[slot] - 1;
    if ((words_[place] & ~kForgotten) != head || words_[place + 1] != hash ||
        !std::equal(bits.begin() + static_cast<std::ptrdiff_t>(first), bits.begin() + static_cast<std::ptrdiff_t>(last),
                    words_.begin() + place + 2))
      continue;
    const bool added = (words_[place] & kForgotten) != 0;
    words_[place] = head;
    return {place, added};
  }
  const auto place = static_cast<std::uint32_t>(words_.size());
  table_[slot] = place + 1;
  ++used_;
  words_.push_back(head);
  words_.push_back(hash);
  words_.insert(words_.end(), bits.begin() + static_cast<std::ptrdiff_t>(first),
                bits.begin() + static_cast<std::ptrdiff_t>(last));
  // Vectors double: while they do, old and new are there at once.
  const auto bytes = 3 * (words_.capacity() * sizeof(std::uint64_t) + table_.size() * sizeof(std::uint32_t));
  full_ = static_cast<std::int64_t>(bytes) > most_ ||
          words_.size() + bits.size() + 2 >= std::numeric_limits<std::uint32_t>::max();
  return {place, true};
}

void StateSet::grow() {
  table_.assign(std::max<std::size_t>(1024, 2 * table_.size()), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t place = 0; place < words_.size(); place += 2 + (words_[place] & 0x7FFFFFFFu)) {
    std::size_t slot = words_[place + 1] & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<std::uint32_t>(place) + 1;
  }
}

}  // namespace dse::plan::order
