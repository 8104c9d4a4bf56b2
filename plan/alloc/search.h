// The exact search: is there a layout of at most this height?
#pragma once
#include <functional>
#include <memory>

#include "plan/alloc/orders.h"

namespace dse::plan::alloc {

/// Counted down by the searches that share it.
struct Budget {
  std::int64_t nodes = 0;      // placements that may still be tried; long timelines count them more than once
  std::int64_t used = 0;       // placements tried so far
  std::function<bool()> stop;  // asked every thousand nodes or so; true = give up now. May be empty
  bool stopped = false;

  bool ask() {
    if (!stopped && stop && stop()) stopped = true;
    return stopped;
  }
};

enum class Answer { found, none, unknown };

/// The rules by which the exact search chooses the next buffer among those that may come next.
std::vector<std::vector<int>> search_orders(const Model& model);

/// Looks for a layout of at most `height` bytes.
///
/// Buffers are placed in the order of their offsets, each at the lowest offset that those before it allow
/// ("canonical", after MiniMalloc, Moffitt, ASPLOS 2023): every layout can be pushed down into such a one. A branch is
/// left
///  * when the buffers still open in a section do not fit between the lowest place of any of them and the height,
///  * when an open buffer could lie out of reach below the next offset: the layout would not be canonical,
///  * when an open buffer has missed its lowest place and no other open one is left for it to rest on,
///  * when the same open buffers with the same lowest places have failed before.
/// Open buffers that no section connects are searched apart (decomposition).
///
/// Where windows slide, the place of a buffer is that of a point inside it (Model::point), and the order is that of the
/// points. Where there are no such points (Model::complete is false), `none` does not prove that there is no layout.
class Search {
 public:
  /// `order`: the free active buffers, the ones to try first in front. Both must outlive the search. Memory: O(n^2) in
  /// the buffers that are connected, and up to 16 MiB for what has failed.
  Search(const Model& model, const std::vector<int>& order, std::int64_t height);
  ~Search();
  Search(Search&&) noexcept;

  /// Searches from the start with up to `nodes` nodes of the budget, but does not repeat what earlier calls have
  /// proven. `unknown` at once for more than kMost buffers.
  Answer run(std::int64_t nodes, Budget& budget);
  /// What was found.
  Placement result() const;

  static constexpr int kMost = 4000;  // bounds the depth of the recursion

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace dse::plan::alloc
