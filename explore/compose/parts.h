// Sets of partial plans that bound what is not decided yet.
#pragma once
#include <cstdint>
#include <vector>

#include "explore/compose/graph/sections.h"
#include "explore/question/goal.h"

namespace dse::explore {

/// Comparisons of parts, some seconds.
constexpr std::int64_t kMostParts = 500'000'000;

/// What a part of a plan needs at least: loads (later: heights) and resident bytes per on-chip memory, sums of costs.
struct Part {
  MemoryVector peak{}, resident{};
  Costs costs{};
  bool operator==(const Part&) const = default;
};

Part together(const Part& a, const Part& b);
Part part_of(const SectionEdge& edge, const SectionOption& option);

/// Pareto sets of parts. Where a set grows too large, neighbours are merged into their least values: what it bounds it
/// still bounds.
class Parts {
 public:
  /// `most`: a set has no more parts.
  Parts(const SectionGraph& graph, const Goal& goal, const hw::Device& device, std::size_t most = 256)
      : graph_(graph), goal_(goal), device_(device), most_(most) {}
  bool within_limits(const Part& part) const;
  /// In the goal's objectives: bytes, ticks, femtojoules.
  std::vector<std::int64_t> values_of(const Part& part) const;
  std::vector<Part> of(const SectionEdge& edge) const;
  /// Every part of `a` with every part of `b`, within the limits.
  std::vector<Part> product(const std::vector<Part>& a, const std::vector<Part>& b) const;
  /// Per section and state: what leads from there to the end.
  std::vector<std::vector<std::vector<Part>>> suffixes() const;
  /// So many comparisons were made that nothing more is made: what products and suffixes say is not all.
  bool exhausted() const { return steps_ > kMostParts; }

 private:
  bool dominates(const Part& a, const Part& b) const;
  std::vector<Part> thinned(std::vector<Part> parts) const;

  const SectionGraph& graph_;
  const Goal& goal_;
  const hw::Device& device_;
  std::size_t most_;
  mutable std::int64_t steps_ = 0;
};

}  // namespace dse::explore
