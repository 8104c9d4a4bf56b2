// What limits would have to be where no plan keeps them: the same search once more for each of them, with the limits
// relaxed, so that every answer is a plan that was simulated.
#include <algorithm>
#include <map>

#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/front/least.h"
#include "explore/workers/transport.h"

namespace dse::explore {
namespace {

/// Whole plans that keep all limits of a sweep, found by asking about its limits, by case and text.
using FoundBesides = std::map<const Case*, std::map<std::string, plan::Decisions>>;

/// Of one limit: alone, or beside all others.
SweepSpec relaxed(const SweepSpec& spec, std::size_t limit, bool beside, const std::vector<Work>& works) {
  SweepSpec out = spec;
  const auto& metric = spec.constraints[limit].metric;
  const bool searched = std::all_of(works.begin(), works.end(), [&](const Work& work) {
    Diagnostics unfit;
    SweepSpec alone;
    alone.objectives = {metric};
    check_goal(alone, *work.c->device, work.c->device_label, unfit);
    return !unfit.has_errors();
  });
  if (searched) out.objectives = {metric};  // else what is found on the way is the answer
  if (beside)
    out.constraints.erase(out.constraints.begin() + static_cast<std::ptrdiff_t>(limit));
  else
    out.constraints.clear();
  out.front_points = 0;
  return out;
}

/// Plans by phases are made over the smallest and the fastest plan as well, whatever the question: a run without limits
/// makes them over these.
void find_bases(Engine& engine, std::vector<Work>& works) {
  std::vector<SweepSpec> ends(2, engine.spec);
  for (auto& end : ends) end.constraints.clear();
  ends[0].objectives = {"memory"}, ends[1].objectives = {"latency"};
  std::vector<CompositionFront> found(2 * works.size());  // in the order of questions, whichever is answered first
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    found[static_cast<std::size_t>(i)] = composition_from(bytes);
  };
  events.on_lost = [](const Lost& loss) { return may_try_again(loss) ? AfterLoss::again : AfterLoss::give_up; };
  auto pool = engine.pool(WhenInterrupted::abandon, engine.until_end());
  pool.hang_seconds = 0;
  fork_map(
      static_cast<std::int64_t>(2 * works.size()), pool,
      [&](std::int64_t i, Post&) {
        const auto& work = works[static_cast<std::size_t>(i / 2)];
        CompositionOptions options;
        options.deadline = engine.until_end(), options.memory = engine.memory_each() / 2;
        options.file_order = true;  // which plans by phases keep
        return to_bytes(compose(*work.space, work.layers,
                                goal_of(ends[static_cast<std::size_t>(i % 2)], *work.c->network, *work.c->device),
                                options));
      },
      events);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (auto& p : found[i].points) works[i / 2].bases.push_back(std::move(p.choices));
}

/// Searches with these objectives and limits, from nothing but `besides`; work.front is what comes of it. Measurements
/// are kept, but decide nothing: that a question was asked before must not change what is found, or an answer could not
/// be had again by asking for it.
void search_again(const Engine& engine, std::vector<Work>& works, const SweepSpec& spec, const FoundBesides& besides) {
  Engine again{spec,          engine.options, engine.registry, engine.study,
               engine.teller, engine.diags,   engine.deadline, engine.grace};
  for (auto& work : works) {
    work.goal = goal_of(spec, *work.c->network, *work.c->device);
    work.composed = work.bound = work.filed = work.by_runs = {};
    work.beaten.clear();
    work.closed = false;
    work.front.points.clear();
    const auto it = besides.find(work.c);
    work.phased.clear();
    if (it == besides.end()) continue;
    for (const auto& [text, decided] : it->second) work.phased.push_back(decided);
  }
  settle(again, works, true);
}

/// Plans of the last search that keep the limits of the sweep.
void keep_found(const Engine& engine, const Work& work, FoundBesides& besides) {
  const auto goal = goal_of(engine.spec, *work.c->network, *work.c->device);
  for (std::size_t p = 0; p < plan_count(work); ++p) {
    auto decided = decisions_at(work, p);
    const auto text = whole_text(*work.c, decided, engine.registry);
    const auto it = work.measured.find(text);
    if (it == work.measured.end() || !it->second.feasible()) continue;
    const auto& m = it->second;
    if (keeps(goal, *work.c->device, m.heights, m.costs)) besides[work.c].try_emplace(text, std::move(decided));
  }
}

Least::Found found_in(const Front& front, const std::string& metric) {
  const auto least = std::min_element(front.points.begin(), front.points.end(), [&](const Point& a, const Point& b) {
    return value_of(a, metric) < value_of(b, metric);
  });
  // Plans by phases are planned beside the search, from what it found: under other limits there may be others.
  const bool whole = front.complete && front.phased == 0;
  if (least == front.points.end()) return {-1, "", "", whole};
  const bool searched = front.objectives == std::vector<std::string>{metric};
  return {value_of(*least, metric), least->id, least->outside, whole && searched};
}

bool kept(const Least& l, const Least::Found& found) { return found.value >= 0 && found.value <= l.limit; }

/// Asks about every limit, alone or beside the others. @returns false when interrupted.
bool ask(Engine& engine, std::vector<Work>& works, std::vector<std::vector<Least>>& answers, bool beside,
         FoundBesides& besides) {
  for (std::size_t k = 0; k < engine.spec.constraints.size(); ++k) {
    search_again(engine, works, relaxed(engine.spec, k, beside, works), {});
    if (engine.interrupted()) return false;
    for (std::size_t w = 0; w < works.size(); ++w) {
      auto& answer = answers[w][k];
      (beside ? answer.beside : answer.alone) = found_in(works[w].front, answer.metric);
      keep_found(engine, works[w], besides);
    }
  }
  return true;
}

/// Moves the works for which `pick` holds out of `works`, with their numbers.
template <class Pick>
std::vector<std::size_t> take(std::vector<Work>& works, std::vector<Work>& out, const Pick& pick) {
  std::vector<std::size_t> numbers;
  for (std::size_t w = 0; w < works.size(); ++w)
    if (pick(w)) numbers.push_back(w), out.push_back(std::move(works[w]));
  return numbers;
}
void put_back(std::vector<Work>& works, std::vector<Work>& from, const std::vector<std::size_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) works[numbers[i]] = std::move(from[i]);
}

