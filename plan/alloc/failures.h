// A bounded table of groups of open buffers that cannot be placed: what the exact search has found out is not found
// out again.
#pragma once
#include <array>
#include <cstdint>
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

  Failures() : slots_(std::size_t{1} << kBits) {}

  Key key(const std::vector<int>& group, const std::vector<std::int64_t>& low) const {
    Key k{0, 0};
    for (const int i : group) {
      const auto x = mix(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u + mix(static_cast<std::uint64_t>(low[i])));
      k[0] += x;
      k[1] += mix(x ^ 0xD1B54A32D192ED03u);
    }
    return k;
  }

  /// Whether this group has failed after an earlier or the same placement: the later one leaves fewer choices.
  bool known(const Key& key, const Last& last) const {
    const Slot& s = slots_[key[0] & (slots_.size() - 1)];
    return s.key == key && s.last <= last;
  }
  void add(const Key& key, const Last& last) {
    Slot& s = slots_[key[0] & (slots_.size() - 1)];
    if (s.key != key || last < s.last) s = {key, last};
  }

 private:
  static constexpr int kBits = 20;
  struct Slot {
    Key key{0, 0};  // no group has key 0 but by the chance above
    Last last;
  };
  /// splitmix64's finalizer.
  static std::uint64_t mix(std::uint64_t z) {
    z = (z + 0x9E3779B97F4A7C15u) ^ (z >> 32);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::vector<Slot> slots_;
};

}  // namespace dse::plan::alloc
