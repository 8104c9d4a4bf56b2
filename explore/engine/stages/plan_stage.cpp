// Stages 2 and 3: composed plans are measured, and so is what is planned beside them.
#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "explore/engine/plan_budget.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/layer/reached.h"
#include "explore/workers/pool.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"

namespace dse::explore {
namespace {

const char* kind_at(const Work& work, std::size_t plan) {
  return plan < work.composed.points.size() ? "composed plan" : "plan by phases";
}

/// The plans of a case, searched and given, that are settled. What is measured besides, for an earlier front or by a
/// run that this one goes on with, must not decide what else is: the result would depend on it.
std::vector<Point> settled_points(const Work& work, const std::vector<std::string>& texts) {
  std::vector<Point> out;
  for (const auto& text : texts)
    if (const auto it = work.measured.find(text); work.settled.count(text) > 0 && it != work.measured.end() &&
                                                  it->second.feasible() && !is_left_out(work, it->second.plan))
      out.push_back(light_point(*work.c, it->second));
  for (const auto& given : work.given)
    if (given.simulated) out.push_back(given.point);
  return out;
}

/// A plan with these least needs is no answer, or one that something measured is at least as good as.
bool is_beaten(const Work& work, const Measured& least, const std::vector<std::vector<std::int64_t>>& reached) {
  if (!keeps(work.goal, *work.c->device, least.heights, least.costs)) return true;
  return is_reached(reached, values_with(work.goal, least.heights, least.costs));
}

/// Assignment texts of whole plans: the composed ones, then those by phases, per case.
using Texts = std::vector<std::vector<std::string>>;

Texts texts_of(const Engine& engine, const std::vector<Work>& works) {
  Texts out(works.size());
  for (std::size_t w = 0; w < works.size(); ++w)
    for (std::size_t p = 0; p < plan_count(works[w]); ++p)
      out[w].push_back(whole_text(*works[w].c, decisions_at(works[w], p), engine.registry));
  return out;
}

/// What is settled so far, by case, point and objective.
std::vector<std::vector<std::vector<std::int64_t>>> reached_by(const std::vector<Work>& works, const Texts& texts) {
  std::vector<std::vector<std::vector<std::int64_t>>> out;
  for (std::size_t w = 0; w < works.size(); ++w)
    out.push_back(reached_by(settled_points(works[w], texts[w]), works[w].goal, *works[w].c->device));
  return out;
}

/// Composed plans that are measured for a front that is not the last: enough to look at.
constexpr std::int64_t kInterimPlans = 24;

/// What is measured at a time: composed plans all over the front, those composed with phases, all by phases, whatever
/// is left. For a front so far a sample, too, but when a run goes on only what is remembered of it: it has been looked
/// at already.
enum class Part { interim, sample, by_runs, by_phases, rest };

/// Of a budget, so that something is left for the later ones.
int thirds_for(Part part) { return part == Part::rest ? 3 : part == Part::sample ? 1 : 2; }

/// The same of a whole plan, by what is known without making it.
bool is_beaten(const Work& work, std::size_t plan, const std::string& text,
               const std::vector<std::vector<std::int64_t>>& reached) {
  const auto least = work.unplaced.find(text);
  if (least != work.unplaced.end()) return is_beaten(work, least->second, reached);
  return plan < work.composed.points.size() && is_reached(reached, work.composed.points[plan].values);
}

/// Whole plans that have not been measured yet, each through the full pipeline, but for those that are proven beaten.
/// @returns false when interrupted.
bool measure(Engine& engine, std::vector<Work>& works, const Texts& texts, Part part) {
  struct Item {
    int work;
    std::size_t point;
  };
  std::vector<Item> items;
  const auto reached = reached_by(works, texts);
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    auto left = part == Part::interim ? looks_left(engine, work) : plans_left(engine, work, thirds_for(part));
    const auto drawn_plans = std::clamp<std::int64_t>(left, 1, kInterimPlans);
    const std::size_t composed = work.composed.points.size(),
                      each = 1 + composed / static_cast<std::size_t>(drawn_plans);
    const auto remembered = [&](const std::string& text) { return work.known.count(text) > 0; };
    const bool seen = part == Part::interim && std::any_of(texts[w].begin(), texts[w].end(), remembered);
    const bool phased = part == Part::by_runs || part == Part::by_phases;
    const std::size_t end = part == Part::by_runs ? composed + work.composed_phased : texts[w].size();
    for (std::size_t p = phased ? composed : 0; p < end; ++p) {
      const auto& text = texts[w][p];
      const bool drawn = p < composed && (p % each == 0 || p + 1 == composed);
      if ((part == Part::sample && !drawn) || (part == Part::interim && !(seen ? remembered(text) : drawn))) continue;
      if (work.settled.count(text) > 0 || work.beaten.count(text) > 0) continue;
      if ((phased || part == Part::rest) && is_beaten(work, p, text, reached[w])) {
        work.beaten.insert(text);
        continue;
      }
      const bool made = work.measured.count(text) > 0;
      if (left-- <= 0) break;
      if (part == Part::interim)
        work.looked_at += !made;
      else
        work.settled.insert(text), ++work.tried;
      if (!made) items.push_back({static_cast<int>(w), p});
    }
  }
  engine.teller.stage("simulating whole plans");
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  // Some plans at least, so that there is a front; what is more has to be in time.
  const auto until = part == Part::interim || part == Part::sample ? engine.until_end() : engine.deadline;
  const LoggedStage logged(fmt::format("measuring {} whole plans", items.size()));
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    const auto& item = items[static_cast<std::size_t>(i)];
    auto& work = works[static_cast<std::size_t>(item.work)];
    const auto& text = texts[static_cast<std::size_t>(item.work)][item.point];
    const auto measured = measured_from(bytes);
    if (engine.study) engine.study->put(work.network_subject, candidate_of(measured, text));
    if (measured.invalid) leave_out(work, refused(measured, kind_at(work, item.point), text));
    if (part != Part::interim && (measured.beaten || measured.costs[kTicks] < 0)) --work.tried;  // not simulated
    if (measured.beaten)
      work.beaten.insert(text), work.unplaced[text] = measured;
    else
      work.measured[text] = measured;
    if (!measured.beaten && work.known.count(text) == 0) engine.teller.simulated(1);
    engine.teller.done(work.name(), kPlanWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (may_try_again(loss)) return AfterLoss::again;
    const auto& item = items[static_cast<std::size_t>(loss.item)];
    auto& work = works[static_cast<std::size_t>(item.work)];
    Candidate c;
    c.assignment = texts[static_cast<std::size_t>(item.work)][item.point];
    c.status = loss.hung ? CandidateStatus::hung : CandidateStatus::crashed, c.reason = loss.how;
    if (engine.study && !loss.exhausted) engine.study->put(work.network_subject, c);
    ++work.whole_lost;
    leave_out(work, left_by(loss, kind_at(work, item.point), c.assignment));
    return AfterLoss::give_up;
  };
  fork_map(
      static_cast<std::int64_t>(items.size()), engine.pool(WhenInterrupted::abandon, until),
      [&](std::int64_t i, Post& post) {
        const auto& item = items[static_cast<std::size_t>(i)];
        const auto& work = works[static_cast<std::size_t>(item.work)];
        const auto& text = texts[static_cast<std::size_t>(item.work)][item.point];
        post.mark(0);
        const auto known = work.known.find(text);
        if (known == work.known.end() && engine.options.before_candidate) engine.options.before_candidate(text);
        const auto* before = known == work.known.end() ? nullptr : &known->second;
        const auto decided = decisions_at(work, item.point);
        const bool simulated = before && before->status == CandidateStatus::simulated;
        if (item.point >= work.composed.points.size() && !simulated && work.unplaced.count(text) == 0) {
          auto least = least_of(*work.c, decided, before);
          if (least.feasible()) least.beaten = is_beaten(work, least, reached[static_cast<std::size_t>(item.work)]);
          if (least.beaten || !least.feasible()) return to_bytes(least);
        }
        return to_bytes(evaluate(*work.c, decided, before));
      },
      events);
  return !engine.interrupted();
}

/// Goes on while a budget of simulations has something left, as plans that turn out beaten take nothing from it.
bool measure_all(Engine& engine, std::vector<Work>& works, const Texts& texts, Part part) {
  const auto settled = [&] {
    std::size_t all = 0;
    for (const auto& work : works) all += work.settled.size();
    return all;
  };
  for (auto before = settled();; before = settled()) {
    if (!measure(engine, works, texts, part)) return false;
    if (engine.spec.simulations == 0 || settled() == before) return true;
  }
}

}  // namespace

