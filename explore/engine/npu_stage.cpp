// Devices with an NPU: schedules of it, simulated by themselves, and those of its front as whole plans on the platform.
#include <fmt/format.h>

#include <sstream>

#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/front/accuracy.h"
#include "explore/front/front.h"
#include "explore/front/gap.h"
#include "explore/measure/point.h"
#include "explore/npu/front.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/layer/layer.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/npu/schedule/least.h"

namespace dse::explore {
namespace {

constexpr const char* kOnNpu = "on the NPU";

/// Of what a case finds, kept in the study: the search is the same until this changes.
constexpr const char* kQuestion = "schedules of the NPU 1";

using Named = std::vector<std::pair<std::string, std::string>>;

/// What a worker finds of a schedule.
struct Found {
  std::string assignment, decided, reason, why, point, document;  // reason: infeasible, or (`why` is not empty) wrong
  std::int64_t beside = -1;                                       // ticks that are not the NPU's own
};

ByteWriter& operator<<(ByteWriter& out, const Found& f) {
  return out << f.assignment << f.decided << f.reason << f.why << f.point << f.document << f.beside;
}
ByteReader& operator>>(ByteReader& in, Found& f) {
  return in >> f.assignment >> f.decided >> f.reason >> f.why >> f.point >> f.document >> f.beside;
}

std::string text_of(const Named& named) { return plan::assignment_text(plan::Assignment(named.begin(), named.end())); }

/// Schedules as a study keeps them: a line per decision, name and value, and an empty one behind each schedule.
std::string lines_of(const Named& named) {
  std::string out;
  for (const auto& [name, value] : named) out += name + "\t" + value + "\n";
  return out + "\n";
}

std::vector<Named> schedules_in(const std::string& text) {
  std::vector<Named> out;
  Named now;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    if (tab == line.npos)
      out.push_back(std::move(now)), now.clear();
    else
      now.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return out;
}

int npu_queue(const hw::Device& device) { return plan::queue_of(device, device.npu(), 0); }

/// One schedule as a whole plan, in full.
Found in_full(const Engine& engine, const Case& c, std::shared_ptr<const plan::npu::Compiled> compiled) {
  Found out;
  const plan::npu::Compiled& schedule = *compiled;
  const auto named = plan::npu::named(schedule);
  out.assignment = text_of(named), out.decided = lines_of(named);
  if (engine.options.before_candidate) engine.options.before_candidate(out.assignment);
  const auto made = plan::npu::npu_plan(*c.device, std::move(compiled));
  if (const auto* lacking = std::get_if<plan::Infeasible>(&made)) {
    out.reason = lacking->what;
    return out;
  }
  const auto& plan = std::get<plan::Plan>(made);
  if (out.reason = refusal(c, plan); !out.reason.empty()) {
    out.why = "refused";
    return out;
  }
  auto point = simulate_point(c, plan, engine.options.verify, true);
  out.beside = point.run.ticks;
  for (std::size_t i = 0; i < point.run.trace.size(); ++i) {
    const auto& t = point.run.trace[i];
    if (t.queue == npu_queue(*c.device)) out.beside -= t.end - t.start - point.run.details[i].fixed;
  }
  if (point.run.failure) {
    out.why = "failed", out.reason = point.run.failure->what;
  } else if (engine.options.verify) {
    const auto comparison = npu::compare(schedule, 0);  // in the order in which the simulated NPU's waits allow
    if (!point.verified || !comparison.equal()) out.why = "other bytes", out.reason = comparison.error;
  }
  out.point = to_bytes(point), out.document = plan::write_plan(plan, *c.network, *c.device);
  return out;
}

/// The front of a case's NPU, or what an earlier run has found, as whole plans.
std::string search_case(const Engine& engine, const Work& work, const std::optional<std::string>& known, Post& post) {
  const Case& c = *work.c;
  const auto device = hw::ethos_u::npu_of(*c.device);
  std::vector<std::shared_ptr<const plan::npu::Compiled>> schedules;
  std::int64_t simulated = 0;
  if (known) {
    for (const auto& named : schedules_in(*known)) {
      const auto decided = plan::npu::decisions_of(*c.network, device->npu, named);
      if (const auto* why = std::get_if<std::string>(&decided)) throw std::runtime_error("in the study: " + *why);
      auto made = plan::npu::decided_on(c.network, device, std::get<plan::npu::Decisions>(decided));
      if (const auto* why = std::get_if<std::string>(&made)) throw std::runtime_error("in the study: " + *why);
      schedules.push_back(std::make_shared<const plan::npu::Compiled>(std::get<plan::npu::Compiled>(std::move(made))));
    }
  } else {
    npu::FrontEffort effort;
    effort.simulated = [&] { ++simulated, post.mark(0); };
    for (auto& p : npu::front(c.network, device->npu, effort)) {
      p.compiled.system = device;
      schedules.push_back(std::make_shared<const plan::npu::Compiled>(std::move(p.compiled)));
    }
  }
  ByteWriter out;
  const auto least = schedules.empty() ? plan::npu::Least{} : plan::npu::least_of(*schedules.front()->costs);
  out << simulated << least.cycles << least.bytes << static_cast<std::int64_t>(schedules.size());
  for (auto& s : schedules) {
    post.mark(0);
    out << in_full(engine, c, std::move(s));
  }
  return std::move(out.bytes);
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
  work.front.gap = proven_gap(reached, {{bound.memory_bytes, bound.latency_ticks}});
  work.front.bound = {bound};
}

void take(Engine& engine, Work& work, const std::string& bytes, bool known) {
  ByteReader in(bytes);
  std::int64_t simulated = 0, count = 0;
  std::int64_t beside = -1;
  plan::npu::Least least;
  in >> simulated >> least.cycles >> least.bytes >> count;
  std::string texts;
  std::vector<Point> points;
  for (std::int64_t i = 0; i < count; ++i) {
    Found f;
    in >> f;
    texts += f.decided;
    Candidate candidate;
    candidate.assignment = f.assignment;
    if (!f.why.empty()) {
      leave_out(work, {kOnNpu, "", f.assignment, f.why, f.reason});
      candidate.status = CandidateStatus::crashed, candidate.reason = f.why + ": " + f.reason;
    } else if (!f.reason.empty()) {
      if (work.front.infeasible_reason.empty()) work.front.infeasible_reason = f.reason;
      ++work.front.infeasible;
      candidate.status = CandidateStatus::infeasible, candidate.reason = f.reason;
    } else {
      auto p = point_from(f.point);
      if (beside < 0 || f.beside < beside) beside = f.beside;
      p.outside = kOnNpu;
      work.documents[p.id] = f.document;
      candidate.plan = p.id, candidate.memory = p.memory_bytes, candidate.costs = p.costs;
      points.push_back(std::move(p));
    }
    if (engine.study && !known) engine.study->put(work.network_subject, candidate);
  }
  if (engine.study && !known) engine.study->finish(work.network_subject, kQuestion, texts);
  for (const auto& given : work.given)
    if (given.simulated) points.push_back(given.point);
  auto reason = std::move(work.front.infeasible_reason);
  const auto infeasible = work.front.infeasible;
  work.front = {};
  describe_front(*work.c, work.front);
  select_front(points, engine.spec, work.front);
  note_only_by_rule(work.front);
  work.front.simulated = simulated + static_cast<std::int64_t>(points.size());
  work.front.infeasible = infeasible, work.front.left_out = work.left_out;
  if (work.front.points.empty() && work.front.infeasible_reason.empty())
    work.front.infeasible_reason = std::move(reason);
  judge_accuracy(*work.c, work.front);
  certify(engine, work, beside, least);
  if (!work.front.points.empty())
    work.front.notes.push_back(
        "schedules of the NPU lie between both rules of Arm's compiler, with other blocks and places of weights tried; "
        "the bound is what its multipliers or its output unit take without any wait");
  engine.teller.simulated(simulated);
  engine.teller.front(static_cast<int>(work.front.points.size()), work.front.gap);
}

}  // namespace

void search_npu(Engine& engine, std::vector<Work>& works) {
  std::vector<std::optional<std::string>> known(works.size());
  for (std::size_t w = 0; w < works.size(); ++w)
    if (engine.study) known[w] = engine.study->result(works[w].network_subject, kQuestion);
  engine.teller.expect(kPlanWeight * static_cast<double>(works.size()));
  PoolEvents events;
  events.forget = true;
  events.on_done = [&](std::int64_t i, const std::string& bytes) {
    Work& work = works[static_cast<std::size_t>(i)];
    take(engine, work, bytes, known[static_cast<std::size_t>(i)].has_value());
    engine.teller.done(work.name(), kPlanWeight);
  };
  events.on_lost = [&](const Lost& loss) {
    if (loss.times < kAttempts) return AfterLoss::again;
    Work& work = works[static_cast<std::size_t>(loss.item)];
    leave_out(work, left_by(loss, kOnNpu));
    work.front.left_out = work.left_out;
    return AfterLoss::give_up;
  };
  fork_map(
      static_cast<std::int64_t>(works.size()), engine.pool(),
      [&](std::int64_t i, Post& post) {
        post.mark(0);
        return search_case(engine, works[static_cast<std::size_t>(i)], known[static_cast<std::size_t>(i)], post);
      },
      events);
}

}  // namespace dse::explore
