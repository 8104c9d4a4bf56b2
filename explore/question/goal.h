// What a search minimises and which limits it keeps, in the exact integers that plans are made of: bytes, ticks,
// femtojoules.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explore/question/case.h"
#include "explore/question/costs.h"
#include "explore/question/sweep.h"
#include "models/hw/device.h"

namespace dse::explore {

/// One metric to minimise: an additive cost, or the sum of the peaks of some on-chip memories.
struct Objective {
  std::string name;
  int cost = -1;               // a Cost, or -1: memory
  std::vector<bool> memories;  // per memory of the device: counts (empty for costs)
};

struct Goal {
  std::vector<Objective> objectives;      // 1 to 4
  std::vector<std::int64_t> limits;       // bytes a plan may use, per memory of the device
  std::int64_t total_limit = kUnlimited;  // bytes of all on-chip memories together
  Costs cost_limits = every_cost(kUnlimited);

  /// Some limit is set besides those per memory.
  bool limited() const;
  /// Whether a composition has to add up this cost: it is an objective or limited.
  bool summed(int cost) const;
  /// Whether schedules of a layer that differ in this cost have to be told apart: it is an objective or limited. Ticks
  /// also break the ties of a single objective.
  bool active(int cost) const;
  /// "ticks,energy": what results of layer searches depend on.
  std::string active_costs() const;
};

/// `name`: memory or ram, a cost (costs.h) or memories.<name>.peak, of a memory that the device has.
Objective objective_of(const std::string& name, const hw::Device& device);

/// Bytes, ticks or femtojoules as points are measured: in bytes, microseconds, microjoules.
double in_unit_of(const std::string& metric, std::int64_t value, const hw::Device& device);

/// Memory and latency within what the device has: the goal when nothing else is asked for.
Goal default_goal(const hw::Device& device);

/// The sweep as it is searched on one device: without the objectives and limits that are facts of the case
/// (is_of_case), which tell its plans not apart, and by `memory` where that and `ram` are the same objective.
SweepSpec on_one_device(SweepSpec spec);

/// Which limit of the sweep this case is over by itself, so that no plan keeps it; empty: none.
std::string over_limit(const SweepSpec& spec, const Case& c);

/// Adds an error where the sweep asks for an accuracy that nobody knows.
void check_facts(const SweepSpec& spec, const Case& c, Diagnostics& diags);

/// The goal of a sweep on this device. Call `check_goal` first. `beside`: bytes that `ram` has beside the arenas
/// (beside_arenas()).
Goal goal_of(const SweepSpec& spec, const hw::Device& device, std::int64_t beside = 0);
/// Of a network there.
Goal goal_of(const SweepSpec& spec, const nn::Network& network, const hw::Device& device);

/// Objectives and constraints that this device cannot be searched for: unknown memories, peaks of memories off the
/// chip as objectives, an area of which it says nothing, energies of which nobody says where they come from, none or
/// more than four objectives besides. `label`: the device as the reader knows it.
void check_goal(const SweepSpec& spec, const hw::Device& device, const std::string& label, Diagnostics& diags);

/// All that a case cannot be asked: check_goal, check_facts, check_ram (ram.h).
void check_case(const SweepSpec& spec, const Case& c, Diagnostics& diags);

/// In every active cost `a` is at most `b`. With an admissible bound as `b`, what has that bound cannot be better.
bool no_costlier(const Costs& a, const Costs& b, const Goal& goal);

/// A plan of these arenas (bytes, per memory of the device) and costs keeps all limits.
bool keeps(const Goal& goal, const hw::Device& device, const std::vector<std::int64_t>& heights, const Costs& costs);

/// What a plan that was given addresses comes to in the goal's objectives; `costs`: of the whole plan.
std::vector<std::int64_t> values_with(const Goal& goal, const std::vector<std::int64_t>& heights, const Costs& costs);

/// Values of the goal's objectives: some of `reached` are no worse than these in any. What has them, or has them as a
/// bound, makes no front better.
bool is_reached(const std::vector<std::vector<std::int64_t>>& reached, const std::vector<std::int64_t>& values);

}  // namespace dse::explore