/// The questions of all these cases; afterwards their fronts are those of the sweep's own question.
void answer(Engine& engine, std::vector<Work>& works) {
  std::vector<Front> fronts;
  std::vector<std::vector<Least>> answers;
  for (auto& work : works) {
    fronts.push_back(work.front);
    answers.emplace_back();
    for (const auto& k : engine.spec.constraints) answers.back().push_back({k.metric, k.limit, {}, {}});
  }
  FoundBesides besides;
  find_bases(engine, works);
  bool whole = ask(engine, works, answers, false, besides);
  if (whole && engine.spec.constraints.size() > 1) {
    std::vector<Work> together;
    const auto numbers = take(works, together, [&](std::size_t w) {
      return std::all_of(answers[w].begin(), answers[w].end(), [](const Least& l) { return kept(l, l.alone); });
    });
    std::vector<std::vector<Least>> own;
    for (const auto w : numbers) own.push_back(answers[w]);
    if (!together.empty()) whole = ask(engine, together, own, true, besides);
    for (std::size_t i = 0; i < numbers.size(); ++i) answers[numbers[i]] = own[i];
    put_back(works, together, numbers);
  }
  // What was found on the way may keep all limits.
  std::vector<Work> after_all;
  const auto numbers = take(works, after_all, [&](std::size_t w) { return whole && besides.count(works[w].c) > 0; });
  if (!after_all.empty()) search_again(engine, after_all, engine.spec, besides);
  put_back(works, after_all, numbers);
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    const bool found = std::count(numbers.begin(), numbers.end(), w) > 0 && !work.front.points.empty();
    if (!found) work.front = std::move(fronts[w]);
    work.front.left_out = work.left_out;
    if (!work.front.points.empty() || !whole) continue;
    work.front.least = std::move(answers[w]);
    work.front.infeasible_reason = why_infeasible(work.front.least, work.front.infeasible_reason);
  }
}

}  // namespace

void ask_least(Engine& engine, std::vector<Work>& works) {
  if (engine.interrupted() || engine.late() || engine.spec.constraints.empty()) return;
  engine.teller.stage("what is possible");
  // Where only plans by rule keep the limits the questions may lead to better ones, unless a budget ended the search.
  const auto unanswered = [&](std::size_t w) {
    const auto& points = works[w].front.points;
    return works[w].hopeless.empty() &&
           (points.empty() || (only_by_rule(works[w].front) && works[w].front.skipped == 0));
  };
  std::vector<Work> asked;
  const auto numbers = take(works, asked, unanswered);
  if (!asked.empty()) answer(engine, asked);
  put_back(works, asked, numbers);
}

}  // namespace dse::explore
