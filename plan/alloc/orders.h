// The fast path: buffers are placed one after another, in one order or in many.
#pragma once
#include <functional>

#include "plan/alloc/model.h"

namespace dse::plan::alloc {

struct Placement {
  std::vector<std::int64_t> offsets;  // units of the model
  std::int64_t height = 0;            // bytes
};

/// Which of the holes that are large enough a buffer takes: the lowest, or the one that leaves least room.
enum class Fit { first, best };

/// Places buffers around the fixed ones. Keeps its memory between calls: it runs hundreds of times per problem.
class Placer {
 public:
  explicit Placer(const Model& model) : m_(model) {}
  /// `order`: every active buffer that is not fixed, once. The result stays until the next call.
  const Placement& place(const std::vector<int>& order, Fit fit);

 private:
  std::int64_t find(int buffer, Fit fit);
  const Model& m_;
  Placement out_;
  std::vector<char> placed_;
  std::vector<std::pair<std::int64_t, std::int64_t>> taken_;  // offsets strictly between are taken
};

/// The buffers that can be placed, in the order of the file.
std::vector<int> given_order(const Model& model);

/// Orders worth trying: by size, size times life, bytes in conflict, number of conflicts, life, begin and end; the
/// first is by size, largest first.
std::vector<std::vector<int>> usual_orders(const Model& model);

/// Greedy by size: largest first, each into the lowest hole; first fit in the given order where that is lower.
Placement greedy_by_size(const Model& model);

/// All usual orders and the given one, with first and best fit, then up to `moves` exchanges in the best of them.
/// Deterministic. Stops at `goal` bytes or when `stop` says so.
Placement best_of_orders(const Model& model, std::int64_t moves, std::int64_t goal, const std::function<bool()>& stop);

}  // namespace dse::plan::alloc