void settle(Engine& engine, std::vector<Work>& works, bool last) {
  if (last && !engine.late()) measure_runs(engine, works);
  if (engine.interrupted() || !compose_all(engine, works, last)) return;
  if (last)
    for (auto& work : works) try {
        work.settled.clear(), work.beaten.clear(), work.tried = 0;
        plan_phases(engine, work);
      } catch (const InvariantError& e) {
        leave_out(work, {"planning by phases", "", "", "failed", e.what()});
      }
  auto texts = texts_of(engine, works);
  // A few composed plans spare most of those by phases, and these many of the composed ones.
  if (!measure(engine, works, texts, last ? Part::sample : Part::interim)) return;
  if (last) {
    for (const auto part : {Part::by_runs, Part::by_phases, Part::rest})
      if (!measure_all(engine, works, texts, part)) return;
    if (!engine.late() && close_gaps(engine, works, texts)) {
      texts = texts_of(engine, works);
      if (!measure(engine, works, texts, Part::rest)) return;
    }
    const auto near =
        engine.late() ? std::vector<std::size_t>{} : close_runs(engine, works, texts, reached_by(works, texts));
    if (engine.interrupted()) return;
    if (!near.empty()) {
      texts = texts_of(engine, works);
      if (!measure(engine, works, texts, Part::by_phases)) return;
      const auto reached = reached_by(works, texts);
      for (const auto w : near)
        if (works[w].whole_lost == 0) works[w].by_runs.bound = reached[w];
    }
    if (!engine.late()) simulate_as_in_file(engine, works);
    if (engine.interrupted()) return;
  }
  report_fronts(engine, works, [&](std::size_t w, DecisionsById& decided) {
    return front_of(engine, works[w], texts[w], last, decided);
  });
}

}  // namespace dse::explore
