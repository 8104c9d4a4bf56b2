#include "sim/platform.h"

#include <algorithm>
#include <string>

#include "base/diagnostics.h"
#include "models/hw/cost_model.h"
#include "sim/account.h"
#include "sim/data_plane.h"
#include "sim/overlap.h"
#include "sim/topology.h"

namespace dse::sim {

namespace {

int sections_of(const program::Program& p) { return std::max(1, static_cast<int>(p.sections.size())); }

}  // namespace

struct Platform::Impl final : hw::ControlShell::JobHook {
  /// Queues of the platform that the jobs' queues become: one per (engine, channel), in order of appearance.
  struct QueueMap {
    std::vector<program::Queue> queues;
    int at(const program::Queue& q) {
      for (std::size_t i = 0; i < queues.size(); ++i)
        if (queues[i].engine == q.engine && queues[i].channel == q.channel) return static_cast<int>(i);
      ensure(static_cast<int>(queues.size()) < hw::kMaxQueues,
             "the platform has " + std::to_string(hw::kMaxQueues) + " queues; the jobs need more");
      queues.push_back(q);
      return static_cast<int>(queues.size()) - 1;
    }
  };

  Topology topology;
  DataPlane plane{topology};
  Accountant accountant;
  hw::DevicePtr device;
  hw::DeviceTiming timing;
  const std::vector<program::Job>* jobs = nullptr;
  bool data = false;
  std::vector<hw::DeviceCostModel> costs;
  std::vector<hw::ControlJob> control_jobs;
  QueueMap map;

