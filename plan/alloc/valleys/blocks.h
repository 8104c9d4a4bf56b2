// Buffers that lie together in every layout are placed together.
#pragma once
#include <utility>
#include <vector>

#include "plan/alloc/model.h"
#include "plan/alloc/valleys/block.h"

namespace dse::plan::alloc {

/// Where nothing can be spared on either side of a border and no sizes of buffers that end at it add up to sizes of
/// such as begin at it, but all of them to all, those that end there lie on one another, and beside them those that
/// begin. Ones of equal life are put into one block, and two blocks that lie side by side too.
///
/// `odds` > 0: blocks that match, because some that end and some that begin have the same sum, are put together too, as
/// long as the odds that they match by chance are less than 1 to this. Some of that will be wrong.
std::vector<Block> blocks_of(const Model& model, std::int64_t height, std::int64_t odds);

/// Sums of sizes, to see which of one side are equal to some of the other.
class Sums {
 public:
  void clear(std::int64_t base) { sums_.assign(1, base), work_ = 0; }
  /// Adds the size to every sum. False: there are too many to go on.
  bool extend(std::int64_t size);
  /// Sums that were made since they were cleared.
  std::int64_t work() const { return work_; }
  /// The number of sums that both have, and the lowest; -1 = none.
  static std::pair<std::size_t, std::int64_t> common(const Sums& a, const Sums& b);

 private:
  static constexpr std::size_t kMost = 4096;
  std::int64_t work_ = 0;
  std::vector<std::int64_t> sums_, next_;  // ascending
};

}  // namespace dse::plan::alloc
