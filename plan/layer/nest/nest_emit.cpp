// The loops. The order of the list is the order of issue: what is needed first comes first, and a prefetch precedes the
// compute that hides it.
#include <algorithm>

#include "plan/layer/nest/loops.h"
#include "plan/layer/nest/nest_tasks.h"

namespace dse::plan {

void NestTasks::emit() {
  if (g_.form == WeightForm::plane_major && stages_now()) stage_all();
  for (const int level : {-1, 0}) parameters(level - 1), begin(level);
  turns(0);
  finish(-1);
}

void NestTasks::turns(int level) {
  if (level == static_cast<int>(g_.nest.loops.size())) return compute();
  const auto loop = g_.nest.loops[static_cast<std::size_t>(level)];
  p_.loop(loop == Loop::sets ? g_.sets : loop == Loop::rows ? g_.tiles : g_.steps);
  parameters(level);
  begin(level + 1);
  ahead(level);
  turns(level + 1);
  finish(level);
  behind(level);
  p_.end();
}

/// Records of a set's filters, where they travel apart.
void NestTasks::parameters(int level) {
  if (g_.form == WeightForm::plane_major && copies_filters() && g_.nest.parameters == level) load_parameters();
}

/// Before a loop opens: all of its first turns but what comes ahead in it.
void NestTasks::begin(int level) {
  const auto first = [&](const Stream& stream, auto&& load) {
    if (stream.loop != level) return;
    auto after = free_at(level);
    if (waits_for_stores(stream)) after.push_back({kStore, 0});
    for (int n = 0; n < std::max(1, stream.depth - 1); ++n) load(Turn{n}, after);
  };
  first(g_.nest.input, [&](Turn turn, const Dependencies& after) {
    bring_inputs(turn, after);
    load_inputs(turn, after);
    if (turn.number == g_.nest.input.depth - 2) bring_inputs({turn.number + 1}, after);
  });
  // Before the first filters are loaded, or the loops that load them begin.
  if (level == std::min(g_.nest.filters.loop, 0) && g_.form == WeightForm::filter_major && stages_now() &&
      !stages_sets())
    stage_all();
  first(g_.nest.filters, [&](Turn turn, const Dependencies& after) { load_filters(turn, after); });
}

/// In a loop, before what it computes: what has room beside it.
void NestTasks::ahead(int level) {
  const auto next = [&](const Stream& stream) { return stream.loop == level && stream.depth > 1; };
  const auto turn = [](const Stream& stream) { return Turn{stream.depth - 1, true}; };
  if (next(g_.nest.input)) {
    load_inputs(turn(g_.nest.input), {{kCompute, 0}});
    bring_inputs({g_.nest.input.depth, true}, {});
  }
  if (next(g_.nest.filters)) load_filters(turn(g_.nest.filters), {{kCompute, 0}});
}

/// In a loop, after what it computed: what takes its place.
void NestTasks::behind(int level) {
  const auto next = [&](const Stream& stream) { return level >= 0 && stream.loop == level && stream.depth == 1; };
  if (next(g_.nest.input)) {
    bring_inputs({1, true}, {});
    load_inputs({1, true}, {{kCompute, 0}});
  }
  if (next(g_.nest.filters)) load_filters({1, true}, {{kCompute, 0}});
}

void NestTasks::finish(int level) {
  if (g_.nest.output.loop == level && !g_.output_in_place) store();
}

/// A set's first loads that come after its loop began wait for the stores of the set before, where its first tile takes
/// the place of one that is still on its way; the compute that waits for them need not.
bool NestTasks::waits_for_stores(const Stream& stream) const {
  return stream.loop > index(Loop::sets) && stores_under_way(g_, g_.nest.output.depth) < g_.nest.output.depth - 1;
}

}  // namespace dse::plan
