// The schedules of one layer that are worth composing: every one simulated in SystemC, or proven dominated by one that
// was.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "explore/layer/entry.h"
#include "explore/question/goal.h"
#include "explore/space/space.h"
#include "explore/study/records.h"
#include "plan/choices/choice.h"

namespace dse::explore {

struct LayerFront {
  std::vector<LayerEntry> entries;  // Pareto-optimal in the goal's active costs and local bytes per on-chip memory, per
                                    // place of the filters and what is fetched ahead; by ticks
  std::vector<LayerEntry> open;  // neither simulated nor proven dominated, with admissible bounds as their costs: what
                                 // a longer search could still find
  std::int64_t simulated = 0, discarded = 0, infeasible = 0;
  std::int64_t skipped = 0;  // the budget was used up
  std::int64_t outside = 0;  // more calls than the task allows
  std::int64_t lost = 0;     // crashed or hung
  bool unsearched = false;   // the time was up before anything was known of it
  // Schedules inside the space, whatever became of them: those that fetch their filters themselves, and those whose
  // filters the layer before fetches.
  std::int64_t own = 0, fetched = 0;
  std::string reason;  // when there is no entry: why the last candidate failed
  /// Every candidate is settled.
  bool complete() const { return skipped == 0 && lost == 0 && !unsearched; }
  /// A budget ended its search.
  bool cut() const { return skipped > 0 || unsearched; }
  /// An estimate of what of the skipped ones a longer search will simulate: as large a share as of those settled.
  double expected() const {
    const auto settled = simulated + discarded;
    return settled > 0 ? static_cast<double>(skipped) * static_cast<double>(simulated) / static_cast<double>(settled)
                       : 0;
  }
};

/// Limits on one layer search. Whatever they are, the fastest-looking and the smallest candidate are simulated.
struct LayerBudget {
  std::int64_t simulations = 0;  // at most; 0 = as many as it takes
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

/// What is known of a layer's candidates beforehand, by assignment text: simulated ones are not run again, crashed and
/// hung ones are left out.
using LayerMemo = std::map<std::string, Candidate>;

/// Follows a search as it goes; all may be empty.
struct LayerWatch {
  /// About to simulate this one: its number in the order of enumerate(), its assignment.
  std::function<void(std::int64_t, const std::string&)> begin;
  std::function<void(const Candidate&)> simulated;  // and this is what came of it
  /// Of each kind (dominated, infeasible, outside) the first kTold: dominated ones by their bound.
  std::function<void(const Candidate&)> settled_otherwise;
};

/// So many schedules are told of for each way of being ruled out without a simulation; the front counts all. There are
/// ten to a hundred times as many as are simulated.
constexpr int kTold = 20;

/// Candidates are taken in the order of their bounds; one whose bounds and bytes a simulated one already reaches is
/// discarded. `further`: as enumerate() takes it. `goal` tells which costs matter; `budget` when to stop before all
/// candidates are settled.
LayerFront search_layer(const LayerTask& task, const plan::ChoiceRegistry& registry,
                        const std::map<std::string, std::vector<std::string>>& further, const Goal& goal,
                        const LayerBudget& budget = {}, const LayerMemo& memo = {}, const LayerWatch& watch = {});

/// The layer alone as a program: for timing only (every buffer at offset 0 of its memory). `fetches`: with the copy
/// that LayerTask::next says.
program::Program layer_program(const LayerTask& task, const plan::LayerGeometry& geometry, bool fetches = false);

/// A finished search as JSON text, schedules by name, and back. Nothing when the text does not fit the task.
std::string to_text(const LayerFront& front, const LayerTask& task, const plan::ChoiceRegistry& registry);
std::optional<LayerFront> layer_front_from_text(const std::string& text, const LayerTask& task,
                                                const plan::ChoiceRegistry& registry);

}  // namespace dse::explore