  void job_starts(std::size_t j) override {
    if (data && (*jobs)[j].first_section == 0) plane.write_inputs(j);
  }
  void job_ends(std::size_t j) override {
    const program::Job& job = (*jobs)[j];
    if (data && (job.last_section < 0 || job.last_section + 1 == sections_of(*job.program))) plane.read_outputs(j);
  }
  void begin();
  int prepare();
  /// Queues of blocking engines, as a bit mask.
  std::uint32_t polled() const {
    std::uint32_t out = 0;
    for (std::size_t q = 0; q < map.queues.size(); ++q)
      if (device->engines[static_cast<std::size_t>(map.queues[q].engine)].blocking) out |= 1u << q;
    return out;
  }
  void measure(int sections, const RunOptions& options, RunResult& result);
  std::string deadlock() const;
};

Platform::Platform() : impl_(std::make_unique<Impl>()) {}
Platform::~Platform() = default;

Platform& Platform::instance() {
  static Platform* const platform = new Platform;  // never destroyed: SystemC's own globals may go first
  return *platform;
}

void Platform::configure(hw::DevicePtr device) {
  ensure(device != nullptr, "platform: no device");
  if (device == impl_->device) return;
  for (const hw::Engine& e : device->engines)
    ensure(e.queue >= 1 && e.queue <= hw::EngineShell::kMaxDepth,
           e.name + ": queue must be 1 to " + std::to_string(hw::EngineShell::kMaxDepth) + " deep");
  hw::DeviceTiming timing(device);
  impl_->topology.interconnect.configure(timing);
  const auto& npu = timing.npu();
  impl_->topology.npu.configure(npu, npu ? timing.engine(npu->engine).clock.ticks(1) : 1);
  impl_->timing = std::move(timing);
  impl_->device = std::move(device);
}

/// Nothing is left of the run before.
void Platform::Impl::begin() {
  hw::RunState& state = topology.state;
  state.log.clear();
  state.scoreboard.clear();
  state.queue_origin.fill(0);
  state.stopped = false;
  state.error = nullptr, state.refused.clear();
  state.origin = sc_core::sc_time_stamp().value();
  state.enter();
  topology.interconnect.arm();
}

/// Cost models and queues for all jobs. @returns the number of sections of all jobs.
int Platform::Impl::prepare() {
  costs.clear(), control_jobs.clear(), map.queues.clear();
  costs.reserve(jobs->size());
  int sections = 0;
  for (const program::Job& job : *jobs) {
    ensure(job.program != nullptr, "job without a program");
    costs.emplace_back(timing, *job.program, job.binding);
    hw::ControlJob& c = control_jobs.emplace_back();
    c.program = job.program;
    c.first_section = job.first_section, c.last_section = job.last_section;
    c.release = job.release;
    c.section_origin = sections;
    sections += sections_of(*job.program);
    ensure(static_cast<int>(job.program->queues.size()) <= hw::kMaxQueues, "program: too many queues for the platform");
    for (std::size_t q = 0; q < job.program->queues.size(); ++q) {
      c.queue[q] = map.at(job.program->queues[q]);
      ensure(std::find(c.queue.begin(), c.queue.begin() + q, c.queue[q]) == c.queue.begin() + q,
             "program: queue " + job.program->queues[q].name + " is there twice");
    }
  }
  for (std::size_t j = 0; j < costs.size(); ++j) control_jobs[j].costs = &costs[j];
  return sections;
}

RunResult Platform::run(const std::vector<program::Job>& jobs, const RunOptions& options,
                        const std::vector<RunData>& data) {
  Impl& im = *impl_;
  ensure(im.device != nullptr, "platform: configure() comes first");
  RunResult result;
  im.jobs = &jobs;
  im.data = options.data;
  const int sections = im.prepare();
  const hw::Device& device = *im.device;
  im.begin();
  std::uint32_t own = 0;
  for (std::size_t q = 0; q < im.map.queues.size(); ++q) {
    const int engine = im.map.queues[q].engine;
    im.topology.engines[q]->arm(device.engines[static_cast<std::size_t>(engine)].queue,
                                options.data ? &im.plane : nullptr);
    const bool npu = device.engines[static_cast<std::size_t>(engine)].kind == hw::EngineKind::npu;
    im.topology.engines[q]->set_streams(npu ? &im.topology.npu : nullptr);
    if (engine == device.control.engine) own |= 1u << q;
  }
  own |= im.polled();
  for (const program::Job& job : jobs)
    for (const program::Preload& l : job.program->preloads) result.startup_bytes += l.size;
  if (options.data) {
    result.failure = find_overlap(device, jobs);
    if (result.failure) return result;
    im.plane.arm(device, jobs, data, result);
  }
  const auto clock = hw::control_clock(device);
  hw::ControlShell& control = im.topology.control;
  control.set_hook(&im);
  control.arm(im.control_jobs, {clock.ticks(device.control.issue), clock.ticks(device.control.wait)}, own);
  simulate([] { sc_core::sc_start(); });
  if (im.topology.state.error) std::rethrow_exception(im.topology.state.error);
  if (!result.failure && !im.topology.state.refused.empty())
    result.failure = Failure{Failure::Kind::execution, "the NPU stopped: " + im.topology.state.refused};
  if (!result.failure && !control.done()) result.failure = Failure{Failure::Kind::deadlock, im.deadlock()};
  result.ticks = control.finished();
  im.measure(sections, options, result);
  return result;
}

const hw::npu::NpuState& Platform::run_stream(const hw::npu::StreamRun& stream) {
  Impl& im = *impl_;
  ensure(im.device != nullptr, "platform: configure() comes first");
  im.begin();
  im.topology.npu.start(stream);
  simulate([] { sc_core::sc_start(); });
  if (im.topology.state.error) std::rethrow_exception(im.topology.state.error);
  ensure(im.topology.npu.ended(), "the NPU stands still");
  im.topology.npu.close();
  return im.topology.npu.state();
}

void Platform::Impl::measure(int sections, const RunOptions& options, RunResult& result) {
  const hw::RunLog& log = topology.state.log;
  result.tasks = static_cast<std::int64_t>(log.tasks.size());
  for (std::size_t q = 0; q < map.queues.size(); ++q) {
    EngineUse use;
    use.queue = static_cast<int>(q);
    std::int64_t free_since = 0;
    for (const std::int32_t i : log.of_queue[q]) {
      const hw::TaskEntry& t = log.tasks[static_cast<std::size_t>(i)];
      if (t.end < 0) break;
      ++use.tasks;
      use.busy += t.end - t.start;
      use.stalled += t.start - std::max(free_since, t.issued);
      free_since = t.end;
    }
    result.engines.push_back(use);
    result.macs += log.macs[q];
  }
  for (std::size_t m = 0; m < device->memories.size(); ++m) {
    MemoryUse use;
    use.memory = static_cast<int>(m);
    use.read = log.read[m];
    use.written = log.written[m];
    for (const program::Job& job : *jobs)
      for (std::size_t a = 0; a < job.binding.size(); ++a)
        if (job.binding[a].memory == use.memory && job.program->arenas[a].size > 0)
          use.arena =
              std::max(use.arena, job.binding[a].base + job.program->arenas[a].size - device->memories[m].reserved);
    result.memories.push_back(use);
  }
  const auto& rates = timing.energy();
  Energy energy(rates);
  energy.add(rates, log, map.queues);
  energy.pass(rates, result.ticks);
  result.energy_fj = energy.total();
  if (rates.by_cause) result.energy = std::move(energy);
  if (!options.accounts && !options.trace) {
    if (!result.failure) Accountant::section_ends(log, sections, result);
    return;
  }
  std::vector<program::SectionLayers> layers;
  std::vector<AccountJob> account_jobs;
  layers.reserve(jobs->size());
  int rows = 0;
  for (std::size_t j = 0; j < jobs->size(); ++j) {
    layers.emplace_back(*(*jobs)[j].program);
    account_jobs.push_back(
        {(*jobs)[j].program, &(*jobs)[j].binding, control_jobs[j].section_origin, &layers.back(), rows});
    rows += static_cast<int>(layers.back().rows().size());
  }
  if (options.trace) {
    result.trace.reserve(log.tasks.size()), result.details.reserve(log.tasks.size());
    for (const hw::TaskEntry& t : log.tasks) {
      const AccountJob& job = account_jobs[static_cast<std::size_t>(t.job)];
      result.trace.push_back({t.section, t.tile, static_cast<std::int32_t>(t.task - job.program->templates.data()),
                              t.queue, t.issued, t.ready, t.start, t.end,
                              job.row_origin + job.layers->row(t.section - job.section_origin, *t.task)});
      result.details.push_back({t.ready_by, t.fixed, t.busy, Cause::other});
    }
    for (const hw::StreamPart& p : log.parts)
      result.kernels.push_back({log.tasks[static_cast<std::size_t>(p.entry)].section, p.number, p.end});
    for (const hw::WaitEntry& w : log.waits) result.waits.push_back({w.section, w.from, w.until, w.end});
  }
  if (result.failure) return;
  if (options.accounts) {
    accountant.account(log, *device, account_jobs, polled(), sections, result);
  } else {
    Accountant::section_ends(log, sections, result);
  }
}

/// Names what is left: tasks that run for ever, tasks that wait and for what, and what control stands at.
std::string Platform::Impl::deadlock() const {
  std::string out = "deadlock:";
  const auto name = [&](const hw::Command& c) {
    return describe(*(*jobs)[static_cast<std::size_t>(c.job)].program, c.instance, c.instance.task->queue);
  };
  const auto waits = [&](const hw::Command& c) {
    std::string text;
    for (int i = 0; i < c.instance.after_count; ++i) {
      const auto& a = c.instance.after[static_cast<std::size_t>(i)];
      const int done = topology.state.scoreboard.completed(a.queue);
      if (done < a.count)
        text += (text.empty() ? " waits for task " : " and task ") + std::to_string(a.count) + " of " +
                map.queues[static_cast<std::size_t>(a.queue)].name + " (" + std::to_string(done) + " done)";
    }
    return text;
  };
  for (std::size_t q = 0; q < map.queues.size(); ++q) {
    const hw::EngineShell& e = *topology.engines[q];
    if (e.running())
      out += " " + name(*e.running()) + " never ends;";
    else if (e.head())
      out += " " + name(*e.head()) + waits(*e.head()) + ";";
  }
  if (const hw::Command* c = topology.control.blocked()) out += " control stands at " + name(*c) + waits(*c) + ";";
  out.pop_back();
  return out;
}

program::Job program_part(const program::Program& program, const hw::Device& device) {
  program::Job job;
  job.program = &program;
  for (const program::Arena& a : program.arenas) {
    const int m = device.memory(a.name);
    ensure(m >= 0, "arena " + a.name + " is no memory of " + device.name);
    job.binding.push_back({m, device.memories[static_cast<std::size_t>(m)].reserved});
  }
  return job;
}

program::Job whole_program(const program::Program& program, const hw::Device& device) {
  auto job = program_part(program, device);
  job.release = start_ticks(device);
  return job;
}

std::int64_t start_ticks(const hw::Device& device) { return hw::control_clock(device).ticks(device.control.start); }

}  // namespace dse::sim
