// A bounded table of groups of open buffers that cannot be placed: what the exact search has found out is not found
// out again.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace dse::plan::alloc {

class Failures {
 public:
  /// The placement before a group: what follows lies above it, or at the same offset with a later rank.
  struct Last {
    std::int64_t offset = -1;
    int rank = -1;
    auto operator<=>(const Last&) const = default;
  };
  /// 128 bits of the set of open buffers and their lowest places. Two different ones meet with probability 2^-128 per
  /// pair, far below that of a fault in memory.
  using Key = std::array<std::uint64_t, 2>;

  /// Of a set of pairs.
  struct Hash {
    Key key{0, 0};
    void add(int i, std::int64_t value) {
      const auto x = mix(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u + mix(static_cast<std::uint64_t>(value)));
      key[0] += x;
      key[1] += mix(x ^ 0xD1B54A32D192ED03u);
    }
  };
  static Key key(const std::vector<int>& group, const std::vector<std::int64_t>& low) {
    Hash hash;
    for (const int i : group) hash.add(i, low[i]);
    return hash.key;
  }

  /// Whether this group has failed after an earlier or the same placement: the later one leaves fewer choices.
  bool known(const Key& key, const Last& last) const {
    const Slot& s = slots_[key[0] & (slots_.size() - 1)];
    return s.key == key && s.last <= last;
  }
  /// Grows up to kMost entries; then the newest replaces what was in its place.
  void add(const Key& key, const Last& last) {
    if (++added_ > slots_.size() && slots_.size() < kMost) grow();
    put({key, last});
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 19;  // 32 bytes each
  struct Slot {
    Key key{0, 0};  // no group has key 0 but by the chance above
    Last last;
  };
  void put(const Slot& slot) {
    Slot& s = slots_[slot.key[0] & (slots_.size() - 1)];
    if (s.key != slot.key || slot.last < s.last) s = slot;
  }
  void grow() {
    auto old = std::move(slots_);
    slots_.assign(old.size() * 4, {});
    for (const Slot& s : old)
      if (s.key != Key{0, 0}) put(s);
  }
  /// splitmix64's finalizer.
  static std::uint64_t mix(std::uint64_t z) {
    z = (z + 0x9E3779B97F4A7C15u) ^ (z >> 32);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::vector<Slot> slots_ = std::vector<Slot>(512);
  std::size_t added_ = 0;
};

}  // namespace dse::plan::alloc
