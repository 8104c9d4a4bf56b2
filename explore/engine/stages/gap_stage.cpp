// What is left of a search where plans need more than their loads once their buffers have addresses.
#include <set>

#include "base/log.h"
#include "explore/compose/close_gap.h"
#include "explore/engine/work.h"
#include "explore/workers/transport.h"

namespace dse::explore {
namespace {

/// Something for each of so many cases in a worker; none can be left out.
void compose_each(Engine& engine, std::size_t count, const std::function<std::string(std::int64_t, Post&)>& make,
                  PoolEvents events) {
  events.on_lost = retry;
  engine.teller.expect(kComposeWeight * static_cast<double>(count));
  auto pool = engine.pool(WhenInterrupted::abandon, engine.deadline);
  pool.hang_seconds = 0;  // composing takes its time, and simulates nothing that could hang
  fork_map(static_cast<std::int64_t>(count), pool, make, events);
}

}  // namespace

bool close_gaps(Engine& engine, std::vector<Work>& works, const std::vector<std::vector<std::string>>& texts) {
  const LoggedStage logged("closing gaps");
  engine.teller.stage("closing gaps");
  struct Item {
    int work;
    std::vector<std::vector<std::int64_t>> reached;
  };
  std::vector<Item> items;
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    Item item{static_cast<int>(w), {}};
    bool tight = true, whole = work.composed.exact && work.whole_lost == 0;
    for (const auto& layer : work.layers) whole = whole && layer.complete();
    for (std::size_t p = 0; p < works[w].composed.points.size(); ++p) {
      const auto it = work.measured.find(texts[w][p]);
      if (it == work.measured.end()) continue;
      const auto& m = it->second;
      // Not Measured::load: a constants image on the chip is in there, but not in what was composed.
      whole &= !m.invalid;  // what is proven with a plan that is wrong is not
      tight &= m.feasible() && m.memory == work.composed.points[p].memory;
      if (m.feasible() && keeps(work.goal, *work.c->device, m.heights, m.costs))
        item.reached.push_back(values_with(work.goal, m.heights, m.costs));
    }
    work.closed = tight;
    if (!tight && whole) items.push_back(std::move(item));
  }
  bool found = false;
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    auto& work = works[static_cast<std::size_t>(items[static_cast<std::size_t>(i)].work)];
    auto closure = closure_from(bytes);
    work.closed = closure.closed;
    if (!closure.closed && !closure.left.empty()) work.bound.bound = std::move(closure.left);
    found |= !closure.points.empty();
    for (auto& p : closure.points) work.composed.points.push_back(std::move(p));
    engine.teller.done(work.name(), kComposeWeight);
  };
  compose_each(
      engine, items.size(),
      [&](std::int64_t i, Post&) {
        const auto& item = items[static_cast<std::size_t>(i)];
        const auto& work = works[static_cast<std::size_t>(item.work)];
        std::vector<PackingFront> packed;
        for (std::size_t t = 0; t < work.layers.size(); ++t)
          packed.push_back(pack_layer(work.space->tasks[t], engine.registry, {}, work.goal, work.layers[t]));
        GapLimits limits;
        limits.deadline = engine.deadline;
        return to_bytes(close_gap(*work.space, packed, work.goal, item.reached, limits));
      },
      events);
  return found;
}

std::vector<std::size_t> close_runs(Engine& engine, std::vector<Work>& works,
                                    const std::vector<std::vector<std::string>>& texts,
                                    const std::vector<std::vector<std::vector<std::int64_t>>>& reached) {
  const LoggedStage logged("closing gaps of plans by phases");
  engine.teller.stage("closing gaps");
  std::vector<std::size_t> items, closed;
  for (std::size_t w = 0; w < works.size(); ++w) {
    const auto& bound = works[w].by_runs.bound;
    const auto open = [&](const auto& least) { return !is_reached(reached[w], least); };
    if (!reached[w].empty() && std::any_of(bound.begin(), bound.end(), open)) items.push_back(w);
  }
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    const auto w = items[static_cast<std::size_t>(i)];
    auto plans = near_from(bytes);
    auto& work = works[w];
    std::set<std::string> seen(texts[w].begin(), texts[w].end());  // whose addresses cost more than their bytes
    for (auto& p : plans.points) {
      plan::Decisions decided{work.c->whole, std::move(p.choices)};
      if (seen.insert(whole_text(*work.c, decided, engine.registry)).second) work.phased.push_back(std::move(decided));
    }
    if (plans.all) closed.push_back(w);
    engine.teller.done(work.name(), kComposeWeight);
  };
  compose_each(
      engine, items.size(),
      [&](std::int64_t i, Post&) {
        const auto w = items[static_cast<std::size_t>(i)];
        return to_bytes(runs_near(engine, works[w], reached[w]));
      },
      events);
  return closed;
}

}  // namespace dse::explore
