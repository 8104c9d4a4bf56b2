// The exact search: is there a layout of at most this height?
#pragma once
#include <functional>

#include "plan/alloc/orders.h"

namespace dse::plan::alloc {

/// Counted down by the searches that share it.
struct Budget {
  std::int64_t nodes = 0;      // placements that may still be tried
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

/// Looks for a layout of at most `height` units with up to `nodes` nodes of the budget; `out` receives it.
/// `order`: free active buffers, the ones to try first in front. Memory: 48 MiB and what the model needs.
///
/// Buffers are placed in the order of their offsets, each at the lowest offset that those before it allow
/// ("canonical"): every layout can be pushed down into such a one. A branch is left
///  * when the buffers still open in a section do not fit between the lowest place of any of them and the height,
///  * when an open buffer could lie entirely below the next offset (the layout would not be canonical),
///  * when an open buffer has missed its lowest place and no other open one is left for it to rest on,
///  * when the same open buffers with the same lowest places have failed before.
/// Open buffers that no section connects are searched apart, each group only once (decomposition).
Answer search(const Model& model, const std::vector<int>& order, std::int64_t height, std::int64_t nodes,
              Budget& budget, Placement& out);

}  // namespace dse::plan::alloc
