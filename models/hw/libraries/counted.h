// A kernel library whose loops are counted: each count has a price in the device file.
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
  /// `size` <= 16 counts, all 0; `wide`: of activations of 16 bits.
  explicit LoopCounts(std::size_t size, bool wide = false) : size_(size), wide_(wide) {}
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  bool wide() const { return wide_; }
  std::int64_t& operator[](std::size_t count) { return counts_[count]; }
  std::int64_t operator[](std::size_t count) const { return counts_[count]; }
  const_iterator begin() const { return counts_.data(); }
  const_iterator end() const { return counts_.data() + size_; }

 private:
  std::array<std::int64_t, 16> counts_{};
  std::size_t size_ = 0;
  bool wide_ = false;
};

/// cycles = sum over all counts of ceil(count * cycles_per_count), of 16 bits by cycles_per_count_int16. Calls that are
/// not counted, or of 16 bits where the engine has no rates for these, go by the tables.
class CountedLibrary : public LibraryTiming {
 public:
  /// The engine has a rate for every name; of 16 bits for every one of `wide_names` or none.
  CountedLibrary(const Engine& e, const std::vector<std::string>& names, const std::vector<std::string>& wide_names);
  std::int64_t cycles(const program::CallWork& work) const final;
  std::int64_t least_cycles(const program::CallWork& work) const final;
  int kernel(const program::CallWork& work) const final { return rest_.kernel(work); }

 protected:
  virtual LoopCounts count(const program::CallWork& work) const = 0;
  /// What the tiles of a cut take together at least, however the call is cut; `counts` is that of the whole call.
  virtual std::int64_t least(const program::CallWork& work, LoopCounts counts) const = 0;

  std::int64_t price(const LoopCounts& counts) const;
  /// ceil(n * rate / shares).
  std::int64_t price(std::size_t count, std::int64_t n, std::int64_t shares = 1, bool wide = false) const;
  double rate(std::size_t count, bool wide = false) const { return (wide ? wide_rates_ : rates_)[count].value(); }
  bool counts_16_bits() const { return !wide_rates_.empty(); }

 private:
  bool timed(const LoopCounts& counts) const { return !counts.empty() && (!counts.wide() || counts_16_bits()); }

  std::vector<Ratio> rates_, wide_rates_;
  RateTable rest_;
};

}  // namespace dse::hw
