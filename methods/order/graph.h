// The problem as the searches see it, and the bytes alive after a set of operators has run.
#pragma once
#include <cstdint>
#include <vector>

#include "methods/order/order.h"

namespace dse::plan::order {

/// Aliases are merged into buffers, duplicates removed.
struct Graph {
  struct Op {
    std::vector<int> reads, makes;  // buffers
    std::vector<int> before, next;  // operators
    std::int64_t made_bytes = 0;
    int overwrites = -1;  // the buffer that the output may take the place of, if it dies there
  };
  struct Buffer {
    std::int64_t bytes = 0;
    int maker = -1;            // -1: given
    std::vector<int> readers;  // ascending
    bool kept = false;
    /// Bytes that it holds between operators: none if nobody wants them.
    std::int64_t held() const { return kept || !readers.empty() ? bytes : 0; }
  };
  std::vector<Op> ops;
  std::vector<Buffer> buffers;
  int size() const { return static_cast<int>(ops.size()); }
};

/// @throws InvariantError for cycles, indices out of range, tensors with no or several makers, sums beyond 2^60.
Graph compile(const OrderProblem& problem, OrderRule rule);

/// A set of executed operators, closed under what must run before, with everything that follows from it. Moving by one
/// operator costs as much as the operator has neighbours.
class Executed {
 public:
  explicit Executed(const Graph& graph);

  bool contains(int op) const { return done_[static_cast<std::size_t>(op)]; }
  int count() const { return count_; }
  bool ready(int op) const { return missing_[static_cast<std::size_t>(op)] == 0 && !contains(op); }
  /// Bytes alive between operators.
  std::int64_t live() const { return live_; }
  /// Bytes alive while the ready operator runs.
  std::int64_t step(int op) const;
  /// How many bytes the ready operator adds to live().
  std::int64_t change(int op) const;
  void run(int op);
  void undo(int op);
  /// Ready operators, in no order of meaning but always the same one.
  const std::vector<int>& all_ready() const { return ready_; }
  /// One bit per operator.
  const std::vector<std::uint64_t>& bits() const { return bits_; }
  int left(int buffer) const { return left_[static_cast<std::size_t>(buffer)]; }

 private:
  void enter_ready(int op);
  void leave_ready(int op);
  const Graph* graph_;
  std::vector<char> done_;
  std::vector<std::uint64_t> bits_;
  std::vector<int> missing_, left_;  // per operator: not run before it; per buffer: readers not run
  std::vector<int> ready_, place_;   // place_: in ready_, -1 = not there
  std::int64_t live_ = 0;
  int count_ = 0;
};

}  // namespace dse::plan::order
