// Stages 2 and 3: composition, whole plans, the front and its points in full.
#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "explore/compose/close_gap.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/workers/pool.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;
/// Seconds that composing may take when it is only for the front so far.
constexpr auto kInterim = std::chrono::seconds(2);

std::string text_of(const Work& work, const std::vector<plan::LayerChoice>& choices,
                    const plan::ChoiceRegistry& registry) {
  return whole_text(*work.c, choices, registry);
}

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

/// Whole plans to simulate: the composed ones, then those by phases.
std::size_t plan_count(const Work& work) { return work.composed.points.size() + work.phased.size(); }
const char* kind_at(const Work& work, std::size_t plan) {
  return plan < work.composed.points.size() ? "composed plan" : "plan by phases";
}

/// The composed plans and the given ones of a case, as far as they are measured.
std::vector<Point> points_beside(const Work& work, const std::vector<std::string>& texts) {
  std::vector<Point> out;
  for (std::size_t p = 0; p < work.composed.points.size(); ++p)
    if (const auto it = work.measured.find(texts[p]);
        it != work.measured.end() && it->second.feasible() && !is_left_out(work, it->second.plan))
      out.push_back(light_point(*work.c, it->second));
  for (const auto& given : work.given)
    if (given.simulated && !given.aside) out.push_back(given.point);
  return out;
}

/// A plan with these least needs is no answer, or one that something measured is at least as good as.
bool is_beaten(const Work& work, const Measured& least, const std::vector<std::vector<std::int64_t>>& reached) {
  if (!keeps(work.goal, *work.c->device, least.heights, least.costs)) return true;
  const auto values = values_with(work.goal, least.heights, least.costs);
  return std::any_of(reached.begin(), reached.end(), [&](const auto& other) {
    return std::equal(other.begin(), other.end(), values.begin(), [](auto a, auto b) { return a <= b; });
  });
}

