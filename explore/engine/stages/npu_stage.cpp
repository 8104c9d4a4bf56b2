// Devices with an NPU: schedules of it, simulated by themselves, and those of its front as whole plans on the platform.
#include <fmt/format.h>

#include "explore/engine/npu_search.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/front/accuracy.h"
#include "explore/front/front.h"
#include "explore/front/gap.h"
#include "explore/front/least.h"
#include "explore/measure/point.h"

namespace dse::explore {
namespace {

/// What is left out.
constexpr const char* kSchedule = "schedule of the NPU";

/// Of what a case finds, kept in the study: the search is the same until this changes.
constexpr const char* kQuestion = "schedules of the NPU 2";

/// What there is of a case so far.
struct Search {
  std::vector<NpuFound> found;
  NpuEffort effort;
  std::int64_t schedules = 0;        // its budget; 0: none
  std::optional<std::string> known;  // found by an earlier run
  bool whole = false;                // to the end, or to that of its budget
};

/// The budget counts the given plans, which were simulated before, as well.
std::int64_t schedules_left(const SweepSpec& spec, const Work& work) {
  if (spec.simulations <= 0) return 0;
  const auto given = std::count_if(work.given.begin(), work.given.end(), [](const auto& g) { return g.simulated; });
  return std::max<std::int64_t>(1, spec.simulations - given);
}

std::string question_of(std::int64_t schedules) {
  return schedules > 0 ? fmt::format("{}, the first {}", kQuestion, schedules) : kQuestion;
}

/// The gap to a bound on all plans with the NPU: the CPU's operators, hand-overs and control are the same in each.
void certify(const Engine& engine, Work& work, std::int64_t beside, const plan::npu::Least& least) {
  const bool both = engine.spec.objectives == std::vector<std::string>{"memory", "latency"};
  if (beside < 0 || work.front.points.empty() || !both) return;
  const hw::Device& device = *work.c->device;
  const auto npu = static_cast<std::size_t>(device.npu());
  const Front::Dot bound{least.bytes, beside + hw::Clock(device, device.engines[npu].clock_hz).ticks(least.cycles)};
  std::vector<std::vector<std::int64_t>> reached;
  for (const Point& p : work.front.points) reached.push_back({p.memory_bytes, p.run.ticks});
  // One corner, so that it says nothing of single points.
  work.front.gap = proven_gap(reached, {{bound.memory_bytes, bound.latency_ticks}});
  work.front.bound = {bound};
}

/// What becomes of one schedule. @returns its point, if it is one.
std::optional<Point> point_of(Engine& engine, Work& work, const NpuFound& f, bool known, Unfit& unfit) {
  std::optional<Point> out;
  const Measured& m = f.measured;
  if (m.invalid) {
    leave_out(work, refused(m, kSchedule, f.assignment));
  } else if (!m.feasible()) {
    unfit.take(m.reason, f.shortfall);
    ++work.front.infeasible;
  } else if (f.other_bytes) {
    leave_out(work, {kSchedule, m.plan, f.assignment, "other bytes", f.stopped});
  } else {
    out = point_from(f.point);
    work.documents[out->id] = f.document;
  }
  if (engine.study && !known) engine.study->put(work.network_subject, candidate_of(m, f.assignment));
  return out;
}

/// All that runs is a candidate: the CPU's plans by rule as well, for its own plans are not searched here. So what they
/// need counts where it is said what would do.
void select(Engine& engine, Work& work, const std::vector<Point>& points, Unfit unfit) {
  select_front(points, engine.spec, work.front);
  if (!work.front.points.empty()) {
    if (!unfit.reason.empty()) work.front.notes.push_back("not all schedules of the NPU fit: " + unfit.reason);
    return;
  }
  if (points.empty()) {
    if (!work.unfit.reason.empty())
      unfit.take(fmt::format("{} ({} bytes are missing)", work.unfit.reason, work.unfit.shortfall),
                 work.unfit.shortfall);
    work.front.infeasible_reason = std::move(unfit.reason);
    return;
  }
  work.front.least = least_among(points, engine.spec.constraints, false);
  work.front.infeasible_reason = why_infeasible(work.front.least, work.front.infeasible_reason);
}

void take(Engine& engine, Work& work, const Search& search) {
  std::string texts;
  Unfit unfit;
  std::vector<Point> points;
  std::int64_t beside = -1, given = 0;
  work.front = {};
  for (const auto& f : search.found) {
    texts += f.decided;
    auto p = point_of(engine, work, f, search.known.has_value(), unfit);
    if (!p) continue;
    if (beside < 0 || f.beside < beside) beside = f.beside;
    points.push_back(std::move(*p));
  }
  if (engine.study && search.whole && !search.known && !search.effort.timed)
    engine.study->finish(work.network_subject, question_of(search.effort.skipped > 0 ? search.schedules : 0), texts);
  for (const auto& g : work.given)
    if (g.simulated) points.push_back(g.point), ++given;
  const auto infeasible = work.front.infeasible;
  work.front = {};
  describe_front(*work.c, work.front);
  work.front.notes = work.notes;
  select(engine, work, points, std::move(unfit));
  note_only_by_rule(work.front);
  work.front.simulated = search.effort.simulated + given;
  work.front.skipped = search.effort.skipped;
  work.front.infeasible = infeasible, work.front.left_out = work.left_out;
  judge_accuracy(*work.c, work.front);
  certify(engine, work, beside, search.effort.least);
  if (!work.front.points.empty())
    work.front.notes.push_back(
        "schedules of the NPU lie between both rules of Arm's compiler, with other blocks and places of weights tried; "
        "the bound is what its multipliers or its output unit take without any wait");
  engine.teller.simulated(search.effort.simulated);
  engine.teller.front(static_cast<int>(work.front.points.size()), work.front.gap);
}

/// Time that is left, shared out over the cases that have not begun.
std::optional<std::chrono::steady_clock::time_point> end_of(const Engine& engine, std::size_t left) {
  if (!engine.deadline) return std::nullopt;
  const auto jobs = static_cast<std::size_t>(std::max(1, engine.options.jobs));
  const auto rounds = static_cast<int>((left + jobs - 1) / jobs);
  const auto now = std::chrono::steady_clock::now();
  return now + (*engine.deadline - now) / rounds;
}

}  // namespace

void search_npu(Engine& engine, std::vector<Work>& works) {
  std::vector<Search> searches(works.size());
  for (std::size_t w = 0; w < works.size(); ++w) {
    auto& s = searches[w];
    for (const auto& key : none_of_npu(engine.spec.choices))
      works[w].notes.push_back(fmt::format("choices.{}: schedules of the NPU have no such choice", key));
    s.schedules = schedules_left(engine.spec, works[w]);
    if (!engine.study) continue;
    s.known = engine.study->result(works[w].network_subject, question_of(0));
    if (!s.known && s.schedules > 0) s.known = engine.study->result(works[w].network_subject, question_of(s.schedules));
  }
  engine.teller.expect(kPlanWeight * static_cast<double>(works.size()));
  PoolEvents events;
  events.forget = true;
  events.on_message = [&](std::int64_t i, const std::string& bytes) {
    ByteReader in(bytes);
    in >> searches[static_cast<std::size_t>(i)].found.emplace_back();
  };
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    const auto w = static_cast<std::size_t>(i);
    ByteReader in(bytes);
    in >> searches[w].effort;
    searches[w].whole = true;
    take(engine, works[w], searches[w]);
    engine.teller.done(works[w].name(), kPlanWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    const auto w = static_cast<std::size_t>(loss.item);
    if (may_try_again(loss)) {
      searches[w].found.clear();
      return AfterLoss::again;
    }
    leave_out(works[w], left_by(loss, "the search of the schedules of the NPU"));
    return AfterLoss::give_up;
  };
  fork_map(
      static_cast<std::int64_t>(works.size()), engine.pool(),
      [&](std::int64_t i, Post& post) {
        const auto w = static_cast<std::size_t>(i);
        post.mark(0);
        ByteWriter out;
        out << search_schedules(engine, *works[w].c, searches[w].known,
                                {searches[w].schedules, end_of(engine, works.size() - w)}, post);
        return std::move(out.bytes);
      },
      events);
  for (std::size_t w = 0; w < works.size(); ++w) {  // those that were lost or interrupted, as far as they went
    if (searches[w].whole) continue;
    searches[w].effort.simulated = std::ssize(searches[w].found);
    take(engine, works[w], searches[w]);
  }
}

}  // namespace dse::explore
