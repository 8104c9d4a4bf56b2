// What the simulated schedules of a layer reach: asked for every other schedule, many times more often than there are
// simulations, so that it keeps what is compared and nothing else.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "explore/layer/entry.h"

namespace dse::explore {

class Reached {
 public:
  Reached(const Goal& goal, const hw::Device& device);

  void clear();
  /// A simulated schedule. Those that it beats or equals are forgotten, and so is it where another does.
  void add(const LayerEntry& entry);
  /// One of them costs no more than `costs`, in every active cost, and is no larger than this one: it needs no more of
  /// any on-chip memory, with the filters at the same place and, where they are resident, no larger; what is fetched
  /// ahead, before it and by it, is the same.
  bool covers(const LayerEntry& entry, const Costs& costs) const;
  /// The least ticks of those that are no larger than this one; kUnlimited where there is none, and where another cost
  /// than ticks matters too.
  std::int64_t least_ticks(const LayerEntry& entry) const;

 private:
  struct Row {
    Costs costs{};
    std::vector<std::int64_t> local;  // per on-chip memory
    std::int64_t weight_bytes = 0;
    int place = 0;  // of the filters
  };
  using Rows = std::vector<Row>;  // by ticks
  /// By what is fetched ahead, before a schedule and by it.
  static std::size_t kind_of(const LayerEntry& e) { return 2 * e.choice.prefetch + e.fetches; }
  bool no_larger(const Row& row, const LayerEntry& entry) const;
  bool no_costlier(const Row& row, const Costs& costs) const;

  std::vector<int> costs_, memories_;  // that count
  bool ticks_alone_ = true;
  std::array<Rows, 4> rows_;
};

/// Keeps the entries that no other of them beats or equals; by ticks.
std::vector<LayerEntry> undominated(std::vector<LayerEntry> entries, const Goal& goal, const hw::Device& device);

}  // namespace dse::explore
