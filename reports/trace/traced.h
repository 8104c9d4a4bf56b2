// One simulated point with the program that ran: what traces are written from.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explore/measure/results.h"
#include "models/hw/cost_model.h"
#include "program/program.h"

namespace dse::reports {

struct Traced {
  const explore::Front& front;      // names and clock of the case (explore::describe_front)
  const explore::Point& point;      // simulated to its end, with its trace
  const program::Program& program;  // that ran
  hw::DevicePtr device;
};

/// Takes the text of a file, piece by piece.
using Sink = std::function<void(const std::string& text)>;

/// Picoseconds until this tick, rounded down: different ticks stay different below 1 THz.
std::int64_t picoseconds(std::int64_t tick, std::int64_t tick_hz);

/// What ran, task by task in issue order. `traced` must outlive it.
class TaskReader {
 public:
  explicit TaskReader(const Traced& traced);
  /// @returns false at the end. @throws InvariantError when the trace is not one of the program.
  bool next();
  int number() const { return number_; }  // place in the trace
  const sim::TaskRecord& record() const;
  const sim::TaskDetail& detail() const;
  const program::TaskInstance& task() const { return task_; }
  const program::TaskCost& cost() const { return cost_; }

 private:
  const Traced& traced_;
  hw::DeviceTiming timing_;
  std::vector<program::ArenaBinding> binding_;
  hw::DeviceCostModel model_;
  program::Walker walker_;
  program::TaskInstance task_;
  program::TaskCost cost_;
  int number_ = -1;
};

/// Ticks [from, to) of one key.
struct Span {
  std::int64_t key = 0, from = 0, to = 0;
};

/// The account's charges over time; neighbours with the same key are one span.
std::vector<Span> spans_of(const std::vector<sim::ChargeRecord>& charges,
                           const std::function<std::int64_t(const sim::ChargeRecord&)>& key);

/// From `tick` on it is `value`.
struct Step {
  std::int64_t tick = 0, value = 0;
};

/// Bytes alive in a memory as the memory map counts them, with the constants that lie there; empty where nothing does.
std::vector<Step> bytes_alive(const Traced& traced, std::size_t memory);

/// Bytes that the tasks which are under way from `tick` on move through the ports of a memory, each from its start to
/// its end.
struct Flight {
  std::int64_t tick = 0, read = 0, written = 0;
};
/// By memory of the device.
std::vector<std::vector<Flight>> bytes_in_flight(const Traced& traced);

}  // namespace dse::reports
