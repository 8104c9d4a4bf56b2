#include "explore/engine/npu_search.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "explore/npu/front.h"
#include "plan/choices/assignment.h"
#include "plan/document/document.h"
#include "plan/layer/layer.h"
#include "plan/npu/program/npu_plan.h"

namespace dse::explore {
namespace {

using Clock = std::chrono::steady_clock;
using Named = std::vector<std::pair<std::string, std::string>>;
using CompiledPtr = std::shared_ptr<const plan::npu::Compiled>;

/// Whole plans that a search which has to end keeps time for.
constexpr int kLastPlans = 4;

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
NpuFound in_full(const Engine& engine, const Case& c, CompiledPtr compiled) {
  NpuFound out;
  const plan::npu::Compiled& schedule = *compiled;
  const auto named = plan::npu::named(schedule);
  out.assignment = text_of(named), out.decided = lines_of(named);
  if (engine.options.before_candidate) engine.options.before_candidate(out.assignment);
  const auto made = plan::npu::npu_plan(*c.device, std::move(compiled));
  auto& measured = out.measured;
  if (const auto* lacking = std::get_if<plan::Infeasible>(&made)) {
    measured.reason = lacking->what, out.shortfall = lacking->shortfall;
    return out;
  }
  const auto& plan = std::get<plan::Plan>(made);
  measured = placed(c, plan);
  try {
    measured.reason = refusal(c, plan);
  } catch (const InvariantError& e) {  // it costs this schedule, not the search
    measured.reason = e.what(), measured.failed = true;
  }
  if (!measured.feasible()) {
    measured.invalid = true;
    return out;
  }
  auto point = simulate_point(c, plan, engine.options.verify, true);
  out.beside = point.run.ticks;
  for (std::size_t i = 0; i < point.run.trace.size(); ++i) {
    const auto& t = point.run.trace[i];
    if (t.queue == npu_queue(*c.device)) out.beside -= t.end - t.start - point.run.details[i].fixed;
  }
  if (point.run.failure) {
    measured.reason = point.run.failure->what, measured.invalid = measured.failed = true;
    return out;
  }
  measured.costs = point.costs;
  if (engine.options.verify) {
    const auto comparison = npu::compare(schedule, 0);  // in the order in which the simulated NPU's waits allow
    out.other_bytes = !point.verified || !comparison.equal(), out.stopped = comparison.error;
  }
  out.point = to_bytes(point), out.document = plan::write_plan(plan, *c.network, *c.device);
  return out;
}

/// Where to look first in a front that may not be looked at whole: its ends, and then always halfway.
std::vector<std::size_t> ends_first(std::size_t count) {
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t i) {
    if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
  };
  if (count > 0) add(0), add(count - 1);
  for (std::size_t step = count; step > 0; step /= 2)
    for (std::size_t i = 0; i < count; i += step) add(i);
  return out;
}

class Schedules {
 public:
  Schedules(const Engine& engine, const Case& c, const NpuBudget& budget, Post& post)
      : engine_(engine), case_(c), budget_(budget), post_(post), npu_(hw::ethos_u::npu_of(*c.device)) {}

  NpuEffort known(const std::string& text) && {
    for (const auto& named : schedules_in(text)) {
      const auto decided = plan::npu::decisions_of(*case_.network, npu_->npu, named);
      if (const auto* why = std::get_if<std::string>(&decided)) throw std::runtime_error("in the study: " + *why);
      auto made = plan::npu::decided_on(case_.network, npu_, std::get<plan::npu::Decisions>(decided));
      if (const auto* why = std::get_if<std::string>(&made)) throw std::runtime_error("in the study: " + *why);
      take(std::get<plan::npu::Compiled>(std::move(made)));
    }
    return effort_;
  }

  NpuEffort searched() && {
    npu::FrontEffort effort;
    if (budget_.schedules > 2)  // all over the front rather than all that is small
      effort.limits = static_cast<int>(std::min<std::int64_t>(effort.limits, budget_.schedules - 1));
    effort.stop = [&] { return spent() || late(kLastPlans); };
    effort.simulated = [&] { ++effort_.simulated, post_.mark(0); };
    effort.skipped = [&](std::int64_t n) { effort_.skipped += n, effort_.timed |= !spent(); };
    effort.settled = [&](const npu::Point& p) {
      const auto beaten = [&](const auto& other) { return other.first <= p.bytes() && other.second <= p.cycles(); };
      if (std::none_of(settled_.begin(), settled_.end(), beaten)) take(p);
    };
    const auto front = npu::front(case_.network, npu_->npu, effort);
    for (const auto i : ends_first(front.size())) {
      if (full_ > 0 && late(1))
        ++effort_.skipped, effort_.timed = true;
      else
        take(front[i]);
    }
    return effort_;
  }

 private:
  bool spent() const { return budget_.schedules > 0 && effort_.simulated >= budget_.schedules; }
  /// No time is left for so many plans in full.
  bool late(int plans) const { return budget_.end && Clock::now() + plans * longest_ >= *budget_.end; }

  void take(const npu::Point& p) {
    settled_.emplace_back(p.bytes(), p.cycles());
    take(p.compiled);
  }
  void take(plan::npu::Compiled compiled) {
    compiled.system = npu_;
    if (!taken_.insert(lines_of(plan::npu::named(compiled))).second) return;
    const auto start = Clock::now();
    if (full_++ == 0) effort_.least = plan::npu::least_of(*compiled.costs);
    post_.mark(0);
    ByteWriter out;
    out << in_full(engine_, case_, std::make_shared<const plan::npu::Compiled>(std::move(compiled)));
    post_.send(out.bytes);
    longest_ = std::max(longest_, Clock::now() - start);
  }

  const Engine& engine_;
  const Case& case_;
  const NpuBudget& budget_;
  Post& post_;
  hw::ethos_u::DeviceNpuPtr npu_;
  NpuEffort effort_;
  std::vector<std::pair<std::int64_t, std::int64_t>> settled_;  // bytes and cycles
  std::set<std::string> taken_;                                 // what they decide
  Clock::duration longest_{};                                   // that one took in full
  int full_ = 0;
};

}  // namespace

ByteWriter& operator<<(ByteWriter& out, const NpuFound& f) {
  return out << f.assignment << f.decided << to_bytes(f.measured) << f.shortfall << f.other_bytes << f.stopped
             << f.point << f.document << f.beside;
}
ByteReader& operator>>(ByteReader& in, NpuFound& f) {
  std::string measured;
  in >> f.assignment >> f.decided >> measured >> f.shortfall >> f.other_bytes >> f.stopped >> f.point >> f.document >>
      f.beside;
  f.measured = measured_from(measured);
  return in;
}
ByteWriter& operator<<(ByteWriter& out, const NpuEffort& e) {
  return out << e.simulated << e.skipped << e.timed << e.least.cycles << e.least.bytes;
}
ByteReader& operator>>(ByteReader& in, NpuEffort& e) {
  return in >> e.simulated >> e.skipped >> e.timed >> e.least.cycles >> e.least.bytes;
}

NpuEffort search_schedules(const Engine& engine, const Case& c, const std::optional<std::string>& known,
                           const NpuBudget& budget, Post& post) {
  Schedules schedules(engine, c, budget, post);
  return known ? std::move(schedules).known(*known) : std::move(schedules).searched();
}

}  // namespace dse::explore