/// Composes every case: plans of simulated schedules and, where that is not all, a bound on what else there may be.
bool compose_all(Engine& engine, std::vector<Work>& works, bool last) {
  const LoggedStage logged("composition");
  const auto count = static_cast<std::int64_t>(works.size());
  if (last) engine.teller.expect(kComposeWeight * static_cast<double>(count));
  auto deadline = engine.until_end();
  if (!last) deadline = std::min(Clock::now() + kInterim, deadline.value_or(Clock::time_point::max()));
  PoolEvents events;
  events.on_done = [&](std::int64_t w, const std::string& bytes) {
    ByteReader r(bytes);
    std::string composed, bound;
    r >> composed >> bound;
    works[w].composed = composition_from(composed), works[w].bound = composition_from(bound);
    if (last) engine.teller.done(works[w].name(), kComposeWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (loss.times < kAttempts) return AfterLoss::again;
    auto& work = works[static_cast<std::size_t>(loss.item)];
    work.composed = work.bound = {};
    work.composed.exact = false;
    leave_out(work, left_by(loss, "what the layers compose to"));
    return AfterLoss::give_up;
  };
  auto pool = engine.pool();
  pool.hang_seconds = 0;  // a large network takes its time, and composing simulates nothing that could hang
  fork_map(
      count, pool,
      [&](std::int64_t w, Post&) {
        const auto& work = works[w];
        CompositionOptions options;
        options.deadline = deadline;
        const auto composed = compose(*work.space, work.layers, work.goal, options);
        CompositionFront bound;
        if (anything_open(work) || !composed.exact) {
          options.relaxed = true;
          bound = compose(*work.space, with_open(work), work.goal, options);
        } else {
          bound.bound = composed.bound;
        }
        ByteWriter out;
        out << to_bytes(composed) << to_bytes(bound);
        return std::move(out.bytes);
      },
      events);
  return !engine.interrupted();
}

/// Whole plans of the compositions that have not been measured yet, each through the full pipeline.
/// @returns the assignment texts of their points, per case; nothing when interrupted.
std::optional<std::vector<std::vector<std::string>>> measure_all(Engine& engine, std::vector<Work>& works) {
  std::vector<std::vector<std::string>> texts(works.size());
  struct Item {
    int work;
    std::size_t point;
  };
  std::vector<Item> items;
  std::vector<std::vector<std::vector<std::int64_t>>> reached;  // by case, point and objective
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& work = works[w];
    for (std::size_t p = 0; p < plan_count(work); ++p) {
      texts[w].push_back(text_of(work, choices_at(work, p), engine.registry));
    }
    reached.push_back(reached_by(points_beside(work, texts[w]), work.goal, *work.c->device));
    for (std::size_t p = 0; p < texts[w].size(); ++p) {
      const auto& text = texts[w][p];
      if (work.measured.count(text) > 0 || work.beaten.count(text) > 0) continue;
      const auto least = work.unplaced.find(text);
      if (least != work.unplaced.end() && is_beaten(work, least->second, reached.back()))
        work.beaten.insert(text);
      else
        items.push_back({static_cast<int>(w), p});
    }
  }
  engine.teller.expect(kPlanWeight * static_cast<double>(items.size()));
  const LoggedStage logged(fmt::format("measuring {} whole plans", items.size()));
  PoolEvents events;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    const auto& item = items[static_cast<std::size_t>(i)];
    auto& work = works[static_cast<std::size_t>(item.work)];
    const auto& text = texts[static_cast<std::size_t>(item.work)][item.point];
    const auto measured = measured_from(bytes);
    if (engine.study) engine.study->put(work.network_subject, candidate_of(measured, text));
    if (measured.invalid) leave_out(work, refused(measured, kind_at(work, item.point), text));
    if (measured.beaten)
      work.beaten.insert(text), work.unplaced[text] = measured;
    else
      work.measured[text] = measured;
    if (!measured.beaten && work.known.count(text) == 0) engine.teller.simulated(1);
    engine.teller.done(work.name(), kPlanWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (loss.times < kAttempts) return AfterLoss::again;
    const auto& item = items[static_cast<std::size_t>(loss.item)];
    auto& work = works[static_cast<std::size_t>(item.work)];
    Candidate c;
    c.assignment = texts[static_cast<std::size_t>(item.work)][item.point];
    c.status = loss.hung ? CandidateStatus::hung : CandidateStatus::crashed, c.reason = loss.how;
    if (engine.study) engine.study->put(work.network_subject, c);
    ++work.whole_lost;
    leave_out(work, left_by(loss, kind_at(work, item.point), c.assignment));
    return AfterLoss::give_up;
  };
  auto pool = engine.pool();
  pool.deadline = engine.until_end();
  fork_map(
      static_cast<std::int64_t>(items.size()), pool,
      [&](std::int64_t i, Post& post) {
        const auto& item = items[static_cast<std::size_t>(i)];
        const auto& work = works[static_cast<std::size_t>(item.work)];
        const auto& text = texts[static_cast<std::size_t>(item.work)][item.point];
        post.mark(0);
        const auto known = work.known.find(text);
        if (known == work.known.end() && engine.options.before_candidate) engine.options.before_candidate(text);
        const auto* before = known == work.known.end() ? nullptr : &known->second;
        const auto& choices = choices_at(work, item.point);
        const bool simulated = before && before->status == CandidateStatus::simulated;
        if (item.point >= work.composed.points.size() && !simulated && work.unplaced.count(text) == 0) {
          auto least = least_of(*work.c, choices, before);
          if (least.feasible()) least.beaten = is_beaten(work, least, reached[static_cast<std::size_t>(item.work)]);
          if (least.beaten || !least.feasible()) return to_bytes(least);
        }
        return to_bytes(evaluate(*work.c, choices, before));
      },
      events);
  if (engine.interrupted()) return std::nullopt;
  return texts;
}

}  // namespace

void settle(Engine& engine, std::vector<Work>& works, bool last) {
  if (engine.interrupted() || !compose_all(engine, works, last)) return;
  auto texts = measure_all(engine, works);
  if (last && texts) {  // what was composed is known then, and spares many of them
    for (auto& work : works) try {
        plan_phases(engine, work);
      } catch (const InvariantError& e) {
        leave_out(work, {"planning by phases", "", "", "failed", e.what()});
      }
    texts = measure_all(engine, works);
  }
  if (!texts) return;
  if (last && close_gaps(engine, works, *texts)) texts = measure_all(engine, works);
  if (!texts || engine.interrupted()) return;
  report_fronts(engine, works, [&](std::size_t w, ChoicesById& choices) {
    return front_of(engine, works[w], (*texts)[w], last, choices);
  });
}

}  // namespace dse::explore
