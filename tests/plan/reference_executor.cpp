#include "tests/plan/reference_executor.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>

#include "base/diagnostics.h"
#include "tests/plan/check/kernel_guard.h"

namespace dse::test {
namespace {

using program::Access;
using program::Program;
using program::TaskInstance;

constexpr std::uint8_t kPoison = 0xA5;

struct Stop {
  std::string what;
};

/// Private copies of the arenas that hold poison except while a task runs in them.
class Bench : public program::ByteSpace {
 public:
  explicit Bench(const Program& p) {
    for (const auto& a : p.arenas) bytes_.emplace_back(static_cast<std::size_t>(a.size), kPoison);
  }
  std::uint8_t* base(int arena) const override { return bytes_.at(static_cast<std::size_t>(arena)).data(); }

 private:
  mutable std::vector<std::vector<std::uint8_t>> bytes_;
};

/// A task between its start and its end.
struct Running {
  TaskInstance task;
  std::vector<Access> accesses;
  std::vector<std::uint8_t> sources;  // the read accesses' bytes as they must still be at the end
  std::vector<std::uint8_t> results;  // the written accesses' bytes, to be stored at the end
};

struct QueueState {
  std::deque<TaskInstance> waiting;
  std::optional<Running> running;
  std::int32_t issued = 0, completed = 0;
};

class Machine {
 public:
  Machine(const Program& p, std::span<const std::uint8_t> constants,
          const std::vector<std::vector<std::uint8_t>>& inputs)
      : program_(p), walker_(p), bench_(p), queues_(p.queues.size()) {
    for (const auto& a : p.arenas) {
      bytes_.emplace_back(static_cast<std::size_t>(a.size), kPoison);
      written_.emplace_back(static_cast<std::size_t>(a.size), 0);
    }
    if (static_cast<std::int64_t>(constants.size()) < p.constants_size)
      throw Stop{"malformed: the constants image is too short"};
    if (inputs.size() != p.inputs.size()) throw Stop{"malformed: wrong number of inputs"};
    if (p.constants_arena >= 0) put(p.constants_arena, 0, constants.first(static_cast<std::size_t>(p.constants_size)));
    for (const auto& l : p.preloads) {
      if (l.image_offset < 0 || l.image_offset + l.size > p.constants_size)
        throw Stop{"out_of_range: a preload reads beyond the image"};
      put(l.arena, l.offset,
          constants.subspan(static_cast<std::size_t>(l.image_offset), static_cast<std::size_t>(l.size)));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (static_cast<std::int64_t>(inputs[i].size()) != p.inputs[i].size)
        throw Stop{"malformed: an input has another size than its port"};
      put(p.inputs[i].arena, p.inputs[i].offset, inputs[i]);
    }
  }

  /// Issues the next task or reaches a Wait. @returns false when control is blocked or at the end.
  bool issue() {
    if (at_end_ || blocked_) return false;
    TaskInstance t;
    if (!walker_.next(t)) {
      at_end_ = true;
      return false;
    }
    for (int i = 0; i < t.after_count; ++i) {
      if (t.after[i].queue < 0 || t.after[i].queue >= static_cast<int>(queues_.size()) ||
          t.after[i].count > queues_[t.after[i].queue].issued)
        throw Stop{"deadlock: " + describe(program_, t) + " waits for a task that is not issued before it"};
    }
    if (t.task->kind->is_wait()) {
      blocked_ = t;
      const auto* wait = dynamic_cast<const program::WaitPayload*>(t.task->payload.get());
      if (wait && wait->all) {
        wait_for_.clear();
        for (std::size_t q = 0; q < queues_.size(); ++q)
          wait_for_.push_back({static_cast<std::int32_t>(q), queues_[q].issued});
      } else {
        wait_for_.assign(t.after.begin(), t.after.begin() + t.after_count);
      }
      return true;
    }
    if (t.queue < 0 || t.queue >= static_cast<int>(queues_.size()))
      throw Stop{"malformed: " + describe(program_, t) + " has no queue"};
    queues_[t.queue].waiting.push_back(t);
    ++queues_[t.queue].issued;
    return true;
  }

