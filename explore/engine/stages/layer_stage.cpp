// Stage 1 in worker processes: every distinct layer search of every case, those that the study remembers left out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "explore/engine/plan_budget.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/workers/pool.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"

namespace dse::explore {
namespace {

/// Simulations per layer before the first front.
constexpr std::int64_t kQuick = 8;

/// What is left of a search, in schedules that will be simulated.
double left_of(const LayerFront& front) { return 1 + front.expected(); }

/// What a layer search depends on besides: where no usual schedule keeps limits on bytes it looks further (calls.h).
std::string room_text(const Work& work) {
  const auto free = default_goal(*work.c->device);
  if (work.goal.limits == free.limits && work.goal.total_limit == free.total_limit) return {};
  return fmt::format(" room={},{}", fmt::join(work.goal.limits, ","), work.goal.total_limit);
}

void log_layer(const Work& work, int task) {
  const auto& f = work.layers[static_cast<std::size_t>(task)];
  const auto& layer =
      work.c->network->operators[static_cast<std::size_t>(work.space->tasks[static_cast<std::size_t>(task)].op)];
  log_debug(fmt::format(
      "{}: schedules of {}: {} kept of {} simulated; left out: {} proven dominated, {} infeasible, {} outside of the "
      "space, {} beyond the budget, {} lost{}",
      work.name(), layer.name, f.entries.size(), f.simulated, f.discarded, f.infeasible, f.outside, f.skipped, f.lost,
      f.reason.empty() ? "" : " (" + f.reason + ")"));
}

}  // namespace

std::int64_t Engine::memory_each() const {
  const auto machine = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return (spec.memory > 0 ? spec.memory : machine / 2) / (1 + std::max(1, options.jobs));
}

PoolOptions Engine::pool(WhenInterrupted when, std::optional<std::chrono::steady_clock::time_point> until) const {
  PoolOptions p;
  p.memory = memory_each(), p.deadline = until;
  if (until) p.end = *until + std::max<std::chrono::microseconds>(grace, std::chrono::seconds(1));
  p.jobs = options.jobs, p.hang_seconds = options.hang_seconds, p.interrupted = options.interrupted, p.when = when;
  return p;
}

std::optional<std::chrono::steady_clock::time_point> Engine::until_end() const {
  if (!deadline) return std::nullopt;
  return std::max(*deadline, std::chrono::steady_clock::now() + grace);
}

LayerStage::LayerStage(Engine& engine, std::vector<Work>& works) : engine_(engine), works_(works) {
  const auto& spec = engine.spec;
  // Composing and simulating whole plans needs time as well: the layers may take half.
  if (spec.seconds > 0)
    deadline_ =
        std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(spec.seconds * 1e6 / 2));
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    const auto tasks = work.space->tasks.size();
    work.layers.resize(tasks), work.memos.resize(tasks), work.subjects.resize(tasks);
    LayerBudget budget;
    budget.simulations = for_each_layer(spec.simulations, tasks);
    budget.deadline = deadline_;
    for (std::size_t t = 0; work.hopeless.empty() && t < tasks; ++t) {
      Item item{static_cast<int>(w), static_cast<int>(t), budget,
                fmt::format("search={} costs={} simulations={}{}", work.space->key_of(static_cast<int>(t)),
                            work.goal.active_costs(), budget.simulations, room_text(work))};
      if (engine.study) {
        const auto& task = work.space->tasks[t];
        work.subjects[t] = engine.study->subject(
            {"layer", work.space->subject_of(static_cast<int>(t)) + "/" + work.c->device->hash(),
             work.c->device->hash(), work.c->network_name(), work.c->network->operators[task.op].name,
             work.c->device_label, work.c->device->tick_hz()});
        if (const auto text = engine.study->result(work.subjects[t], item.question))
          if (auto front = layer_front_from_text(*text, task, engine.registry)) {
            work.layers[t] = std::move(*front);
            item.done = true;
          }
        if (!item.done)
          for (auto& c : engine.study->candidates(work.subjects[t]))
            if (c.status == CandidateStatus::simulated || c.status == CandidateStatus::crashed ||
                c.status == CandidateStatus::hung) {
              if (c.status != CandidateStatus::simulated)
                leave_out(work, remembered(c, "a schedule of " + work.c->network->operators[task.op].name));
              work.memos[t].emplace(c.assignment, std::move(c));
            }
      }
      items_.push_back(std::move(item));
    }
    if (!engine.study) continue;
    std::size_t known = 0;
    for (const auto& memo : work.memos) known += memo.size();
    log_debug(fmt::format("{}: {} schedules and {} of {} layer searches known from the study", work.name(), known,
                          std::count_if(items_.begin(), items_.end(),
                                        [&](const Item& i) { return i.done && i.work == static_cast<int>(w); }),
                          tasks));
  }
}

std::vector<LayerStage::Item*> LayerStage::items_left() {
  std::vector<Item*> out;
  for (auto& item : items_)
    if (!item.done) out.push_back(&item);
  return out;
}

/// To go through the schedules of a layer takes its time, however few of them are simulated.
void LayerStage::end_late() {
  if (!late()) return;
  for (auto* item : items_left()) {
    auto& layer = works_[static_cast<std::size_t>(item->work)].layers[static_cast<std::size_t>(item->task)];
    layer.unsearched = layer.entries.empty();
    item->done = true;
  }
}

