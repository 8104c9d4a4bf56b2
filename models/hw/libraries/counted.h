// A kernel library whose int8 loops are counted: each count has a price in the device file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/hw/libraries/rate_table.h"

namespace dse::hw {

/// What the loops of one call do, in the order of the library's names; empty where nothing is counted.
using LoopCounts = std::vector<std::int64_t>;

/// cycles = sum over all counts of ceil(count * cycles_per_count). Calls that are not counted (other kinds, 16 bits) go
/// by the tables.
class CountedLibrary : public LibraryTiming {
 public:
  /// The engine has a rate for every name.
  CountedLibrary(const Engine& e, const std::vector<std::string>& names);
  std::int64_t cycles(const program::CallWork& work) const final;
  std::int64_t least_cycles(const program::CallWork& work) const final;
  int kernel(const program::CallWork& work) const final { return rest_.kernel(work); }
  bool tells_readings() const final { return true; }

 protected:
  virtual LoopCounts count(const program::CallWork& work) const = 0;
  /// What the tiles of a cut count together at least, however the call is cut; `counts` is that of the whole call.
  virtual void relax(const program::CallWork& work, LoopCounts& counts) const = 0;
  double rate(std::size_t count) const { return rates_[count].value(); }

 private:
  std::int64_t price(const LoopCounts& counts) const;

  std::vector<Ratio> rates_;
  RateTable rest_;
};

}  // namespace dse::hw