  bool blocked() const { return blocked_.has_value(); }
  bool at_end() const { return at_end_; }
  const std::vector<program::Completion>& wait_for() const { return wait_for_; }

  /// Lets control pass the Wait that blocks it, if what it waits for is complete.
  bool pass_wait() {
    if (!blocked_) return false;
    for (const auto& c : wait_for_)
      if (queues_[c.queue].completed < c.count) return false;
    blocked_.reset();
    return true;
  }

  int queues() const { return static_cast<int>(queues_.size()); }
  bool idle() const {
    return std::all_of(queues_.begin(), queues_.end(),
                       [](const QueueState& q) { return q.waiting.empty() && !q.running; });
  }
  bool can_end(int q) const { return queues_[q].running.has_value(); }
  bool can_start(int q) const {
    const QueueState& s = queues_[q];
    if (s.running || s.waiting.empty()) return false;
    const TaskInstance& t = s.waiting.front();
    for (int i = 0; i < t.after_count; ++i)
      if (queues_[t.after[i].queue].completed < t.after[i].count) return false;
    return true;
  }

  void start(int q) {
    Running r;
    r.task = queues_[q].waiting.front();
    queues_[q].waiting.pop_front();
    r.task.task->kind->footprint(r.task, r.accesses);
    for (const Access& a : r.accesses) {
      require_inside(r.task, a);
      if (a.write) continue;
      require_written(r.task, a);
      std::memcpy(bench_.base(a.arena) + a.begin, &bytes_[a.arena][a.begin], a.end - a.begin);
    }
    if (!parameters_in_range(r.task, r.accesses, bench_))
      throw Stop{"execution: " + describe(program_, r.task) + " reads quantisation parameters that are none"};
    if (!r.task.task->kind->execute(r.task, bench_))
      throw Stop{"execution: " + describe(program_, r.task) + " cannot be executed"};
    for (const Access& a : r.accesses)
      if (a.write) r.results.insert(r.results.end(), bench_.base(a.arena) + a.begin, bench_.base(a.arena) + a.end);
    for (const Access& a : r.accesses) {
      std::memset(bench_.base(a.arena) + a.begin, kPoison, a.end - a.begin);
      if (!a.write) continue;
      std::memset(&bytes_[a.arena][a.begin], kPoison, a.end - a.begin);
      std::memset(&written_[a.arena][a.begin], 0, a.end - a.begin);
    }
    for (const Access& a : r.accesses)
      if (!a.write)
        r.sources.insert(r.sources.end(), &bytes_[a.arena][a.begin], &bytes_[a.arena][a.begin] + (a.end - a.begin));
    queues_[q].running = std::move(r);
    ++tasks_;
  }

  void end(int q) {
    Running& r = *queues_[q].running;
    std::size_t source = 0, result = 0;
    for (const Access& a : r.accesses) {
      if (a.write || a.begin >= a.end) continue;
      if (std::memcmp(&r.sources[source], &bytes_[a.arena][a.begin], a.end - a.begin) != 0)
        throw Stop{"conflict: " + describe(program_, r.task) + ": bytes that it reads changed while it ran in " +
                   text(a)};
      source += a.end - a.begin;
    }
    for (const Access& a : r.accesses) {
      if (!a.write || a.begin >= a.end) continue;
      const std::uint8_t* w = &written_[a.arena][a.begin];
      if (std::any_of(w, w + (a.end - a.begin), [](std::uint8_t b) { return b == 1; }))
        throw Stop{"conflict: " + describe(program_, r.task) + ": another task wrote its output while it ran in " +
                   text(a)};
    }
    for (const Access& a : r.accesses) {
      if (!a.write || a.begin >= a.end) continue;
      std::memcpy(&bytes_[a.arena][a.begin], &r.results[result], a.end - a.begin);
      std::memset(&written_[a.arena][a.begin], 1, a.end - a.begin);
      result += a.end - a.begin;
    }
    queues_[q].running.reset();
    ++queues_[q].completed;
  }

