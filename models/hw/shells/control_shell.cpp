#include "models/hw/shells/control_shell.h"

#include <algorithm>
#include <string>

namespace dse::hw {

ControlShell::ControlShell(const sc_core::sc_module_name& name, RunState& state)
    : sc_core::sc_module(name), state_(state) {
  for (int q = 0; q < kMaxQueues; ++q) {
    auto& s = engines[static_cast<std::size_t>(q)];
    s = std::make_unique<Socket>(("engine" + std::to_string(q)).c_str());
    s->register_nb_transport_bw(this, &ControlShell::answer, q);
  }
  SC_METHOD(act);
  sensitive << wake_;
  dont_initialize();
}

void ControlShell::arm(const std::vector<ControlJob>& jobs, Costs costs, std::uint32_t own_queues) {
  jobs_ = &jobs;
  costs_ = costs;
  own_queues_ = own_queues;
  full_ = 0;
  job_ = 0;
  job_open_ = false;
  walker_.reset();
  current_ = nullptr;
  paid_ = false;
  block_ = Block::none;
  local_ = blocked_since_ = finished_ = 0;
  outstanding_ = 0;
  free_.clear();
  for (Command& c : commands_) free_.push_back(&c);
  wake_.cancel();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

Command* ControlShell::acquire() {
  if (free_.empty()) return &commands_.emplace_back();
  Command* c = free_.back();
  free_.pop_back();
  return c;
}

/// END_REQ: a queue has room again. BEGIN_RESP: a task is done.
tlm::tlm_sync_enum ControlShell::answer(int queue, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  const Tick at = state_.now() + static_cast<Tick>(delay.value());
  if (phase == tlm::END_REQ) {
    full_ &= ~(1u << queue);
    if (block_ == Block::queue && blocked_queue_ == queue) {
      local_ = std::max(local_, at);
      wake_.notify(sc_core::SC_ZERO_TIME);
    }
    return tlm::TLM_ACCEPTED;
  }
  --outstanding_;
  finished_ = std::max(finished_, at);
  free_.push_back(payload.get_extension<Command>());
  const bool go = block_ == Block::wait         ? state_.scoreboard.holds(current_->instance)
                  : block_ == Block::own_cpu    ? (own_queues_ >> queue & 1u) != 0
                  : block_ == Block::quiescence ? outstanding_ == 0
                                                : false;
  if (go) {
    local_ = std::max(local_, at);
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
  return tlm::TLM_COMPLETED;
}

void ControlShell::act() {
  state_.enter();
  if (state_.stopped) return;
  block_ = Block::none;
  try {
    run();
  } catch (...) {
    state_.fail(std::current_exception());
  }
}

bool ControlShell::open_job() {
  const ControlJob& job = (*jobs_)[job_];
  local_ = std::max(local_, job.release);
  state_.scoreboard.clear();
  for (std::size_t q = 0; q < state_.queue_origin.size(); ++q)
    state_.queue_origin[q] = static_cast<std::int32_t>(state_.log.of_queue[q].size());
  if (hook_) hook_->job_starts(job_);
  walker_.emplace(*job.program, job.first_section, job.last_section);
  job_open_ = true;
  return !state_.stopped;
}

void ControlShell::run() {
  while (!state_.stopped) {
    if (job_ == jobs_->size()) return;
    if (!job_open_ && !open_job()) return;
    if (!current_ && !fetch()) {
      if (outstanding_ > 0) {
        block_ = Block::quiescence;
        return;
      }
      finished_ = std::max(finished_, local_);
      if (hook_) hook_->job_ends(job_);
      job_open_ = false;
      ++job_;
      continue;
    }
    if (current_->instance.queue == program::kControl ? !pass_wait() : !send()) return;
  }
}

/// Next instance, with its queues translated to the platform's and its cost. False at the end of the job.
bool ControlShell::fetch() {
  const ControlJob& job = (*jobs_)[job_];
  current_ = acquire();
  program::TaskInstance& t = current_->instance;
  if (!walker_->next(t)) {
    free_.push_back(current_);
    current_ = nullptr;
    return false;
  }
  current_->job = static_cast<int>(job_);
  paid_ = false;
  if (t.queue != program::kControl)
    current_->cost.assign(t.task->kind->time(t, *job.costs));  // in the program's own queue numbers
  if (jobs_->size() > 1) {
    if (t.queue != program::kControl) t.queue = job.queue[static_cast<std::size_t>(t.queue)];
    for (int i = 0; i < t.after_count; ++i) {
      auto& c = t.after[static_cast<std::size_t>(i)];
      c.queue = job.queue[static_cast<std::size_t>(c.queue)];
    }
  }
  return true;
}

bool ControlShell::pass_wait() {
  if (!paid_) {
    paid_ = true;
    blocked_since_ = local_;
  }
  if (!state_.scoreboard.holds(current_->instance)) {
    block_ = Block::wait;
    return false;
  }
  const int section = (*jobs_)[job_].section_origin + current_->instance.section;
  state_.log.waits.push_back({section, blocked_since_, local_, local_ + costs_.wait});
  local_ += costs_.wait;
  free_.push_back(current_);
  current_ = nullptr;
  return true;
}

bool ControlShell::send() {
  const int queue = current_->instance.queue;
  if (!paid_) {
    paid_ = true;
    local_ += costs_.issue;
  }
  if (full_ >> queue & 1u) {
    block_ = Block::queue;
    blocked_queue_ = queue;
    return false;
  }
  Command& c = *current_;
  current_ = nullptr;
  c.issued = local_;
  log_issue(c);
  ++outstanding_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = to_time(local_ - std::min(local_, state_.now()));
  const auto status = (*engines[static_cast<std::size_t>(queue)])->nb_transport_fw(c.payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) full_ |= 1u << queue;
  if (own_queues_ >> queue & 1u) {  // the processor is now the kernel's
    block_ = Block::own_cpu;
    return false;
  }
  return true;
}

void ControlShell::log_issue(Command& c) {
  RunLog& log = state_.log;
  const program::TaskInstance& t = c.instance;
  const auto queue = static_cast<std::size_t>(t.queue);
  c.entry = static_cast<int>(log.tasks.size());
  const int section = (*jobs_)[job_].section_origin + t.section;
  log.tasks.push_back({t.task, section, t.tile, static_cast<std::int16_t>(t.queue), static_cast<std::int16_t>(job_),
                       c.cost.kernel != 0 || c.cost.compute > 0, -1, c.issued, c.issued, -1, -1, 0, 0});
  log.of_queue[queue].push_back(c.entry);
  for (int f = 0; f < c.cost.flow_count; ++f) {
    const auto& flow = c.cost.flows[static_cast<std::size_t>(f)];
    const auto memory = static_cast<std::size_t>(flow.memory);
    (flow.write ? log.written : log.read)[memory] += flow.bytes;
    (flow.write ? log.write_accesses : log.read_accesses)[memory] += flow.accesses;
  }
  log.macs[queue] += c.cost.macs, log.elements[queue] += c.cost.elements, log.cycles[queue] += c.cost.cycles;
  if (c.cost.wide) log.macs_int16[queue] += c.cost.macs;
}

}  // namespace dse::hw
