// The platform's semantics as a plain event loop without SystemC, written independently of its blocks: one event queue,
// remaining work of every flow kept as an exact fraction and recomputed at every event. It is what the platform's speed
// is compared with, and what its times are compared with (they must be equal).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "models/hw/clocking.h"
#include "models/hw/cost_model.h"
#include "program/program.h"

namespace dse::reference {

using hw::Tick;

/// One port, by remaining work: units of 1/(q * 720720) byte, 720720 = lcm(1..16).
class Port {
 public:
  explicit Port(Ratio rate, int banks) : p_(rate.num), unit_(rate.den * 720720 * banks), banks_(banks) {}
  void advance(Tick now) {
    const Moving m = moving();
    for (auto& f : flows_)
      if (f.level == m.level) f.left -= m.speed * (now - time_);
    time_ = now;
  }
  /// Flows of a lower level than others stand still.
  void add(int queue, std::int64_t bytes, int level) {
    flows_.push_back({queue, static_cast<std::int64_t>(bytes) * unit_, level});
  }
  Tick next() const {
    Tick t = hw::kNever;
    const Moving m = moving();
    for (const auto& f : flows_)
      if (f.level == m.level) t = std::min(t, time_ + std::max<std::int64_t>(0, (f.left + m.speed - 1) / m.speed));
    return t;
  }
  template <class Fn>
  void ended(Fn&& fn) {
    for (std::size_t i = 0; i < flows_.size();)
      if (flows_[i].left <= 0) {
        fn(flows_[i].queue);
        flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
  }

 private:
  struct Flow {
    int queue;
    std::int64_t left;
    int level;
  };
  /// The flows that move, and each one's speed.
  struct Moving {
    int level;
    std::int64_t speed;
  };
  Moving moving() const {
    int level = std::numeric_limits<int>::min();
    std::int64_t n = 0;
    for (const auto& f : flows_) {
      if (f.level > level) level = f.level, n = 0;
      n += f.level == level;
    }
    return {level, n == 0 ? 0 : p_ * (720720 / n) * (n > 1 && banks_ > 1 ? banks_ - 1 : banks_)};
  }
  std::int64_t p_, unit_;
  int banks_;
  Tick time_ = 0;
  std::vector<Flow> flows_;
};

class Loop {
 public:
  /// One job, the whole program. @returns its ticks; -1 when it cannot end.
  Tick run(const hw::DeviceTiming& timing, const program::Job& job) {
    const hw::Device& d = timing.device();
    const hw::DeviceCostModel costs(timing, *job.program, job.binding);
    ports_.clear();
    first_.clear();
    for (std::size_t m = 0; m < d.memories.size(); ++m) {
      first_.push_back(ports_.size());
      for (int p = 0; p < d.memories[m].ports; ++p)
        ports_.emplace_back(timing.rate(static_cast<int>(m)), d.memories[m].banks);
    }
    const auto clock = hw::control_clock(d);
    const Tick issue = clock.ticks(d.control.issue), wait = clock.ticks(d.control.wait);
    std::vector<Queue> queues(job.program->queues.size());
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const int e = job.program->queues[q].engine;
      queues[q].depth = static_cast<std::size_t>(d.engines[static_cast<std::size_t>(e)].queue);
      const auto& engine = d.engines[static_cast<std::size_t>(e)];
      queues[q].own = e == d.control.engine || engine.blocking;
      queues[q].level = d.arbitration == "priority" ? engine.priority : 0;
    }
    program::Walker walker(*job.program);
    Task current;
    bool have = false, more = true;
    Tick now = job.release, control_free = now, last = now;
    bool paid = false;
    int own_wait = -1;
    std::int64_t done = 0, issued = 0;
    for (;;) {
      bool moved = true;
      while (moved) {  // everything that can happen at `now`
        moved = false;
        for (Port& p : ports_) p.advance(now), p.ended([&](int q) { --queues[static_cast<std::size_t>(q)].flows; });
        for (std::size_t q = 0; q < queues.size(); ++q) {
          Queue& u = queues[q];
          if (u.state == Queue::fixed && u.until <= now) {
            u.state = Queue::moving;
            u.until = now + u.running.cost.busy;
            start_flows(u, static_cast<int>(q), d);
            moved = true;
          }
          if (u.state == Queue::moving && u.flows == 0 && u.until <= now) {
            u.state = Queue::idle;
            ++u.completed;
            ++done;
            last = now;
            if (own_wait == static_cast<int>(q)) own_wait = -1, control_free = std::max(control_free, now);
            moved = true;
          }
        }
        for (Queue& u : queues)
          if (u.state == Queue::idle && !u.fifo.empty() && holds(u.fifo.front().instance, queues)) {
            u.running = u.fifo.front();
            u.fifo.pop_front();
            Tick fixed = u.running.cost.fixed;
            if (u.running.cost.kernel) {
              if (u.running.cost.kernel != u.kernel || u.running.instance.section != u.section)
                fixed += u.running.cost.switch_cost;
              u.kernel = u.running.cost.kernel;
              u.section = u.running.instance.section;
            }
            u.state = Queue::fixed;
            u.until = now + fixed;
            moved = true;
          }
        while (own_wait < 0 && control_free <= now && more) {  // control
          if (!have) {
            have = walker.next(current.instance);
            if (!have) {
              more = false;
              break;
            }
            paid = false;
            if (current.instance.queue >= 0) current.cost = current.instance.task->kind->time(current.instance, costs);
          }
          if (current.instance.queue < 0) {
            if (!holds(current.instance, queues)) break;
            control_free = now + wait;
            last = std::max(last, control_free);
            have = false;
            moved = true;
            continue;
          }
          if (!paid) {
            paid = true;
            control_free = now + issue;
            continue;
          }
          Queue& u = queues[static_cast<std::size_t>(current.instance.queue)];
          if (u.fifo.size() >= u.depth) break;
          u.fifo.push_back(current);
          ++issued;
          have = false;
          moved = true;
          if (u.own)
            own_wait = current.instance.queue;
          else if (u.fifo.size() >= 1)
            break;  // let the engine take it before the next one is pushed
        }
      }
      Tick next = hw::kNever;
      for (const Port& p : ports_) next = std::min(next, p.next());
      for (const Queue& u : queues)
        if (u.state != Queue::idle && u.until > now) next = std::min(next, u.until);
      if (own_wait < 0 && more && control_free > now) next = std::min(next, control_free);
      if (next == hw::kNever) break;
      now = next;
    }
    return more || done < issued ? -1 : std::max(last, control_free);
  }