  /// Runs queue `q` up to its task `count`, and before each task what it depends on.
  void demand(int q, std::int32_t count) {
    while (queues_[q].completed < count) {
      if (queues_[q].waiting.empty()) throw Stop{"deadlock: a Wait for a task that was never issued"};
      const TaskInstance t = queues_[q].waiting.front();
      for (int i = 0; i < t.after_count; ++i) {
        if (t.after[i].queue == q && t.after[i].count >= t.sequence)
          throw Stop{"deadlock: " + describe(program_, t) + " waits for itself"};
        demand(t.after[i].queue, t.after[i].count);
      }
      start(q);
      end(q);
    }
  }

  std::vector<std::vector<std::uint8_t>> outputs() const {
    std::vector<std::vector<std::uint8_t>> out;
    for (const auto& port : program_.outputs) {
      const auto& w = written_.at(port.arena);
      if (port.offset < 0 || port.offset + port.size > static_cast<std::int64_t>(w.size()))
        throw Stop{"out_of_range: output " + port.name};
      if (std::any_of(w.begin() + port.offset, w.begin() + port.offset + port.size,
                      [](std::uint8_t b) { return b == 0; }))
        throw Stop{"uninitialised_read: output " + port.name + " is not completely written"};
      const auto from = bytes_[port.arena].begin() + port.offset;
      out.emplace_back(from, from + port.size);
    }
    return out;
  }
  std::int64_t tasks() const { return tasks_; }

 private:
  std::string text(const Access& a) const {
    return program_.arenas[a.arena].name + " [" + std::to_string(a.begin) + ", " + std::to_string(a.end) + ")";
  }
  void put(int arena, std::int64_t offset, std::span<const std::uint8_t> from) {
    auto& b = bytes_.at(static_cast<std::size_t>(arena));
    if (offset < 0 || offset + static_cast<std::int64_t>(from.size()) > static_cast<std::int64_t>(b.size()))
      throw Stop{"out_of_range: initial bytes do not fit arena " + program_.arenas[arena].name};
    std::copy(from.begin(), from.end(), b.begin() + offset);
    std::fill_n(written_[arena].begin() + offset, from.size(), 1);
  }
  void require_inside(const TaskInstance& t, const Access& a) const {
    if (a.arena < 0 || a.arena >= static_cast<int>(bytes_.size()))
      throw Stop{"out_of_range: " + describe(program_, t) + ": no such arena"};
    if (a.begin < 0 || a.end < a.begin || a.end > static_cast<std::int64_t>(bytes_[a.arena].size()))
      throw Stop{"out_of_range: " + describe(program_, t) + ": " + text(a)};
  }
  void require_written(const TaskInstance& t, const Access& a) const {
    const auto& w = written_[a.arena];
    const auto first = std::find(w.begin() + a.begin, w.begin() + a.end, 0);
    if (first != w.begin() + a.end)
      throw Stop{"uninitialised_read: " + describe(program_, t) + ": byte " + std::to_string(first - w.begin()) +
                 " of " + text(a)};
  }

