// A kernel library whose int8 loops are counted: each count has a price in the device file.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/libraries/rate_table.h"

namespace dse::hw {

/// What the loops of one call do, in the order of the library's names; empty where nothing is counted. Every simulated
/// call makes one, so that it allocates nothing.
class LoopCounts {
 public:
  using value_type = std::int64_t;
  using const_iterator = const std::int64_t*;

  LoopCounts() = default;
  /// `size` <= 16 counts, all 0.
  explicit LoopCounts(std::size_t size) : size_(size) {}
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::int64_t& operator[](std::size_t count) { return counts_[count]; }
  std::int64_t operator[](std::size_t count) const { return counts_[count]; }
  const_iterator begin() const { return counts_.data(); }
  const_iterator end() const { return counts_.data() + size_; }

 private:
  std::array<std::int64_t, 16> counts_{};
  std::size_t size_ = 0;
};

/// cycles = sum over all counts of ceil(count * cycles_per_count). Calls that are not counted (other kinds, 16 bits) go
/// by the tables.
class CountedLibrary : public LibraryTiming {
 public:
  /// The engine has a rate for every name.
  CountedLibrary(const Engine& e, const std::vector<std::string>& names);
  std::int64_t cycles(const program::CallWork& work) const final;
  std::int64_t least_cycles(const program::CallWork& work) const final;
  int kernel(const program::CallWork& work) const final { return rest_.kernel(work); }

 protected:
  virtual LoopCounts count(const program::CallWork& work) const = 0;
  /// What the tiles of a cut take together at least, however the call is cut; `counts` is that of the whole call.
  virtual std::int64_t least(const program::CallWork& work, LoopCounts counts) const = 0;

  std::int64_t price(const LoopCounts& counts) const;
  /// ceil(n * rate / shares).
  std::int64_t price(std::size_t count, std::int64_t n, std::int64_t shares = 1) const;
  double rate(std::size_t count) const { return rates_[count].value(); }

 private:
  std::vector<Ratio> rates_;
  RateTable rest_;
};

}  // namespace dse::hw