void LayerStage::quick() {
  engine_.teller.stage("searching the layers");
  // Where every case has a plan by rule, there is a front without a search as well.
  const bool rules =
      std::none_of(works_.begin(), works_.end(), [](const Work& work) { return work.front.points.empty(); });
  run(items_left(), kQuick,
      rules && engine_.deadline ? engine_.pool(WhenInterrupted::abandon, *engine_.deadline) : engine_.pool());
}

bool LayerStage::search(std::chrono::steady_clock::time_point until) {
  engine_.teller.stage("searching the layers");
  end_late();
  for (const auto* item : items_left()) engine_.teller.expect(left_of(works_[item->work].layers[item->task]));
  auto pool = engine_.pool();
  pool.deadline = deadline_ ? std::min(until, *deadline_) : until;
  run(items_left(), 0, pool);
  end_late();
  if (!items_left().empty()) return false;
  for (const auto& item : items_) log_layer(works_[static_cast<std::size_t>(item.work)], item.task);
  return true;
}

/// `cap`: simulations per layer on top of the budget; 0 = the budget alone.
void LayerStage::run(std::vector<Item*> items, std::int64_t cap, PoolOptions pool) {
  const auto work = [&](std::int64_t i, Post& post) {
    const Item& item = *items[static_cast<std::size_t>(i)];
    const Work& w = works_[static_cast<std::size_t>(item.work)];
    const auto t = static_cast<std::size_t>(item.task);
    auto budget = item.budget;
    if (cap > 0) budget.simulations = budget.simulations > 0 ? std::min(budget.simulations, cap) : cap;
    std::vector<Candidate> others;
    LayerWatch watch;
    watch.begin = [&](std::int64_t number, const std::string& text) {
      post.mark(number);
      if (engine_.options.before_candidate) engine_.options.before_candidate(text);
    };
    watch.simulated = [&](const Candidate& c) { post.send(to_bytes(c)); };
    // What was discarded is told of once, when there is no more to come.
    if (engine_.study) watch.settled_otherwise = [&](const Candidate& c) { others.push_back(c); };
    const auto front = search_layer(w.space->tasks[t], engine_.registry, {}, w.goal, budget, w.memos[t], watch);
    if (engine_.study && (cap == 0 || front.complete()))
      for (const auto& c : others) post.send(to_bytes(c));
    return to_bytes(front);
  };
  PoolEvents events;
  events.on_message = [&](std::int64_t i, const std::string& bytes) {
    take(*items[static_cast<std::size_t>(i)], candidate_from(bytes));
  };
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    Item& item = *items[static_cast<std::size_t>(i)];
    Work& w = works_[static_cast<std::size_t>(item.work)];
    const auto t = static_cast<std::size_t>(item.task);
    const double open = left_of(w.layers[t]);
    w.layers[t] = layer_front_from(bytes);
    const auto& front = w.layers[t];
    const bool capped = cap > 0 && (item.budget.simulations == 0 || item.budget.simulations > cap);
    item.done = front.skipped == 0 || !capped;
    if (item.done) {
      const bool timed = item.budget.deadline && front.skipped > 0;  // another run would end elsewhere
      if (engine_.study && front.lost == 0 && !timed)
        engine_.study->finish(w.subjects[t], item.question, to_text(front, w.space->tasks[t], engine_.registry));
      LayerMemo().swap(w.memos[t]);
      engine_.teller.discarded(front.discarded);
    }
    if (cap == 0) engine_.teller.done(w.name(), open);
  };
  events.on_lost = [&](const Lost& loss) { return lost(*items[static_cast<std::size_t>(loss.item)], loss); };
  fork_map(static_cast<std::int64_t>(items.size()), pool, work, events);
}

void LayerStage::take(const Item& item, const Candidate& candidate) {
  Work& w = works_[static_cast<std::size_t>(item.work)];
  const auto t = static_cast<std::size_t>(item.task);
  if (engine_.study) engine_.study->put(w.subjects[t], candidate);
  if (candidate.status != CandidateStatus::simulated) return;
  w.memos[t].emplace(candidate.assignment, candidate);
  engine_.teller.simulated(1);
}

AfterLoss LayerStage::lost(Item& item, const Lost& loss) {
  Work& w = works_[static_cast<std::size_t>(item.work)];
  const auto t = static_cast<std::size_t>(item.task);
  if (may_try_again(loss)) return AfterLoss::again;
  const auto& task = w.space->tasks[t];
  const auto& layer = w.c->network->operators[task.op].name;
  if (loss.mark < 0) {
    w.layers[t].lost = 1;
    item.done = true;
    leave_out(w, left_by(loss, "the search of the schedules of " + layer));
    return AfterLoss::give_up;
  }
  const auto all = enumerate(task, engine_.registry);
  Candidate c;
  c.assignment = plan::layer_text(engine_.registry, task.context, all.at(static_cast<std::size_t>(loss.mark)));
  c.status = loss.hung ? CandidateStatus::hung : CandidateStatus::crashed;
  c.reason = loss.how;
  leave_out(w, left_by(loss, "a schedule of " + layer, c.assignment));
  if (engine_.study && !loss.exhausted) engine_.study->put(w.subjects[t], c);
  w.memos[t][c.assignment] = std::move(c);
  return AfterLoss::again;
}

}  // namespace dse::explore