  const Program& program_;
  program::Walker walker_;
  Bench bench_;
  std::vector<QueueState> queues_;
  std::vector<std::vector<std::uint8_t>> bytes_, written_;
  std::optional<TaskInstance> blocked_;
  std::vector<program::Completion> wait_for_;
  bool at_end_ = false;
  std::int64_t tasks_ = 0;
};

void run_eager(Machine& m) {
  for (;;) {
    const bool more = m.issue();
    for (int q = 0; q < m.queues(); ++q)
      if (m.can_start(q)) {
        m.start(q);
        m.end(q);
      }
    if (!m.idle()) throw Stop{"deadlock: a task cannot start when it is issued"};
    m.pass_wait();
    if (!more && m.at_end()) return;
  }
}

void run_lazy(Machine& m) {
  for (;;) {
    while (m.issue()) {
    }
    if (!m.blocked()) break;
    for (const auto& c : m.wait_for()) m.demand(c.queue, c.count);
    m.pass_wait();
  }
  // The end of the program: the rest, last queue first.
  for (int q = m.queues() - 1; q >= 0; --q)
    while (m.can_start(q)) {
      m.start(q);
      m.end(q);
      q = m.queues() - 1;
    }
  if (!m.idle()) throw Stop{"deadlock: tasks are left at the end"};
}

void run_random(Machine& m, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  // Some runs issue far ahead, some hardly; some end tasks at once, some late: extremes find what uniform choices
  // rarely meet.
  const unsigned bias[] = {1, 4, 32};
  const unsigned issue_weight = bias[rng() % 3], start_weight = bias[rng() % 3], end_weight = bias[rng() % 3];
  std::vector<unsigned> favour(static_cast<std::size_t>(m.queues()));
  for (auto& f : favour) f = bias[rng() % 3];
  struct Event {
    int queue;
    bool end;
    unsigned weight;
  };
  std::vector<Event> events;
  for (;;) {
    events.clear();
    unsigned total = 0;
    auto offer = [&](Event e) { events.push_back(e), total += e.weight; };
    m.pass_wait();
    if (!m.blocked() && !m.at_end()) offer({-1, false, issue_weight});
    for (int q = 0; q < m.queues(); ++q) {
      if (m.can_start(q)) offer({q, false, start_weight * favour[q]});
      if (m.can_end(q)) offer({q, true, end_weight * favour[q]});
    }
    if (events.empty()) break;
    unsigned pick = static_cast<unsigned>(rng() % total);
    const Event* e = events.data();
    while (pick >= e->weight) pick -= (e++)->weight;
    if (e->queue < 0)
      m.issue();
    else if (e->end)
      m.end(e->queue);
    else
      m.start(e->queue);
  }
  if (!m.idle() || m.blocked()) throw Stop{"deadlock: tasks are left and none can start"};
}

}  // namespace

const char* name_of(Interleaving i) {
  switch (i) {
    case Interleaving::eager:
      return "eager";
    case Interleaving::lazy:
      return "lazy";
    case Interleaving::random:
      return "random";
  }
  return "?";
}

std::string describe(const Program& p, const TaskInstance& t) {
  const bool named = t.section >= 0 && t.section < static_cast<int>(p.sections.size());
  std::string s = (named ? p.sections[t.section].name : std::string("?")) + " " + std::string(t.task->kind->name()) +
                  " tile " + std::to_string(t.tile);
  if (t.queue >= 0 && t.queue < static_cast<int>(p.queues.size()))
    s += " (queue " + p.queues[t.queue].name + ", task " + std::to_string(t.sequence) + ")";
  return s;
}

ExecutionResult execute(const Program& program, std::span<const std::uint8_t> constants,
                        const std::vector<std::vector<std::uint8_t>>& inputs, Interleaving order, std::uint64_t seed) {
  ExecutionResult result;
  try {
    Machine m(program, constants, inputs);
    switch (order) {
      case Interleaving::eager:
        run_eager(m);
        break;
      case Interleaving::lazy:
        run_lazy(m);
        break;
      case Interleaving::random:
        run_random(m, seed);
        break;
    }
    result.tasks = m.tasks();
    result.outputs = m.outputs();
  } catch (const Stop& s) {
    result.failure = s.what;
  } catch (const InvariantError& e) {
    result.failure = std::string("malformed: ") + e.what();
  }
  return result;
}

}  // namespace dse::test
