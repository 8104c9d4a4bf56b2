// Blocks at the borders between sections, while they are put together.
#pragma once
#include "plan/alloc/model.h"
#include "plan/alloc/valleys/block.h"

namespace dse::plan::alloc {

/// Blocks are known by their index, which stays; those that become part of another have no parts left.
class Gluing {
 public:
  using List = std::vector<int>;

  Gluing(const Model& model, std::int64_t height);

  const Block& block(int b) const { return blocks_[b]; }
  int borders() const { return static_cast<int>(begins_.size()); }
  const List& ends(int border) const { return ends_[border]; }
  const List& begins(int border) const { return begins_[border]; }
  /// Whether something ends and something begins at a border, and nothing can be spared on both sides.
  bool tight(int border) const {
    return !ends_[border].empty() && !begins_[border].empty() && spare_[border - 1] == 0 && spare_[border] == 0;
  }
  std::int64_t sum(const List& list) const;

  /// Puts blocks of the same life on the first of them.
  void stack(const List& list);
  /// Puts block b beside block a, which has the same size and ends where b begins.
  void join(int a, int b);
  /// Puts five blocks around `centre`: `left` and `below` begin together, `right` and `above` end together.
  void wind(int left, int below, int centre, int above, int right);

  /// What is left.
  std::vector<Block> result() const;

 private:
  void remove(int b);
  void absorb(int b, int other, std::int64_t above);

  std::vector<Block> blocks_;
  std::vector<List> ends_, begins_;  // per border
  std::vector<std::int64_t> spare_;  // per section, units
};

}  // namespace dse::plan::alloc
