// Stage 2: schedules of layers become plans of whole networks, in workers.
#include <algorithm>

#include "base/log.h"
#include "explore/compose/compose.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/layer/reached.h"
#include "explore/workers/pool.h"
#include "explore/workers/transport.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;
/// Seconds that composing may take when it is only for the front so far.
constexpr auto kInterim = std::chrono::seconds(2);

/// Schedules that were simulated, and those of which only a bound is known.
std::vector<LayerFront> with_open(const Work& work) {
  std::vector<LayerFront> out = work.layers;
  for (auto& layer : out) {
    layer.entries.insert(layer.entries.end(), layer.open.begin(), layer.open.end());
    layer.entries = undominated(std::move(layer.entries), work.goal, *work.c->device);
    layer.open.clear();
  }
  return out;
}

bool anything_open(const Work& work) {
  return std::any_of(work.layers.begin(), work.layers.end(), [](const LayerFront& f) { return !f.open.empty(); });
}

}  // namespace

bool compose_all(Engine& engine, std::vector<Work>& works, bool last) {
  const LoggedStage logged("composition");
  engine.teller.stage("composing");
  const auto count = static_cast<std::int64_t>(works.size());
  if (last) engine.teller.expect(kComposeWeight * static_cast<double>(count));
  auto deadline = engine.until_end();
  if (!last) deadline = std::min(Clock::now() + kInterim, deadline.value_or(Clock::time_point::max()));
  CompositionOptions within;
  within.deadline = deadline, within.memory = std::min(within.memory, engine.memory_each() / 2);
  for (auto& work : works) {  // until they are told
    work.composed = work.bound = work.filed = work.by_runs = {};
    work.composed.exact = work.by_runs.exact = false;
  }
  PoolEvents events;
  events.on_done = [&](std::int64_t w, const std::string& bytes) {
    if (w >= count) {
      works[w - count].by_runs = composition_from(bytes);
      return;
    }
    ByteReader r(bytes);
    std::string composed, bound, filed;
    r >> composed >> bound >> filed;
    works[w].composed = composition_from(composed), works[w].bound = composition_from(bound);
    works[w].filed = composition_from(filed);
    if (last) engine.teller.done(works[w].name(), kComposeWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (may_try_again(loss)) return AfterLoss::again;
    auto& work = works[static_cast<std::size_t>(loss.item % count)];
    if (loss.item >= count) {
      leave_out(work, left_by(loss, "what layers by phases compose to"));
      return AfterLoss::give_up;
    }
    leave_out(work, left_by(loss, "what the layers compose to"));
    return AfterLoss::give_up;
  };
  // What ends the compositions heeds the deadline by itself, and leaves what it has; the pool need not wait for others.
  auto pool = engine.pool(WhenInterrupted::abandon, engine.deadline ? deadline : std::nullopt);
  pool.deadline.reset();
  pool.hang_seconds = 0;  // a large network takes its time, and composing simulates nothing that could hang
  fork_map(
      last ? 2 * count : count, pool,  // those by phases beside the others
      [&](std::int64_t w, Post&) {
        if (w >= count) return to_bytes(compose_runs(works[w - count], within));
        const auto& work = works[w];
        auto options = within;
        const auto composed = compose(*work.space, work.layers, work.goal, options);
        CompositionFront bound, filed;
        if (last && work.space->orders.any) {
          options.file_order = true;
          filed = compose(*work.space, work.layers, work.goal, options);
          options.file_order = false;
        }
        if (anything_open(work) || (!composed.exact && composed.bound.empty())) {
          options.relaxed = true;
          bound = compose(*work.space, with_open(work), work.goal, options);
        } else {
          bound.bound = composed.bound;
        }
        ByteWriter out;
        out << to_bytes(composed) << to_bytes(bound) << to_bytes(filed);
        return std::move(out.bytes);
      },
      events);
  return !engine.interrupted();
}

}  // namespace dse::explore