 private:
  struct Task {
    program::TaskInstance instance;
    program::TaskCost cost;
  };
  struct Queue {
    enum State { idle, fixed, moving } state = idle;
    std::deque<Task> fifo;
    Task running;
    std::size_t depth = 1;
    Tick until = 0;
    int flows = 0, kernel = 0, section = -1;
    std::int32_t completed = 0;
    bool own = false;
    int level = 0;
  };
  static bool holds(const program::TaskInstance& t, const std::vector<Queue>& queues) {
    for (int i = 0; i < t.after_count; ++i) {
      const auto& c = t.after[static_cast<std::size_t>(i)];
      if (queues[static_cast<std::size_t>(c.queue)].completed < c.count) return false;
    }
    return true;
  }
  void start_flows(Queue& u, int q, const hw::Device& d) {
    std::array<std::int64_t, 8> bytes{};
    for (int f = 0; f < u.running.cost.flow_count; ++f) {
      const auto& flow = u.running.cost.flows[static_cast<std::size_t>(f)];
      bytes[static_cast<std::size_t>(flow.memory)] += flow.port_bytes;
    }
    for (std::size_t m = 0; m < d.memories.size(); ++m)
      if (bytes[m] > 0) {
        ports_[first_[m] + static_cast<std::size_t>(q % d.memories[m].ports)].add(q, bytes[m], u.level);
        ++u.flows;
      }
  }
  std::vector<Port> ports_;
  std::vector<std::size_t> first_;
};

}  // namespace dse::reference
