// What the search in valleys has found out: stretches of the skyline above which the open buffers cannot be placed.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/alloc/failures.h"

namespace dse::plan::alloc {

/// Sections [first, end) that are the reason of a failure: it persists, whatever changes elsewhere.
struct SectionRange {
  int first = 0, end = 0;
};

/// A bounded table.
class DeadEnds {
 public:
  /// The reason why a state fails; nullptr = none is known.
  const SectionRange* find(const Failures::Key& key) const {
    const Slot& s = slots_[key[0] & (slots_.size() - 1)];
    return s.key == key ? &s.reason : nullptr;
  }
  /// Grows up to kMost entries; then the newest replaces what was in its place.
  void add(const Failures::Key& key, const SectionRange& reason) {
    if (++added_ > slots_.size() && slots_.size() < kMost) {
      auto old = std::move(slots_);
      slots_.assign(old.size() * 4, {});
      for (const Slot& s : old)
        if (s.key != Failures::Key{0, 0}) slots_[s.key[0] & (slots_.size() - 1)] = s;
    }
    slots_[key[0] & (slots_.size() - 1)] = {key, reason};
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 19;  // 24 bytes each
  struct Slot {
    Failures::Key key{0, 0};
    SectionRange reason;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(512);
  std::size_t added_ = 0;
};

}  // namespace dse::plan::alloc
