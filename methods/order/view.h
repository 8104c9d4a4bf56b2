// The two directions in which a set of executed operators can grow: operators run, or are taken back from the end.
#pragma once
#include <vector>

#include "methods/order/search.h"

namespace dse::plan::order {

/// From the start: moves run operators.
class Forward {
 public:
  explicit Forward(const Graph& graph) : graph_(&graph), executed_(graph) {}
  const std::vector<int>& moves() const { return executed_.all_ready(); }
  std::int64_t live() const { return executed_.live(); }
  /// Bytes alive while the operator of the move runs.
  std::int64_t step(int op) const { return executed_.step(op); }
  /// Bytes that the move adds to live().
  std::int64_t change(int op) const { return executed_.change(op); }
  void move(int op) { executed_.run(op); }
  void undo(int op) { executed_.undo(op); }
  const std::vector<std::uint64_t>& bits() const { return executed_.bits(); }
  /// Of the latest moves: the valley, as flags; as many of them as possible.
  std::vector<char> valley(const std::vector<int>& moves) const;

 private:
  const Graph* graph_;
  Executed executed_;
};

/// From the end: moves take the operator back that ran last.
class Backward {
 public:
  explicit Backward(const Graph& graph);
  const std::vector<int>& moves() const { return last_; }
  std::int64_t live() const { return executed_.live(); }
  std::int64_t step(int op) const;
  std::int64_t change(int op) const;
  void move(int op);
  void undo(int op);
  const std::vector<std::uint64_t>& bits() const { return executed_.bits(); }
  std::vector<char> valley(const std::vector<int>& moves) const;

 private:
  void enter(int op);
  void leave(int op);
  const Graph* graph_;
  Executed executed_;
  std::vector<int> waiting_;       // per operator: executed ones that need it
  std::vector<int> last_, place_;  // executed operators that no executed one needs; place_: in last_, -1 = not there
};

}  // namespace dse::plan::order
