// Builds the graph of a space's layers: sets of layers that have run, homes of the tensors alive then, what may follow.
#pragma once
#include <vector>

#include "explore/compose/graph/sections.h"

namespace dse::explore {

enum class Cuts {
  /// The file's order alone.
  file,
  /// Every set of layers that may have run, as long as the graph keeps to kMostEdges; else those of the file's order
  /// and of one that needs little memory for its tensors.
  searched,
  /// A bound on all orders where there are more: layers in the file's order, each with those tensors alone that are
  /// alive beside it in every order. Whatever a plan needs in another order, it needs no less than here.
  bound,
};
/// More are made only where no order can be chosen: beyond it, composing takes minutes.
constexpr std::size_t kMostEdges = 30'000;
/// Of one order. Where its tensors have so many combinations of homes that there would be more, as beside many branches
/// that are alive together, every section keeps a few of its states, spread over the bytes in each memory, and the
/// graph does not say what else there is (SectionGraph::all_orders is false).
constexpr std::size_t kMostEdgesOfOrder = 100'000;

/// `layers`: per task of the space. @throws InvariantError for more on-chip memories than kMaxCaps.
/// `runs`, with Cuts::file alone: by phases; they have to outlive the graph.
SectionGraph section_graph(const Space& space, const std::vector<LayerFront>& layers, Cuts cuts = Cuts::searched,
                           const std::vector<Run>* runs = nullptr);

}  // namespace dse::explore
