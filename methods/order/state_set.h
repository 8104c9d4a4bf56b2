// Sets of executed operators that were entered: exact, no collisions, within a given number of bytes.
#pragma once
#include <cstdint>
#include <vector>

namespace dse::plan::order {

/// A hash table of bit sets. Of each only the words between the leading full ones and the trailing empty ones are kept:
/// operators are numbered in the order of the file, so that a set is mostly a prefix of it.
class StateSet {
 public:
  explicit StateSet(std::int64_t bytes) : most_(bytes) {}

  struct Entry {
    std::uint32_t place;  // for forget()
    bool added;           // false: it is there already
  };
  Entry add(const std::vector<std::uint64_t>& bits);
  /// As if the set had never been added.
  void forget(std::uint32_t place) { words_[place] |= kForgotten; }
  /// The next add() might need more bytes than allowed.
  bool full() const { return full_; }

 private:
  static constexpr std::uint64_t kForgotten = std::uint64_t{1} << 63;
  void grow();

  std::int64_t most_;
  bool full_ = false;
  std::vector<std::uint64_t> words_;  // per set: a head (first word << 32 | words), a hash, the words
  std::vector<std::uint32_t> table_;  // place in words_ + 1, 0 = empty
  std::size_t used_ = 0;
};

}  // namespace dse::plan::order
