#include "sim/account.h"

#include <algorithm>

namespace dse::sim {

using hw::TaskEntry;

void Accountant::section_ends(const hw::RunLog& log, int sections, RunResult& result) {
  result.section_end.assign(static_cast<std::size_t>(sections), 0);
  for (const TaskEntry& t : log.tasks) {
    auto& end = result.section_end[static_cast<std::size_t>(t.section)];
    end = std::max(end, t.end);
  }
  for (const hw::WaitEntry& w : log.waits) {
    auto& end = result.section_end[static_cast<std::size_t>(w.section)];
    end = std::max(end, w.end);
  }
  for (std::size_t s = 1; s < result.section_end.size(); ++s)
    result.section_end[s] = std::max(result.section_end[s], result.section_end[s - 1]);
}

void Accountant::account(const hw::RunLog& log, const hw::Device& device, const std::vector<AccountJob>& jobs,
                         std::uint32_t polled, int sections, RunResult& result) {
  log_ = &log, device_ = &device, jobs_ = &jobs, result_ = &result;
  result.layers.clear();
  for (const AccountJob& j : jobs)
    for (const program::SectionLayer& l : j.layers->rows()) {
      LayerAccount& a = result.layers.emplace_back();
      a.section = l.section, a.layer = l.layer;
    }
  cause_cache_.resize(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) cause_cache_[j].assign(jobs[j].program->templates.size(), -1);
  wait_ = 0, charged_ = 0;
  section_ends(log, sections, result);

  compute_.clear();
  bool sorted = true;
  for (std::size_t i = 0; i < log.tasks.size(); ++i)
    if (log.tasks[i].compute) {
      sorted = sorted &&
               (compute_.empty() || log.tasks[static_cast<std::size_t>(compute_.back())].start <= log.tasks[i].start);
      compute_.push_back(static_cast<std::int32_t>(i));
    }
  if (!sorted)
    std::stable_sort(compute_.begin(), compute_.end(), [&](std::int32_t a, std::int32_t b) {
      return log.tasks[static_cast<std::size_t>(a)].start < log.tasks[static_cast<std::size_t>(b)].start;
    });

  polled_.clear(), polled_at_ = 0;
  if (polled)
    for (const TaskEntry& t : log.tasks)
      if (polled >> t.queue & 1u) polled_.push_back(&t);
  std::int64_t cursor = 0;
  for (const std::int32_t i : compute_) {
    const TaskEntry& t = log.tasks[static_cast<std::size_t>(i)];
    const int row = row_of(t);
    if (t.start > cursor) {
      charge_gap(cursor, t, row);
      cursor = t.start;
    }
    if (t.end > cursor) {
      charge_task(cursor, t, row);
      cursor = t.end;
    }
  }
  charge_tail(cursor, result.ticks);
  hide_dma();
  for (std::size_t i = 0; i < result.details.size(); ++i) result.details[i].cause = cause_of(log.tasks[i]);
}

int Accountant::row_of(const TaskEntry& e) const {
  const AccountJob& job = (*jobs_)[static_cast<std::size_t>(e.job)];
  return job.row_origin + job.layers->row(e.section - job.section_origin, *e.task);
}

void Accountant::charge(int row, Cause cause, std::int64_t ticks) {
  if (ticks <= 0) return;
  result_->layers[static_cast<std::size_t>(row)].ticks[static_cast<std::size_t>(cause)] += ticks;
  const std::int64_t from = charged_;
  charged_ += ticks;
  if (result_->trace.empty()) return;
  auto& all = result_->charges;
  if (!all.empty() && all.back().row == row && all.back().cause == cause)
    all.back().to = charged_;
  else
    all.push_back({row, cause, from, charged_});
}

void Accountant::charge_stream(std::int64_t from, const TaskEntry& t, const program::StreamPayload& stream) {
  const AccountJob& job = (*jobs_)[static_cast<std::size_t>(t.job)];
  const auto entry = static_cast<std::int32_t>(&t - log_->tasks.data());
  auto part = std::lower_bound(log_->parts.begin(), log_->parts.end(), entry,
                               [](const hw::StreamPart& p, std::int32_t e) { return p.entry < e; });
  int row = row_of(t);
  const auto begin = std::min(t.end, t.start + t.fixed);
  charge(row, Cause::dispatch, begin - from);
  from = std::max(from, begin);
  for (; part != log_->parts.end() && part->entry == entry; ++part) {
    if (static_cast<std::size_t>(part->number) < stream.layers.size())
      row = job.row_origin +
            job.layers->row_of(t.section - job.section_origin, stream.layers[static_cast<std::size_t>(part->number)]);
    const auto end = std::min(part->end, t.end), own = std::min(part->busy, std::max<std::int64_t>(0, end - from));
    charge(row, Cause::memory, end - from - own);
    charge(row, Cause::compute, own);
    from = std::max(from, end);
  }
  charge(row, Cause::wait, t.end - from);
}

void Accountant::charge_task(std::int64_t from, const TaskEntry& t, int row) {
  if (const auto* stream = program::stream_of(*t.task)) return charge_stream(from, t, *stream);
  const std::int64_t fixed = t.start + t.fixed, own = std::min(t.end, fixed + t.busy);
  charge(row, Cause::dispatch, std::min(fixed, t.end) - from);
  charge(row, Cause::compute, own - std::max(from, std::min(fixed, t.end)));
  charge(row, Cause::memory, t.end - std::max(from, own));
}

void Accountant::charge_gap(std::int64_t from, const TaskEntry& next, int row) {
  const std::int64_t issued = std::clamp(next.issued, from, next.start),
                     ready = std::clamp(next.ready, issued, next.start);
  std::int64_t t = from;
  const auto to = [&](std::int64_t until, Cause cause) {
    until = std::min(until, issued);
    if (until > t) charge(row, cause, until - t), t = until;
  };
  const auto issue_to = [&](std::int64_t until) {  // control is busy, or it waits for a transfer that it has issued
    until = std::min(until, issued);
    for (; polled_at_ < polled_.size() && polled_[polled_at_]->issued < until; ++polled_at_) {
      const TaskEntry& polled = *polled_[polled_at_];
      to(polled.issued, Cause::issue);
      to(polled.end, cause_of(polled));
      if (polled.end > until) break;
    }
    to(until, Cause::issue);
  };
  while (wait_ < log_->waits.size() && log_->waits[wait_].end <= from) ++wait_;
  for (std::size_t w = wait_; w < log_->waits.size() && log_->waits[w].from < issued; ++w) {
    const hw::WaitEntry& wait = log_->waits[w];
    issue_to(wait.from);
    if (wait.until > t) {  // what ends last before control goes on is what it stood for
      const TaskEntry* last = nullptr;
      for (const auto& queue : log_->of_queue) {
        const auto after = std::partition_point(queue.begin(), queue.end(), [&](std::int32_t i) {
          return log_->tasks[static_cast<std::size_t>(i)].end <= wait.until;
        });
        if (after == queue.begin()) continue;
        const TaskEntry& e = log_->tasks[static_cast<std::size_t>(*(after - 1))];
        if (!last || e.end > last->end) last = &e;
      }
      to(last ? std::min(last->end, wait.until) : t, last ? cause_of(*last) : Cause::wait);
    }
    to(wait.end, Cause::wait);
  }
  issue_to(issued);
  if (ready > issued)
    charge(row, next.ready_by >= 0 ? cause_of(log_->tasks[static_cast<std::size_t>(next.ready_by)]) : Cause::other,
           ready - issued);
  if (next.start > ready) {
    Cause cause = Cause::other;  // the task before it in its queue
    const auto& queue = log_->of_queue[static_cast<std::size_t>(next.queue)];
    const auto self = static_cast<std::int32_t>(&next - log_->tasks.data());
    const auto at = std::lower_bound(queue.begin(), queue.end(), self);
    if (at != queue.begin()) cause = cause_of(log_->tasks[static_cast<std::size_t>(*(at - 1))]);
    charge(row, cause, next.start - ready);
  }
}

/// The last entry of a section, which counts through all jobs.
int Accountant::last_row(int section) const {
  const auto after = std::upper_bound(jobs_->begin(), jobs_->end(), section,
                                      [](int s, const AccountJob& j) { return s < j.section_origin; });
  const AccountJob& job = *(after - 1);
  return job.row_origin + job.layers->last_row(section - job.section_origin);
}

void Accountant::charge_tail(std::int64_t from, std::int64_t total) {
  if (total <= from) return;
  const TaskEntry* computed = compute_.empty() ? nullptr : &log_->tasks[static_cast<std::size_t>(compute_.back())];
  int section = computed ? computed->section : 0, row = computed ? row_of(*computed) : 0;
  const int last = static_cast<int>(result_->section_end.size()) - 1;
  // The transfers that run after the last compute task, in order of their ends, take the ticks up to their ends.
  std::vector<const TaskEntry*> rest;
  for (const TaskEntry& t : log_->tasks)
    if (t.end > from && !t.compute) rest.push_back(&t);
  std::stable_sort(rest.begin(), rest.end(), [](const TaskEntry* a, const TaskEntry* b) { return a->end < b->end; });
  for (const TaskEntry* t : rest) {
    if (t->section >= section) section = t->section, row = row_of(*t);
    charge(row, cause_of(*t), t->end - from);
    from = std::max(from, t->end);
  }
  for (; section < last && from < total; ++section) {  // Waits at the ends of sections
    const std::int64_t end = std::min(total, result_->section_end[static_cast<std::size_t>(section)]);
    charge(row, Cause::wait, end - from);
    from = std::max(from, end);
    row = last_row(section + 1);
  }
  charge(row, Cause::wait, total - from);
}

/// Ticks at which a transfer runs (on any queue) while a compute task does, charged to the compute task's layer.
void Accountant::hide_dma() {
  // Queues are in order: merging them by start gives the union of their busy times.
  transfers_.clear();
  std::array<std::size_t, hw::kMaxQueues> at{};
  std::size_t used = 0;
  for (std::size_t q = 0; q < at.size(); ++q)
    if (!log_->of_queue[q].empty()) used = q + 1;
  for (;;) {
    const TaskEntry* next = nullptr;
    std::size_t from = 0;
    for (std::size_t q = 0; q < used; ++q) {
      const auto& queue = log_->of_queue[q];
      while (at[q] < queue.size() && log_->tasks[static_cast<std::size_t>(queue[at[q]])].compute) ++at[q];
      if (at[q] == queue.size()) continue;
      const TaskEntry& t = log_->tasks[static_cast<std::size_t>(queue[at[q]])];
      if (!next || t.start < next->start) next = &t, from = q;
    }
    if (!next) break;
    ++at[from];
    if (!transfers_.empty() && next->start <= transfers_.back().second)
      transfers_.back().second = std::max(transfers_.back().second, next->end);
    else
      transfers_.push_back({next->start, next->end});
  }
  const std::size_t merged = transfers_.size();
  std::size_t first = 0;
  std::int64_t cursor = 0;
  for (const std::int32_t i : compute_) {
    const TaskEntry& t = log_->tasks[static_cast<std::size_t>(i)];
    const std::int64_t start = std::max(t.start, cursor);
    cursor = std::max(cursor, t.end);
    while (first < merged && transfers_[first].second <= start) ++first;
    for (std::size_t j = first; j < merged && transfers_[j].first < t.end; ++j)
      result_->layers[static_cast<std::size_t>(row_of(t))].hidden_dma +=
          std::max<std::int64_t>(0, std::min(transfers_[j].second, t.end) - std::max(transfers_[j].first, start));
  }
}

Cause Accountant::cause_of(const TaskEntry& e) {
  if (e.compute) return Cause::other;
  const auto job = static_cast<std::size_t>(e.job);
  auto& cached = cause_cache_[job][static_cast<std::size_t>(e.task - (*jobs_)[job].program->templates.data())];
  if (cached < 0) cached = static_cast<std::int8_t>(classify(e));
  return static_cast<Cause>(cached);
}

/// A transfer of constants, or from or to a buffer that holds them in its section (on their way through a staging
/// buffer they are known by where they go); else towards the compute engine (input) or away from it (output).
Cause Accountant::classify(const TaskEntry& e) const {
  const auto* copy = dynamic_cast<const program::CopyPayload*>(e.task->payload.get());
  if (!copy || copy->fill) return Cause::dma_input;
  const AccountJob& job = (*jobs_)[static_cast<std::size_t>(e.job)];
  const program::Program& p = *job.program;
  if (copy->from.arena == p.constants_arena && copy->from.offset < p.constants_size) return Cause::dma_weights;
  const int section = e.section - job.section_origin;
  const auto within = [&](const program::Buffer& b, const program::View& v) {
    return b.arena == v.arena && v.offset >= b.offset && v.offset < b.offset + b.size;
  };
  for (const program::Buffer& b : p.buffers)
    if ((b.role == program::BufferRole::weights || b.role == program::BufferRole::constants) &&
        b.first_section <= section && section <= b.last_section && (within(b, copy->from) || within(b, copy->to)))
      return Cause::dma_weights;
  constexpr std::int64_t kOffChip = std::int64_t{1} << 40;  // farther than all on the chip, whatever their latencies
  const auto distance = [&](int arena) {
    const int memory = (*job.binding)[static_cast<std::size_t>(arena)].memory;
    const int engine = device_->compute_engine();
    if (engine >= 0) {
      const auto& near = device_->engines[static_cast<std::size_t>(engine)].memories;
      const auto at = std::find(near.begin(), near.end(), memory);
      if (at != near.end()) return static_cast<std::int64_t>(at - near.begin());
    }
    const hw::Memory& far = device_->memories[static_cast<std::size_t>(memory)];
    return (far.on_chip ? 0 : kOffChip) + 1000 + far.latency;
  };
  return distance(copy->to.arena) > distance(copy->from.arena) ? Cause::dma_output : Cause::dma_input;
}

}  // namespace dse::sim
