// Sets of layers that may have run, and which may run next.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/space/space.h"

namespace dse::explore {

/// The sets that the orders of a space lead through, found as they are asked for.
class CutSet {
 public:
  /// All orders that are possible.
  explicit CutSet(const Space& space);
  /// These orders. `mixed`: and all that go on as one of them does from where another led to as well.
  CutSet(const Space& space, const std::vector<std::vector<int>>& orders, bool mixed);

  struct Next {
    int op = 0;
    int cut = 0;  // the set with it
  };
  /// What may run after a set; the first set, 0, is the empty one.
  const std::vector<Next>& next(int cut);
  /// Per operator of the network.
  const std::vector<char>& executed(int cut) const { return cuts_[static_cast<std::size_t>(cut)].executed; }

 private:
  struct Cut {
    std::vector<char> executed;
    int line = -1;  // of the orders that are not mixed
    bool asked = false;
    std::vector<Next> next;
  };
  int cut_of(std::vector<char> executed, int line);
  std::vector<int> may_follow(const Cut& cut) const;

  const Space& space_;
  std::vector<std::vector<int>> before_;  // empty: only listed orders
  std::vector<std::vector<int>> orders_;
  bool mixed_ = true;
  std::vector<Cut> cuts_;
  std::map<std::string, int> index_;
};

/// Per layer (operator): what must have run before it, at any distance, per operator.
std::vector<std::vector<char>> all_before(const Space& space);

}  // namespace dse::explore
