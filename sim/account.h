// The per-layer account: every tick of a run belongs to one layer and one cause.
//
// The compute engines' tasks are laid on one time line in order of their starts (where two run at once, a tick belongs
// to the one that started first). A tick inside a task belongs to its layer: `dispatch` while the engine pays its fixed
// cost, `compute` while it works at its own pace, `memory` for what the ports add. A tick between tasks belongs to the
// layer of the next one to start, and its cause is what that one waits for then:
//   not issued yet   control stands at a Wait: the transfer that ends last there (dma ...), then `wait` for the Wait's
//   own cost;
//                    or for a transfer of a blocking engine (dma ...);
//                    otherwise `issue` (control is busy, or a queue is full)
//   issued           the task whose end makes it ready: `dma weights`, `dma input`, `dma output`, or `other` for a
//   compute task ready            the queue is taken: the kind of transfer that runs there (a CPU that copies), or
//   `other`
// The tail after the last compute task is cut at the ends of the sections that follow.
// Inside a stream of an NPU a tick belongs to the layer of the kernel that ends next: `compute` as far as its
// multipliers or its output unit worked, `memory` for what they waited for; behind the last kernel `wait`. A section
// that runs several layers by phases has an entry for each: a tick's layer is that of the task it is in, or waits for.
#pragma once
#include <vector>

#include "models/hw/device.h"
#include "models/hw/shells/run_state.h"
#include "program/section_layers.h"
#include "sim/measurement.h"

namespace dse::sim {

/// What the account needs of a job.
struct AccountJob {
  const program::Program* program;
  const std::vector<program::ArenaBinding>* binding;
  int section_origin;  // number of its section 0 among all jobs
  const program::SectionLayers* layers;
  int row_origin;  // number of its first entry among all jobs
};

class Accountant {
 public:
  /// @param polled queues of engines whose transfers control waits for, as a bit mask. @param sections number of
  /// sections of all jobs. Fills `layers` and `section_end` of the result, and where it has a trace the causes there
  /// and `charges`.
  void account(const hw::RunLog& log, const hw::Device& device, const std::vector<AccountJob>& jobs,
               std::uint32_t polled, int sections, RunResult& result);
  /// `section_end` only.
  static void section_ends(const hw::RunLog& log, int sections, RunResult& result);

 private:
  Cause cause_of(const hw::TaskEntry& e);
  Cause classify(const hw::TaskEntry& e) const;
  int row_of(const hw::TaskEntry& e) const;
  int last_row(int section) const;
  /// The next `ticks` of the run: it is charged from its begin to its end.
  void charge(int row, Cause cause, std::int64_t ticks);
  void charge_gap(std::int64_t from, const hw::TaskEntry& next, int row);
  void charge_stream(std::int64_t from, const hw::TaskEntry& t, const program::StreamPayload& stream);
  void charge_task(std::int64_t from, const hw::TaskEntry& t, int row);
  void charge_tail(std::int64_t from, std::int64_t total);
  void hide_dma();

  const hw::RunLog* log_ = nullptr;
  const hw::Device* device_ = nullptr;
  const std::vector<AccountJob>* jobs_ = nullptr;
  RunResult* result_ = nullptr;
  std::vector<const hw::TaskEntry*> polled_;           // transfers of blocking engines, in the order of their issue
  std::size_t polled_at_ = 0;                          // the first of them that is not behind
  std::vector<std::int32_t> compute_;                  // entries on compute engines, by start
  std::vector<std::vector<std::int8_t>> cause_cache_;  // per job, per template; -1 = unknown
  std::vector<std::pair<std::int64_t, std::int64_t>> transfers_;
  std::size_t wait_ = 0;
  std::int64_t charged_ = 0;  // ticks so far
};

}  // namespace dse::sim
